import { SendonceError, type DeliveryVerdict, type Ledger } from '@sendonce/core';
import { recordLedger, type RecordStore } from '@sendonce/core/records';
import type { Memory } from '../ahead/memory.ts';
import { transact, type Transacting } from '../ahead/transact.ts';
import { announcing } from '../wakes/announcing.ts';
import { unavailable } from './failures.ts';
import { MOST_AT_ONCE } from './grant-statement.ts';
import { grantDue } from './granting.ts';
import { housekeeping } from './housekeeping.ts';
import { inJoined } from './joined.ts';
import { openSchema } from './open.ts';
import type { CheckedOptions } from './options.ts';
import { reading } from './reading.ts';
import { postgresStore } from './store.ts';
import { postgresBell } from './wakes.ts';

/**
 * The ledger in a schema. `memory`: what its calls may take from there instead of reading it; null: every call reads, decides and writes,
 * which is what the others have to come to as well.
 */
export function ledgerOn(given: CheckedOptions, memory: Memory | null): Ledger {
  const checked = { ...given, store: postgresStore(given, memory), crowd: { lanes: 1 }, makesDeliveries: false };
  const { query, schema, name } = checked;
  const bell = checked.wakes === null ? null : postgresBell(checked.wakes, checked);
  let opening: Promise<string> | null = null;
  let ownKey: string | null = null;
  let isClosed = false;
  let told = '';

  /** What was decided stands, whatever becomes of the housekeeping; but sizes grow where it never succeeds. */
  function tellOnce(error: unknown): void {
    const { message } = unavailable(error, name);
    if (message !== told) checked.warn(`housekeeping failed and is tried again: ${message}`);
    told = message;
  }

  async function open(): Promise<void> {
    if (isClosed) throw new SendonceError('LEDGER_UNAVAILABLE', `the ledger in schema '${name}' is closed`);
    // One for all first calls, however many come at once; after a failure the next call tries again.
    ownKey ??= await (opening ??= openSchema(checked).finally(() => (opening = null)));
  }

  const storeOf = (
    how: Pick<Transacting, 'recalls' | 'makesNotifications'> & { makesDeliveries?: boolean },
  ): RecordStore => ({
    async transact(work, about = {}) {
      if (about.join !== undefined) return inJoined(about.join, work, { about, options: checked, ownKey, bell });
      await open();
      const { result, run } = await transact(work, about, { ...checked, ...how, memory });
      if (run.wantsHousekeeping) await keepHouse().catch(tellOnce);
      return result;
    },
  });
  const writing = recordLedger(storeOf({}));
  const inHand = recordLedger(storeOf({ recalls: true }));
  const keepHouse = housekeeping({ ...checked, record: (batch) => writing.record(batch) });

  /** Null: it has to be claimed by the steps alone. */
  async function claimAtOnce(
    ...[selector, lease]: Parameters<Ledger['claim']>
  ): Promise<readonly DeliveryVerdict[] | null> {
    if (memory === null || 'ids' in selector || selector.due < 1 || selector.due > MOST_AT_ONCE) return null;
    await open();
    const granted = await grantDue(selector, lease, { ...checked, memory }).catch((error: unknown) => {
      throw unavailable(error, name);
    });
    if (granted?.wantsHousekeeping === true) await keepHouse().catch(tellOnce);
    return granted?.verdicts ?? null;
  }

  const ledger: Ledger = {
    capabilities: { shared: true, durable: true, transactions: true, file: null },
    ...writing,
    accept: recordLedger(storeOf({ recalls: true, makesNotifications: true })).accept,
    add: recordLedger(storeOf({ recalls: true, makesDeliveries: true })).add,
    claim: async (selector, lease) => (await claimAtOnce(selector, lease)) ?? writing.claim(selector, lease),
    mark: inHand.mark,
    settle: inHand.settle,
    renew: inHand.renew,
    release: inHand.release,
    // Once to have it stand, and once more to see what was marked by those who had not seen it.
    suppress: async (batch) => {
      await writing.suppress(batch);
      return writing.suppress(batch);
    },
    ...reading(async (text, values) => {
      await open();
      return query(text, values).catch((error: unknown) => {
        throw unavailable(error, name);
      });
    }, schema),
    close() {
      isClosed = true;
      return Promise.resolve();
    },
  };
  return bell === null ? ledger : announcing(ledger, bell);
}
