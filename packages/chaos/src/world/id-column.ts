const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const VALUES = new Uint8Array(128).fill(255);
for (let value = 0; value < ALPHABET.length; value++) VALUES[ALPHABET.charCodeAt(value)] = value;

const PREFIX = 'd_';
/** 22 letters of 6 bits, five to a word. */
const LETTERS = 22;
const PER_WORD = 5;
const WORDS = 5;

/** Delivery ids in 20 bytes each instead of 48: for a million of them it shows. Any other text is kept as it is. */
export class IdColumn {
  #words: Uint32Array;
  #size = 0;
  readonly #odd = new Map<number, string>();

  constructor(expected = 64) {
    this.#words = new Uint32Array(expected * WORDS);
  }

  push(id: string): void {
    const at = this.#size++ * WORDS;
    if (at + WORDS > this.#words.length) this.#grow();
    if (!this.#pack(id, at)) this.#odd.set(this.#size - 1, id);
  }

  at(index: number): string {
    const odd = this.#odd.get(index);
    if (odd !== undefined) return odd;
    let id = PREFIX;
    for (let letter = 0; letter < LETTERS; letter++) {
      const word = this.#words[index * WORDS + Math.floor(letter / PER_WORD)] as number;
      id += ALPHABET[(word >>> ((letter % PER_WORD) * 6)) & 63];
    }
    return id;
  }

  #pack(id: string, at: number): boolean {
    if (id.length !== PREFIX.length + LETTERS || !id.startsWith(PREFIX)) return false;
    for (let word = 0; word < WORDS; word++) {
      let bits = 0;
      const from = PREFIX.length + word * PER_WORD;
      for (let letter = 0; letter < PER_WORD && from + letter < id.length; letter++) {
        const value = VALUES[id.charCodeAt(from + letter)] ?? 255;
        if (value === 255) return false;
        bits |= value << (letter * 6);
      }
      this.#words[at + word] = bits;
    }
    return true;
  }

  #grow(): void {
    const words = new Uint32Array(this.#words.length * 2);
    words.set(this.#words);
    this.#words = words;
  }
}
