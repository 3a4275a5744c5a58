import { SendonceError, type Ledger, type MarkVerdict } from '@sendonce/core';
import { recordLedger, type Records, type RecordStore, type Transaction } from '@sendonce/core/records';
import { transact } from '../internal/ahead/transact.ts';
import { announcing } from '../internal/wakes/announcing.ts';
import { claims } from '../internal/redis/claims.ts';
import { sending } from '../internal/redis/connection.ts';
import { unavailable, whoOf } from '../internal/redis/failures.ts';
import { fromHand, type Acted } from '../internal/redis/from-hand.ts';
import { housekeeping } from '../internal/redis/housekeeping.ts';
import { openStore } from '../internal/redis/open.ts';
import { checkedOptions, type RedisLedgerOptions } from '../internal/redis/options.ts';
import { reading } from '../internal/redis/reading.ts';
import { remembered } from '../internal/redis/remembered.ts';
import { redisStore } from '../internal/redis/store.ts';
import { redisBell } from '../internal/redis/wakes.ts';
import { confirming } from '../internal/redis/wait.ts';

export type { RedisClientLike } from '../internal/redis/client.ts';
export type { RedisLedgerOptions, RedisWait } from '../internal/redis/options.ts';
export type { RedisListenerLike, RedisWakes } from '../internal/redis/wakes.ts';

/**
 * A ledger in Redis (6.2 or later; a single server, Sentinel, or one slot of a Cluster), for as many processes on as many hosts as like.
 * Nothing is asked before the first call; `close` leaves the client open and may be called twice.
 * @throws SendonceError OPTION_INVALID here; from any call LEDGER_REFUSED, LEDGER_LOCKED, LEDGER_FULL, LEDGER_READ_ONLY, LEDGER_CORRUPT,
 * LEDGER_NEWER, LEDGER_UNAVAILABLE: the call may be repeated.
 */
export function redisLedger(options: RedisLedgerOptions): Ledger {
  const checked = checkedOptions(options);
  const { client, name, wait } = checked;
  const warned = new Set<string>();
  const send = sending(client, name);
  const crowd = { lanes: 1 };
  let memory = '';
  let looked: string | null = null;
  let opening: Promise<string> | null = null;
  let isClosed = false;

  const inHand = remembered();
  const store = redisStore({ ...checked, send, onMemory: (identity) => (memory = identity), memory: inHand });
  const keepHouse = housekeeping({ ...checked, send });
  const confirm = wait === null ? null : confirming(client, name, wait);

  /** What was decided stands, whatever becomes of the housekeeping; but sizes grow where it never succeeds. */
  function tellOnce(error: unknown): void {
    warn(`housekeeping failed and is tried again: ${unavailable(error, name).message}`);
  }

  function warn(warning: string): void {
    if (!warned.has(warning)) checked.warn(warning);
    warned.add(warning);
  }

  async function open(): Promise<void> {
    if (isClosed) throw new SendonceError('LEDGER_UNAVAILABLE', `${whoOf(name)} is closed`);
    if (looked !== null && (memory === '' || looked === memory)) return;
    // One for all calls, however many come at once; after a failure the next call tries again.
    looked = await (opening ??= openStore(send, { name, warn }).finally(() => (opening = null)));
  }

  async function act<T>(
    work: (records: Records) => T,
    about: Transaction,
    { makesDeliveries, isOfHand }: { readonly makesDeliveries: boolean; readonly isOfHand: boolean },
  ): Promise<Acted<T>> {
    const quick = isOfHand ? await fromHand(work, about, { ...checked, store, memory: inHand }) : null;
    return quick ?? transact(work, about, { ...checked, store, crowd, makesDeliveries });
  }

  const storeOf = ({ makesDeliveries = false, isStrict = false, isOfHand = false, isMark = false }): RecordStore => ({
    async transact(work, about = {}) {
      if (about.join !== undefined)
        throw new SendonceError(
          'OPTION_INVALID',
          `transaction: ${whoOf(name)} cannot join a transaction; publish without it`,
        );
      await open();
      const { result, run, known } = await act(work, about, { makesDeliveries, isOfHand });
      if (isStrict) await confirm?.(known.store?.identityNow ?? '');
      if (run.wantsHousekeeping) await keepHouse().catch(tellOnce);
      // It was decided by a time that was read before: what has passed since is not there to send in.
      return isMark ? lessTime(result, inHand.heard.nowMs - (known.store?.nowMs ?? 0)) : result;
    },
  });
  const writing = recordLedger(storeOf({}));

  const strict = recordLedger(storeOf({ isStrict: true }));
  const ofHand = recordLedger(storeOf({ isOfHand: true }));
  const claim = claims({ send, memory: inHand, claim: writing.claim });

  const ledger: Ledger = {
    capabilities: { shared: true, durable: true, transactions: false, file: null },
    ...writing,
    add: recordLedger(storeOf({ makesDeliveries: true })).add,
    accept: strict.accept,
    seal: strict.seal,
    async claim(selector, lease) {
      await open();
      const verdicts = await claim(selector, lease);
      await keepHouse().catch(tellOnce);
      return verdicts;
    },
    mark: recordLedger(storeOf({ isStrict: true, isOfHand: true, isMark: true })).mark,
    settle: ofHand.settle,
    renew: ofHand.renew,
    release: ofHand.release,
    cancel: strict.cancel,
    // Once to have it stand, and once more to see what was marked by those who had not seen it.
    suppress: async (batch) => {
      await writing.suppress(batch);
      return strict.suppress(batch);
    },
    ...reading(async (script, args) => {
      await open();
      return send(script, args);
    }),
    close() {
      isClosed = true;
      return Promise.resolve();
    },
  };
  return checked.wakes === null ? ledger : announcing(ledger, redisBell(checked.wakes, { ...checked, send }));
}

function lessTime<T>(verdicts: T, ms: number): T {
  if (ms <= 0) return verdicts;
  const less = (verdict: MarkVerdict): MarkVerdict =>
    verdict.kind === 'go' ? { ...verdict, sendWithinMs: verdict.sendWithinMs - ms } : verdict;
  return (verdicts as readonly MarkVerdict[]).map(less) as T;
}

/**
 * Says that the data were put back from a copy while Redis was running (a restart is seen), so that what it forgot may have been sent:
 * nothing moves for `quarantineMs` (at least the longest dispatch window plus the queue's visibility), then every delivery that is not
 * settled counts as unknown. Call it before a worker starts; a second call starts the quarantine again.
 */
export async function markRestored(options: RedisLedgerOptions, quarantineMs: number): Promise<void> {
  const checked = checkedOptions(options);
  const send = sending(checked.client, checked.name);
  const store = redisStore({ ...checked, send, onMemory: () => undefined, memory: remembered() });
  const acting = { ...checked, store, crowd: { lanes: 1 }, makesDeliveries: false };
  await transact((records) => records.epochs.begin(records.now(), quarantineMs), {}, acting);
}
