/** Small numbers for names that come again and again: processes, providers. */
export class Names {
  readonly #numbers = new Map<string, number>();
  #lastName = '';
  #lastNumber = -1;

  /** 1 for the first name, 2 for the next, ... so that 0 stays "none" in a column. */
  of(name: string): number {
    if (name === this.#lastName) return this.#lastNumber;
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#numbers.size + 1;
      this.#numbers.set(name, number);
    }
    this.#lastName = name;
    this.#lastNumber = number;
    return number;
  }
}
