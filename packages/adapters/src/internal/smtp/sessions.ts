import type { Deadline } from '../deadline.ts';
import { Slots } from '../slots.ts';
import { isStale } from './replies.ts';
import type { SmtpSession, Transfer } from './session.ts';

export interface SessionsOptions {
  readonly open: (deadline: Deadline) => Promise<SmtpSession>;
  /** At most so many connections, and sends at once. */
  readonly most: number;
  /** A connection is closed after so many messages. */
  readonly messages: number;
  /** A connection without work is closed after so long, ms. */
  readonly idleMs: number;
}

/** Uses a session; says what its transfer came to, null where there was none, and the result for the caller. */
type Use<Result> = (session: SmtpSession) => Promise<{ readonly transfer: Transfer | null; readonly result: Result }>;

/** Connections that are kept open between messages, each used by one send at a time. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #slots: Slots;
  /** The one used last is taken first, so that what is not needed grows old. */
  readonly #idle = new Map<SmtpSession, NodeJS.Timeout>();
  readonly #leaving = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#slots = new Slots(options.most);
  }

  /**
   * Runs one send on a kept connection, or on a fresh one. A kept one may have ended unnoticed: where it did so before a byte of the message
   * left, the send gets a fresh one, once. Rejects only for want of a connection.
   */
  async run<Result>(deadline: Deadline, use: Use<Result>): Promise<Result> {
    if (!(await this.#slots.take(deadline))) throw new Error('all connections stayed in use until the time was up');
    try {
      const kept = this.#takeIdle();
      if (kept !== null) {
        const { transfer, result } = await this.#use(kept, use);
        if (transfer?.kind !== 'failed' || !isStale(transfer) || deadline.startMs() <= 0) return result;
      }
      return (await this.#use(await this.#options.open(deadline), use)).result;
    } finally {
      this.#slots.give();
    }
  }

  async #use<Result>(session: SmtpSession, use: Use<Result>): ReturnType<Use<Result>> {
    const used = await use(session);
    if (session.isDead) return used;
    if (this.#isClosed || session.sent >= this.#options.messages) this.#quit(session);
    else this.#keep(session);
    return used;
  }

  #takeIdle(): SmtpSession | null {
    const last = [...this.#idle].at(-1);
    if (last === undefined) return null;
    this.#forget(...last);
    return last[0];
  }

  #keep(session: SmtpSession): void {
    const timer = setTimeout(() => {
      this.#forget(session, timer);
      this.#quit(session);
    }, this.#options.idleMs);
    this.#idle.set(session, timer);
    session.onDeath(() => this.#forget(session, timer));
  }

  #forget(session: SmtpSession, timer: NodeJS.Timeout): void {
    clearTimeout(timer);
    this.#idle.delete(session);
  }

  #quit(session: SmtpSession): void {
    const left = session.quit().finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
  }

  /** Closes what is idle and resolves when it is closed; what is in use is closed by its send. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [session, timer] of this.#idle) {
      this.#forget(session, timer);
      this.#quit(session);
    }
    await Promise.all(this.#leaving);
  }
}
