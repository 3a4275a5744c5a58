import type { Alert, AlertSink } from '@sendonce/core';

/** Alerts of one kind within this time are one, ms: a broken producer is one message with a count. */
const GROUP_MS = 60_000;
const EXAMPLES = 5;

export interface SetAsideWords {
  /** `3 messages of SQS queue 'orders' were set aside`. */
  readonly summary: (count: number) => string;
  readonly next: string;
}

/** Tells sinks of what was set aside: at once of the first, then of what has come together in a minute. No method rejects. */
export class SetAsideAlerts {
  readonly #sinks: readonly AlertSink[];
  readonly #words: SetAsideWords;
  #count = 0;
  #examples: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(sinks: readonly AlertSink[], words: SetAsideWords) {
    this.#sinks = sinks;
    this.#words = words;
  }

  note(ids: readonly string[]): void {
    if (this.#sinks.length === 0 || ids.length === 0) return;
    this.#count += ids.length;
    this.#examples = [...this.#examples, ...ids].slice(0, EXAMPLES);
    if (this.#timer !== undefined) return;
    this.#flush();
    this.#wait();
  }

  /** Tells what is left. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#flush();
    await this.#sending;
  }

  #wait(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#count === 0) return;
      this.#flush();
      this.#wait();
    }, GROUP_MS);
    this.#timer.unref();
  }

  #flush(): void {
    if (this.#count === 0) return;
    const alert: Alert = {
      kind: 'dead-letter',
      at: Date.now(),
      count: this.#count,
      examples: this.#examples,
      summary: this.#words.summary(this.#count),
      next: this.#words.next,
    };
    this.#count = 0;
    this.#examples = [];
    // What a sink throws stops nothing; who watches has the events, too.
    this.#sending = Promise.allSettled([this.#sending, ...this.#sinks.map(async (sink) => sink.send(alert))]).then(
      () => undefined,
    );
  }
}
