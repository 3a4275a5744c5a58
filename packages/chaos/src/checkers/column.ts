import { Chunks } from './chunks.ts';

const KINDS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array } as const;
export type ColumnKind = keyof typeof KINDS;

/** From so many cells on, saving space is worth the time that it takes. */
const MANY = 100_000;

/** One number per slot, 0 at first: what a checker remembers about a delivery without an object for it. Grows when a slot asks. */
export class Column {
  readonly #kind: ColumnKind;
  readonly #size: number;
  #cells: Uint8Array | Uint16Array | Uint32Array | Float64Array;
  /** In place of the cells. */
  #chunks: Chunks | null;

  constructor(kind: ColumnKind, size: number) {
    this.#kind = kind;
    this.#size = size;
    this.#cells = new KINDS[kind](size > MANY ? 0 : size);
    this.#chunks = size > MANY ? new Chunks(kind, size) : null;
  }

  get(slot: number): number {
    return this.#chunks === null ? (this.#cells[slot] ?? 0) : this.#chunks.get(slot);
  }

  set(slot: number, value: number): void {
    if (this.#chunks !== null) {
      this.#chunks.set(slot, value);
      return;
    }
    if (slot >= this.#cells.length) this.#grow(slot);
    this.#cells[slot] = value;
  }

  /** The new value. Wraps around at the end of the kind's range. */
  add(slot: number, amount: number): number {
    const value = this.get(slot) + amount;
    this.set(slot, value);
    return value;
  }

  clear(): void {
    this.#cells.fill(0);
    if (this.#chunks !== null) this.#chunks = new Chunks(this.#kind, this.#size);
  }

  #grow(slot: number): void {
    const cells = new KINDS[this.#kind](Math.max(slot + 1, this.#cells.length * 2));
    cells.set(this.#cells);
    this.#cells = cells;
  }
}
