/** Pages that a worker expands ahead of what is being delivered. */
const PAGES_AHEAD = 4;

/**
 * Keeps fan-out from running away: beyond a few pages ahead, a large notification waits until the intake found less due than it could
 * have taken. First pages never wait, so a small notification is not held up by a big one.
 */
export class Backlog {
  #ahead = 0;
  /** Called when there is room again. */
  onRoom: () => void = () => undefined;

  /** The intake found more due than fitted (`full`), or less. */
  seen(full: boolean): void {
    if (full || this.#ahead === 0) return;
    this.#ahead = 0;
    this.onRoom();
  }

  added(pages: number): void {
    this.#ahead += pages;
  }

  get hasRoom(): boolean {
    return this.#ahead < PAGES_AHEAD;
  }
}
