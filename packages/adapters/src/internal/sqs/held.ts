/**
 * Which receipts still hold their message. SQS may let an old one touch a message that somebody else has received since; this side
 * knows when it has run out, and does not try.
 */
export class Held {
  readonly #until = new Map<string, number>();

  hold(receipt: string, ms: number): void {
    // Set anew, so that the oldest are in front, but for a few that were hidden for longer.
    this.#until.delete(receipt);
    this.#until.set(receipt, performance.now() + ms);
  }

  has(receipt: string): boolean {
    return (this.#until.get(receipt) ?? 0) > performance.now();
  }

  drop(receipt: string): void {
    this.#until.delete(receipt);
  }

  forgetOver(): void {
    const now = performance.now();
    for (const [receipt, until] of this.#until) {
      if (until > now) return;
      this.#until.delete(receipt);
    }
  }
}
