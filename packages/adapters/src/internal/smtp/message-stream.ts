import { Readable } from 'node:stream';
import type { Deadline } from '../deadline.ts';

const CHUNK = 65_536;

/** The message on its way: tells how far it got, and gives out no first byte once the time is up. */
export class MessageStream extends Readable {
  /** True from the first byte on: the server may have some of it. */
  begun = false;
  readonly #bytes: Buffer;
  readonly #deadline: Deadline;
  #at = 0;

  constructor(bytes: Buffer, deadline: Deadline) {
    super({ highWaterMark: CHUNK });
    this.#bytes = bytes;
    this.#deadline = deadline;
  }

  /** True when all of it was handed over: an acceptance before that is none. */
  get ended(): boolean {
    return this.#at >= this.#bytes.length;
  }

  override _read(): void {
    // Right before the first byte: a process that was paused since may have been given up long ago.
    if (!this.begun && this.#deadline.leftMs() <= 0) {
      this.destroy(new Error('the send deadline passed before the first byte'));
      return;
    }
    this.begun = true;
    const to = Math.min(this.#at + CHUNK, this.#bytes.length);
    const chunk = this.#bytes.subarray(this.#at, to);
    this.#at = to;
    this.push(chunk.length === 0 ? null : chunk);
  }
}
