import type { SendonceError } from '@sendonce/core';
import { inTime } from '../queue/in-time.ts';

/** How a queue's own error is told. */
export type Tells = (name: string, problem: string, cause?: unknown) => SendonceError;

export interface SqsRequests {
  /** `SQS queue 'orders'` */
  readonly name: string;
  readonly isClosed: boolean;
  /** Ends what is under way; nothing more is asked. A second call does nothing. */
  close(): void;
  /** Asks, for as long as a request may take and `waitMs`, or until `stop` aborts. @throws what `tells` makes of it */
  readonly call: <T>(
    waitMs: number,
    request: (abortSignal: AbortSignal) => Promise<T>,
    stop?: AbortSignal,
  ) => Promise<T>;
}

/** Requests to one queue, each with an end. */
export function sqsRequests(queueUrl: string, timeoutMs: number, tells: Tells): SqsRequests {
  const name = `SQS queue '${queueUrl.slice(queueUrl.lastIndexOf('/') + 1)}'`;
  const closed = new AbortController();
  return {
    name,
    get isClosed() {
      return closed.signal.aborted;
    },
    close: () => closed.abort(),
    async call(waitMs, request, stop) {
      if (closed.signal.aborted) throw tells(name, 'it is closed');
      const late = new AbortController();
      const limitMs = timeoutMs + waitMs;
      try {
        const signals = [late.signal, closed.signal, ...(stop === undefined ? [] : [stop])];
        return await inTime(request(AbortSignal.any(signals)), limitMs, () => {
          late.abort();
          return new Error(`no answer within ${limitMs} ms`);
        });
      } catch (error) {
        const { name: kind, message } = error as Error;
        throw tells(name, kind === 'Error' ? message : `${kind}: ${message}`, error);
      }
    },
  };
}

/** Durations are whole seconds in SQS; rounded up, so that nothing is visible too early. */
export function seconds(ms: number): number {
  return Math.ceil(Math.max(ms, 0) / 1_000);
}
