/** The share of places that may be taken. */
const MOST_FULL = 0.75;
const GROWTH = 1.6;
/** Of a large table: what is free costs more than the copying. */
const LARGE = 100_000;
const LARGE_GROWTH = 1.3;

/*
 * Texts to small numbers, for millions of them: an open-addressing table over two independent 32-bit hashes, without keeping the
 * texts. Two texts of one run collide with a chance of 3e-8 at a million entries.
 */
export class TextTable {
  #size = 0;
  #highs: Uint32Array;
  #lows: Uint32Array;
  /** The value plus one; 0 marks a free place. */
  #values: Int32Array;

  constructor(expected: number) {
    const places = Math.ceil(Math.max(MOST_FULL * 64, expected + 1) / MOST_FULL);
    this.#highs = new Uint32Array(places);
    this.#lows = new Uint32Array(places);
    this.#values = new Int32Array(places);
  }

  get size(): number {
    return this.#size;
  }

  /** The value of the text, or -1. */
  get(text: string): number {
    hash(text);
    return (this.#values[this.#find(high, low)] as number) - 1;
  }

  /** Gives the text a value (0 to 2^31 - 2) unless it has one; answers the one it has now. */
  add(text: string, value: number): number {
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
    hash(text);
    this.#values[this.#find(high, low)] = value + 1;
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
