/** The share of places that may be taken. */
const MOST_FULL = 0.75;
const GROWTH = 1.6;
/** Of a large table: what is free costs more than the copying. */
const LARGE = 100_000;
const LARGE_GROWTH = 1.3;

/** Up to so many, the texts themselves cost little, and looking up a text that knows its own hash takes half of the time. */
const FEW = 20_000;

/*
 * Texts to small numbers. A few are in a Map; of millions of them only hashes are kept: an open-addressing table over two independent
 * 32-bit hashes. Two texts of one run collide with a chance of 3e-8 at a million entries.
 */
export class TextTable {
  /** Null: the table holds them. */
  #few: Map<string, number> | null = null;
  #size = 0;
  #highs = new Uint32Array(0);
  #lows = new Uint32Array(0);
  /** The value plus one; 0 marks a free place. */
  #values = new Int32Array(0);

  constructor(expected: number) {
    if (expected <= FEW) this.#few = new Map();
    else this.#open(expected);
  }

  get size(): number {
    return this.#few?.size ?? this.#size;
  }

  /** The value of the text, or -1. */
  get(text: string): number {
    if (this.#few !== null) return this.#few.get(text) ?? -1;
    hash(text);
    return (this.#values[this.#find(high, low)] as number) - 1;
  }

  /** Gives the text a value (0 to 2^31 - 2) unless it has one; answers the one it has now. */
  add(text: string, value: number): number {
    if (this.#few !== null) return this.#addToFew(this.#few, text, value);
    hash(text);
    const at = this.#find(high, low);
    const known = this.#values[at] as number;
    if (known !== 0) return known - 1;
    this.#put(at, high, low, value + 1);
    if (++this.#size > this.#values.length * MOST_FULL) this.#grow();
    return value;
  }

  /** Gives the text this value, whatever it had. */
  set(text: string, value: number): void {
    if (this.add(text, value) === value) return;
    if (this.#few !== null) {
      this.#few.set(text, value);
      return;
    }
    hash(text);
    this.#values[this.#find(high, low)] = value + 1;
  }

  #addToFew(few: Map<string, number>, text: string, value: number): number {
    const known = few.get(text);
    if (known !== undefined) return known;
    few.set(text, value);
    if (few.size > FEW) {
      this.#few = null;
      this.#open(few.size);
      for (const [each, its] of few) this.add(each, its);
    }
    return value;
  }

  #open(expected: number): void {
    const places = Math.ceil((expected + 1) / MOST_FULL);
    this.#highs = new Uint32Array(places);
    this.#lows = new Uint32Array(places);
    this.#values = new Int32Array(places);
  }

  #find(wantedHigh: number, wantedLow: number): number {
    const places = this.#values.length;
    // The hash as a fraction of all places, so that their number need be no power of two.
    let at = Math.floor((wantedLow / 0x1_0000_0000) * places);
    while (this.#values[at] !== 0 && (this.#lows[at] !== wantedLow || this.#highs[at] !== wantedHigh))
      at = at + 1 === places ? 0 : at + 1;
    return at;
  }

  #put(at: number, putHigh: number, putLow: number, stored: number): void {
    this.#highs[at] = putHigh;
    this.#lows[at] = putLow;
    this.#values[at] = stored;
  }

  #grow(): void {
    const old = this.#values.length;
    const places = Math.ceil(old * (old > LARGE ? LARGE_GROWTH : GROWTH));
    const [highs, lows, values] = [this.#highs, this.#lows, this.#values];
    this.#highs = new Uint32Array(places);
    this.#lows = new Uint32Array(places);
    this.#values = new Int32Array(places);
    for (let i = 0; i < old; i++) {
      if (values[i] === 0) continue;
      const [itsHigh, itsLow] = [highs[i] as number, lows[i] as number];
      this.#put(this.#find(itsHigh, itsLow), itsHigh, itsLow, values[i] as number);
    }
  }
}

// Two results without an object: this runs several times per delivery.
let high = 0;
let low = 0;

/** cyrb53's two lanes. */
function hash(text: string): void {
  let h1 = 0xdeadbeef;
  let h2 = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    h1 = Math.imul(h1 ^ code, 2654435761);
    h2 = Math.imul(h2 ^ code, 1597334677);
  }
  h1 = Math.imul(h1 ^ (h1 >>> 16), 2246822507) ^ Math.imul(h2 ^ (h2 >>> 13), 3266489909);
  h2 = Math.imul(h2 ^ (h2 >>> 16), 2246822507) ^ Math.imul(h1 ^ (h1 >>> 13), 3266489909);
  high = h2 >>> 0;
  low = h1 >>> 0;
}
