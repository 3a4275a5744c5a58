/** Something came: whoever waits looks again. Rings are counted, so that one between a look and the wait is not missed. */
export class Ring {
  #count = 0;
  readonly #waiting = new Set<() => void>();

  get count(): number {
    return this.#count;
  }

  ring(): void {
    this.#count += 1;
    for (const wake of this.#waiting) wake();
  }

  /** Until it has rung since `seen`, the time is up, or the signal is aborted. */
  async wait(seen: number, ms: number, signal?: AbortSignal): Promise<void> {
    if (this.#count !== seen || signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#waiting.add(wake);
      signal?.addEventListener('abort', wake);
    });
  }
}
