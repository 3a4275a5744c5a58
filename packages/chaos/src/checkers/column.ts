/** The most that a cell of the kind holds. */
const MOST = { u8: 0xff, u16: 0xffff, u32: 0xffff_ffff, f64: Infinity } as const;
export type ColumnKind = keyof typeof MOST;

type Cells = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** Cells of neighbouring slots, as narrow as their values let them be. */
interface Chunk {
  cells: Cells;
  /** The most that fits into a cell. */
  most: number;
  /** What a cell's value is counted from; 0 stays 0. */
  base: number;
}

const BITS = 13;
const CHUNK = 1 << BITS;
const MASK = CHUNK - 1;
/** Half of what 32 bits hold: a chunk reaches as far on both sides of its first value. */
const REACH = 2 ** 31;

/**
 * One number per slot, 0 at first: what a checker remembers about a delivery without an object for it. Grows when a slot asks. Takes
 * space only for what was set, and only as wide as needed: neighbours have similar times and fences, and small counts.
 */
export class Column {
  readonly #isWide: boolean;
  /** Of a whole-number kind: all its bits. */
  readonly #bits: number;
  readonly #size: number;
  #chunks: (Chunk | undefined)[] = [];

  constructor(kind: ColumnKind, size: number) {
    this.#isWide = kind === 'f64';
    this.#bits = kind === 'f64' ? 0 : MOST[kind];
    this.#size = size;
  }

  get(slot: number): number {
    const chunk = this.#chunks[slot >>> BITS];
    if (chunk === undefined) return 0;
    const cell = chunk.cells[slot & MASK] ?? 0;
    return chunk.base === 0 || cell === 0 ? cell : cell + chunk.base;
  }

  set(slot: number, value: number): void {
    if (slot < 0) return;
    const chunk = this.#chunks[slot >>> BITS];
    if (chunk === undefined) {
      if (value !== 0) this.#open(slot, value);
      return;
    }
    const at = slot & MASK;
    if (at >= chunk.cells.length) lengthen(chunk, at);
    if (this.#isWide) setWide(chunk, at, value);
    else {
      const wrapped = (value & this.#bits) >>> 0;
      if (wrapped > chunk.most) widen(chunk, wrapped);
      chunk.cells[at] = wrapped;
    }
  }

  /** The new value. Wraps around at the end of the kind's range. */
  add(slot: number, amount: number): number {
    this.set(slot, this.get(slot) + amount);
    return this.get(slot);
  }

  clear(): void {
    this.#chunks = [];
  }

  #open(slot: number, value: number): void {
    const index = slot >>> BITS;
    // The end of a column is as short as the column; behind it nobody knows how many will come.
    const length = Math.max((slot & MASK) + 1, Math.min(CHUNK, this.#size - index * CHUNK));
    const isWide = this.#isWide;
    const cells = isWide ? new Uint32Array(length) : new Uint8Array(length);
    while (this.#chunks.length < index) this.#chunks.push(undefined);
    this.#chunks[index] = { cells, most: isWide ? MOST.u32 : MOST.u8, base: isWide ? Math.floor(value) - REACH : 0 };
    this.set(slot, value);
  }
}

/** Any number: as a difference from the base while that is a whole one that fits. */
function setWide(chunk: Chunk, at: number, value: number): void {
  const { base } = chunk;
  const difference = value - base;
  if (base === 0 || value === 0) chunk.cells[at] = value;
  else if (Number.isInteger(difference) && difference > 0 && difference <= chunk.most && base + difference === value)
    chunk.cells[at] = difference;
  else {
    chunk.cells = Float64Array.from(chunk.cells, (cell) => (cell === 0 ? 0 : cell + base));
    chunk.base = 0;
    chunk.cells[at] = value;
  }
}

function widen(chunk: Chunk, value: number): void {
  chunk.most = value > MOST.u16 ? MOST.u32 : MOST.u16;
  chunk.cells = value > MOST.u16 ? Uint32Array.from(chunk.cells) : Uint16Array.from(chunk.cells);
}

function lengthen(chunk: Chunk, at: number): void {
  const Kind = chunk.cells.constructor as new (length: number) => Cells;
  const cells = new Kind(Math.min(CHUNK, Math.max(at + 1, chunk.cells.length * 2)));
  cells.set(chunk.cells);
  chunk.cells = cells;
}
