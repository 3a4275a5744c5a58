/** Pages that a worker expands ahead of what is being delivered. */
const PAGES_AHEAD = 4;
/**
 * Pages that stand undelivered at most before even those that have waited long wait on: a steady load, which delivers, makes room for
 * them page by page; a provider that answers nobody would otherwise have a million rows written ahead of it, a page per nap.
 */
const PAGES_STANDING = 20;

/**
 * Keeps fan-out from running away: beyond a few pages ahead, a large notification waits until the intake found less due than it could
 * have taken. First pages never wait, so a small notification is not held up by a big one. A worker that delivers nothing never sees what
 * is delivered, and has no bound.
 */
export class Backlog {
  readonly #pageSize: number;
  readonly #isBounded: boolean;
  #ahead = 0;
  /** As `#ahead`, less what was delivered meanwhile. */
  #standing = 0;
  /** Called when there is room again. */
  onRoom: () => void = () => undefined;

  constructor({ pageSize, isBounded }: { readonly pageSize: number; readonly isBounded: boolean }) {
    this.#pageSize = pageSize;
    this.#isBounded = isBounded;
  }

  /** The intake took up `taken`, and found more due than fitted (`full`), or less. */
  seen(taken: number, full: boolean): void {
    if (full) this.#standing = Math.max(0, this.#standing - taken / this.#pageSize);
    else {
      const wasAhead = this.#ahead > 0;
      this.#ahead = 0;
      this.#standing = 0;
      if (wasAhead) this.onRoom();
    }
  }

  added(pages: number): void {
    this.#ahead += pages;
    this.#standing += pages;
  }

  get hasRoom(): boolean {
    return !this.#isBounded || this.#ahead < PAGES_AHEAD;
  }

  /** How many that have waited through a whole nap may have a page although there is no room. */
  get regardless(): number {
    return Math.max(0, Math.ceil(PAGES_STANDING - this.#standing));
  }
}
