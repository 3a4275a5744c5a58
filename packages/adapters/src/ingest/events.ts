import type { AlertSink, PublishOptions } from '@sendonce/core';
import { FUNCTION_RULE, isFields, numberRule, type Rules } from '@sendonce/core/internal';
import { systemClock } from '@sendonce/core/system';
import { handleBatch, type Handled } from '../internal/ingest/handle-batch.ts';
import type { RawMessage, RawMessages } from '../internal/ingest/raw-messages.ts';
import { reasonIn, retryDelayMs } from '../internal/retrying.ts';
import { ALERTS_RULE, NOTIFIER_RULE, type PublisherLike } from '../internal/publish-each.ts';
import { checkAdapter } from '../internal/options.ts';
import { SetAsideAlerts } from '../internal/set-aside-alerts.ts';

export type { PublisherLike } from '../internal/publish-each.ts';
export type { Handled } from '../internal/ingest/handle-batch.ts';
export type { RawMessage, RawMessages, Rejection } from '../internal/ingest/raw-messages.ts';

/** What a message asks for: what `publish` takes. */
export interface MappedEvent extends Omit<PublishOptions, 'transaction'> {
  readonly type: string;
  readonly data: unknown;
}

/** Not now: a lookup that the mapping needs has failed. The message comes again. */
export interface MappedLater {
  readonly later: string;
}

/** What happened to messages; the reasons hold what the mapping and `publish` said. */
export type IngestEvent =
  /** Accepted by the ledger, `repeated` ones among them, and those that asked for nothing. */
  | { readonly kind: 'taken'; readonly accepted: number; readonly repeated: number; readonly ignored: number }
  | { readonly kind: 'rejected'; readonly id: string; readonly reason: string; readonly where: string }
  | { readonly kind: 'delayed'; readonly id: string; readonly reason: string; readonly delayMs: number }
  /** The queue did not answer: what was received comes again. */
  | { readonly kind: 'unavailable'; readonly reason: string };

export interface IngestOptions {
  readonly notifier: PublisherLike;
  readonly messages: RawMessages;
  /**
   * What a message asks for: an event; null for none, then it is acked; `{ later: reason }` for another time. A message for which it throws
   * is set aside with what it threw. The same message must give the same key.
   */
  readonly map: (message: RawMessage) => MappedEvent | MappedLater | null | Promise<MappedEvent | MappedLater | null>;
  /** Messages at once, 1 to 1,000; no more than the queue carries in one call. @defaultValue 100 */
  readonly batch?: number;
  /** How long the first repeat of what failed for a passing reason waits, 1 to 3,600,000 ms; then twice as long each time. @defaultValue 1_000 */
  readonly retryMs?: number;
  /** The longest such wait, 1 to 43,200,000 ms. @defaultValue 60_000 */
  readonly maxRetryMs?: number;
  /** Is told what happened. What it throws stops nothing. @defaultValue nobody is */
  readonly onEvent?: (event: IngestEvent) => void;
  /** Are told of what was set aside: at once, then at most once a minute with a count. Closed by `run`'s end. @defaultValue none */
  readonly alerts?: readonly AlertSink[];
}

/** Takes events out of a queue and publishes them. */
export interface Ingest {
  /**
   * Goes on until the signal aborts, then finishes what it has in hand: what was not accepted by then comes again. A queue or ledger that is
   * out of reach is waited for. Run as many as you like, in as many processes.
   */
  run(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** One batch, waiting at most `waitMs` for it. @throws what the queue throws */
  once(options?: { readonly waitMs?: number; readonly signal?: AbortSignal }): Promise<Handled>;
}

/** How long one receive waits for a message, ms: what the services allow at most. */
const WAIT_MS = 20_000;
const LEAST_WAIT_MS = 50;

/**
 * Messages of others, out of their queue and into the ledger: acked only when the ledger has accepted them, so a crash anywhere repeats, and
 * a repeat is the same notification by its key.
 * @throws SendonceError OPTION_INVALID
 */
export function ingest(options: IngestOptions): Ingest {
  checkAdapter('ingest', options, RULES);
  const { messages, batch = 100, retryMs = 1_000, maxRetryMs = 60_000, onEvent } = options;
  const max = Math.min(batch, messages.maxBatch);
  const retry = { firstMs: retryMs, mostMs: maxRetryMs };
  const alerts = new SetAsideAlerts(options.alerts ?? [], {
    summary: (count) =>
      `${count} ${count === 1 ? 'message' : 'messages'} of ${messages.name} could not be published, and ${count === 1 ? 'was' : 'were'} set aside`,
    next: `look into ${messages.deadLetters}`,
  });

  function tell(event: IngestEvent): void {
    try {
      onEvent?.(event);
    } catch {
      // It is the application's; there is nobody here to tell.
    }
  }

  async function once({
    waitMs = 0,
    signal,
  }: { readonly waitMs?: number; readonly signal?: AbortSignal } = {}): Promise<Handled> {
    const received = await messages.receive({ max, waitMs, ...(signal === undefined ? {} : { signal }) });
    if (received.length === 0) return { accepted: 0, repeated: 0, ignored: 0, rejected: [], delayed: [] };
    const handled = await handleBatch(received, options, retry);
    const { accepted, repeated, ignored, rejected, delayed } = handled;
    if (accepted + repeated + ignored > 0) tell({ kind: 'taken', accepted, repeated, ignored });
    for (const { message, reason } of rejected)
      tell({ kind: 'rejected', id: message.id, reason, where: messages.deadLetters });
    for (const { message, reason, delayMs } of delayed) tell({ kind: 'delayed', id: message.id, reason, delayMs });
    alerts.note(rejected.map(({ message }) => message.id));
    return handled;
  }

  return {
    once,
    async run({ signal } = {}) {
      let failures = 0;
      while (signal?.aborted !== true) {
        const began = performance.now();
        try {
          const { accepted, repeated, ignored } = await once({
            waitMs: WAIT_MS,
            ...(signal === undefined ? {} : { signal }),
          });
          failures = 0;
          // Nothing at once, where it should have waited: a queue of somebody's own may do so, and nobody shall spin.
          if (accepted + repeated + ignored === 0 && performance.now() - began < LEAST_WAIT_MS)
            await systemClock.sleep(LEAST_WAIT_MS, signal);
        } catch (error) {
          failures += 1;
          tell({ kind: 'unavailable', reason: reasonIn(error) });
          await systemClock.sleep(retryDelayMs(failures, retry), signal);
        }
      }
      await alerts.close();
    },
  };
}

const RULES: Rules = {
  notifier: NOTIFIER_RULE,
  messages: {
    must: 'a queue of messages: sqsMessages(...), redisStreamMessages(...), rabbitmqMessages(...)',
    fits: (value) => isFields(value) && typeof value['receive'] === 'function',
    required: true,
    hidden: true,
  },
  map: { ...FUNCTION_RULE, required: true },
  batch: numberRule({ least: 1, most: 1_000, whole: true }),
  retryMs: numberRule({ least: 1, most: 3_600_000 }, ' ms'),
  maxRetryMs: numberRule({ least: 1, most: 43_200_000 }, ' ms'),
  onEvent: FUNCTION_RULE,
  alerts: ALERTS_RULE,
};
