const KINDS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array } as const;
export type ColumnKind = keyof typeof KINDS;

/** One number per slot, 0 at first: what a checker remembers about a delivery without an object for it. Grows when a slot asks. */
export class Column {
  #cells: Uint8Array | Uint16Array | Uint32Array | Float64Array;

  constructor(kind: ColumnKind, size: number) {
    this.#cells = new KINDS[kind](size);
  }

  get(slot: number): number {
    return this.#cells[slot] ?? 0;
  }

  set(slot: number, value: number): void {
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
  }

  #grow(slot: number): void {
    const Kind = this.#cells.constructor as (typeof KINDS)[ColumnKind];
    const cells = new Kind(Math.max(slot + 1, this.#cells.length * 2));
    cells.set(this.#cells);
    this.#cells = cells;
  }
}
