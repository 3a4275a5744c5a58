/** The most that a cell of the kind holds. */
const MOST = { u8: 0xff, u16: 0xffff, u32: 0xffff_ffff, f64: Infinity } as const;

type Cells = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** Cells of neighbouring slots, as narrow as their values let them be. */
interface Chunk {
  cells: Cells;
  /** The most that fits into a cell. */
  most: number;
  /** What a cell's value is counted from, but for a cell of 0; 0: cells hold the values themselves. */
  base: number;
}

const BITS = 13;
const CHUNK = 1 << BITS;
const MASK = CHUNK - 1;
/** Half of what 32 bits hold: a chunk reaches as far on both sides of its first value. */
const REACH = 2 ** 31;

/**
 * The cells of a column with very many of them. They take space only where something was set, and only as wide as needed: neighbours
 * have similar times and fences, and small counts.
 */
export class Chunks {
  readonly #isWide: boolean;
  /** Of a whole-number kind: all its bits. */
  readonly #bits: number;
  readonly #size: number;
  readonly #chunks: (Chunk | undefined)[] = [];

  constructor(kind: keyof typeof MOST, size: number) {
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

  #open(slot: number, value: number): void {
    const index = slot >>> BITS;
    // The end of a column is as short as the column; behind it nobody knows how many will come.
    const length = Math.max((slot & MASK) + 1, Math.min(CHUNK, this.#size - index * CHUNK));
    const chunk = this.#isWide
      ? { cells: new Uint32Array(length), most: MOST.u32, base: Math.floor(value) - REACH || 1 }
      : narrow((value & this.#bits) >>> 0, length);
    while (this.#chunks.length < index) this.#chunks.push(undefined);
    this.#chunks[index] = chunk;
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
    const cells = new Float64Array(chunk.cells);
    for (let i = 0; i < cells.length; i += 1) if (cells[i] !== 0) cells[i] = (cells[i] as number) + base;
    chunk.cells = cells;
    chunk.base = 0;
    chunk.cells[at] = value;
  }
}

/** Cells that this value fits into. */
function narrow(value: number, from: number | Cells): Chunk {
  // Whether zeros or a copy: a constructor tells by what it is given.
  const size = from as number;
  if (value > MOST.u16) return { cells: new Uint32Array(size), most: MOST.u32, base: 0 };
  if (value > MOST.u8) return { cells: new Uint16Array(size), most: MOST.u16, base: 0 };
  return { cells: new Uint8Array(size), most: MOST.u8, base: 0 };
}

function widen(chunk: Chunk, value: number): void {
  const { cells, most } = narrow(value, chunk.cells);
  chunk.cells = cells;
  chunk.most = most;
}

function lengthen(chunk: Chunk, at: number): void {
  const Kind = chunk.cells.constructor as new (length: number) => Cells;
  const cells = new Kind(Math.min(CHUNK, Math.max(at + 1, chunk.cells.length * 2)));
  cells.set(chunk.cells);
  chunk.cells = cells;
}
