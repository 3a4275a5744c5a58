import type { AlertSink } from '@sendonce/core';
import { FUNCTION_RULE, isFields, numberRule, type Rule } from '@sendonce/core/internal';
import { systemClock } from '@sendonce/core/system';
import { checkAdapter } from '../internal/options.ts';
import { relayBatch, type Relayed } from '../internal/outbox/relay-batch.ts';
import type { OutboxStore } from '../internal/outbox/store.ts';
import { ALERTS_RULE, NOTIFIER_RULE, type PublisherLike } from '../internal/publish-each.ts';
import { Ring } from '../internal/queue/ring.ts';
import { reasonIn, retryDelayMs } from '../internal/retrying.ts';
import { SetAsideAlerts } from '../internal/set-aside-alerts.ts';

export type { Relayed } from '../internal/outbox/relay-batch.ts';
export type * from '../internal/outbox/store.ts';

/** What happened to rows. */
export type OutboxEventTold =
  | { readonly kind: 'relayed'; readonly accepted: number; readonly repeated: number }
  | { readonly kind: 'delayed'; readonly id: string; readonly reason: string; readonly delayMs: number }
  /** Nobody takes it up any more: `outbox.listSetAside()` shows it, `outbox.retry([id])` gives it back. */
  | { readonly kind: 'set-aside'; readonly id: string; readonly reason: string }
  /** The outbox did not answer. */
  | { readonly kind: 'unavailable'; readonly reason: string };

export interface OutboxRelayOptions {
  readonly outbox: OutboxStore;
  readonly notifier: PublisherLike;
  /** Rows at once, 1 to 1,000. @defaultValue 100 */
  readonly batch?: number;
  /** How long rows are this relay's, 1 to 3,600,000 ms: longer than a batch takes. After a crash they wait for it to end. @defaultValue 30_000 */
  readonly leaseMs?: number;
  /** How long until an empty outbox is asked again, 1 to 3,600,000 ms. `wake()` makes it sooner. @defaultValue 1_000 */
  readonly pollMs?: number;
  /** Tries after which a row is set aside, 1 to 1,000. A ledger that is out of reach costs none. @defaultValue 5 */
  readonly maxTries?: number;
  /** How long the first repeat waits, 1 to 3,600,000 ms; then twice as long each time. @defaultValue 1_000 */
  readonly retryMs?: number;
  /** The longest such wait, 1 to 86,400,000 ms. @defaultValue 60_000 */
  readonly maxRetryMs?: number;
  /** How long relayed rows are kept, 0 or more ms. @defaultValue 86_400_000 */
  readonly keepMs?: number;
  /** Is told what happened. What it throws stops nothing. @defaultValue nobody is */
  readonly onEvent?: (event: OutboxEventTold) => void;
  /** Are told of what was set aside: at once, then at most once a minute with a count. @defaultValue none */
  readonly alerts?: readonly AlertSink[];
}

/** Takes rows out of an outbox and publishes them. */
export interface OutboxRelay {
  /** Goes on until the signal aborts, then finishes what it has in hand. Run as many as you like: no row is two relays' at a time. */
  run(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** One batch. @throws what the outbox throws */
  once(): Promise<Relayed>;
  /** There is something to do: call it after a commit in the same process. */
  wake(): void;
}

const CLEAN_EVERY_MS = 60_000;
const CLEAN_AT_ONCE = 1_000;

/**
 * Rows are marked when the ledger has accepted them, so a crash anywhere repeats, and a repeat is the same notification by its key.
 * @throws SendonceError OPTION_INVALID
 */
export function outboxRelay(options: OutboxRelayOptions): OutboxRelay {
  checkAdapter('outboxRelay', options, RULES);
  const { outbox, batch = 100, leaseMs = 30_000, pollMs = 1_000, keepMs = 86_400_000, onEvent } = options;
  const patience = {
    maxTries: options.maxTries ?? 5,
    firstMs: options.retryMs ?? 1_000,
    mostMs: options.maxRetryMs ?? 60_000,
  };
  const alerts = new SetAsideAlerts(options.alerts ?? [], {
    summary: (count) =>
      `${count} ${count === 1 ? 'row of the outbox was' : 'rows of the outbox were'} set aside: publish refuses ${count === 1 ? 'it' : 'them'}`,
    next: 'outbox.listSetAside(), then outbox.retry(ids)',
  });
  const ring = new Ring();
  let cleanedAt = -Infinity;

  function tell(event: OutboxEventTold): void {
    try {
      onEvent?.(event);
    } catch {
      // It is the application's; there is nobody here to tell.
    }
  }

  async function once(): Promise<Relayed> {
    const rows = await outbox.lease({ max: batch, leaseMs });
    if (rows.length === 0) return { leased: 0, accepted: 0, repeated: 0, delayed: [], setAside: [] };
    const relayed = await relayBatch(rows, options, patience);
    const { accepted, repeated, delayed, setAside } = relayed;
    if (accepted + repeated > 0) tell({ kind: 'relayed', accepted, repeated });
    for (const { id, reason, delayMs } of delayed) tell({ kind: 'delayed', id, reason, delayMs: delayMs ?? 0 });
    for (const { id, reason } of setAside) tell({ kind: 'set-aside', id, reason });
    alerts.note(setAside.map(({ id }) => id));
    return relayed;
  }

  /** What is old goes, a bounded number at a time. */
  async function clean(): Promise<void> {
    if (performance.now() - cleanedAt < CLEAN_EVERY_MS) return;
    const removed = await outbox.clean({ olderThanMs: keepMs, max: CLEAN_AT_ONCE });
    // There is more, and whoever comes next goes on.
    if (removed < CLEAN_AT_ONCE) cleanedAt = performance.now();
  }

  return {
    once,
    wake: () => ring.ring(),
    async run({ signal } = {}) {
      let failures = 0;
      while (signal?.aborted !== true) {
        const rings = ring.count;
        try {
          const { leased } = await once();
          await clean();
          failures = 0;
          if (leased < batch) await ring.wait(rings, pollMs, signal);
        } catch (error) {
          failures += 1;
          tell({ kind: 'unavailable', reason: reasonIn(error) });
          await systemClock.sleep(retryDelayMs(failures, patience), signal);
        }
      }
      await alerts.close();
    },
  };
}

const RULES: Record<keyof OutboxRelayOptions, Rule> = {
  outbox: {
    must: 'an outbox: postgresOutbox(...), sqliteOutbox(...)',
    fits: (value) => isFields(value) && typeof value['lease'] === 'function',
    required: true,
    hidden: true,
  },
  notifier: NOTIFIER_RULE,
  batch: numberRule({ least: 1, most: 1_000, whole: true }),
  leaseMs: numberRule({ least: 1, most: 3_600_000 }, ' ms'),
  pollMs: numberRule({ least: 1, most: 3_600_000 }, ' ms'),
  maxTries: numberRule({ least: 1, most: 1_000, whole: true }),
  retryMs: numberRule({ least: 1, most: 3_600_000 }, ' ms'),
  maxRetryMs: numberRule({ least: 1, most: 86_400_000 }, ' ms'),
  keepMs: numberRule({ least: 0, most: Number.MAX_SAFE_INTEGER }, ' ms'),
  onEvent: FUNCTION_RULE,
  alerts: ALERTS_RULE,
};
