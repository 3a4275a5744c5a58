import { holdOfDelivery, holdOfNotification, tombstone } from '../model/steps/forget.ts';
import type { ForgetRequest, ForgetVerdict, Ledger } from '../ports/ledger.ts';
import { enter } from './reckoning.ts';
import type { NotificationEntry, Records, RecordStore, Ref } from './store.ts';

/** Notifications that one transaction forgets at most, and how many deliveries such a one may have: more are forgotten in turns. */
const FEW = 20;
const SMALL = 50;
/** Deliveries that one turn looks at. */
const TURN = 1_000;

/** Not all of its deliveries were looked at. */
type Unfinished = { readonly kind: 'unfinished' };
const UNFINISHED: Unfinished = { kind: 'unfinished' };

export function forgetting(store: RecordStore): Pick<Ledger, 'forget'> {
  return {
    async forget(batch) {
      const verdicts: ForgetVerdict[] = [];
      for (let from = 0; from < batch.length; from += FEW) {
        const some = batch.slice(from, from + FEW);
        const first = await store.transact((records) => {
          const now = enter(records);
          return some.map((request) => forget(records, request, now, SMALL));
        });
        for (const [i, verdict] of first.entries())
          verdicts.push(verdict.kind === 'unfinished' ? await inTurns(store, some[i] as ForgetRequest) : verdict);
      }
      return verdicts;
    },
  };
}

/** First all of its deliveries are looked at, so that one that is held loses nothing; then they go, and the notification with the last. */
async function inTurns(store: RecordStore, request: ForgetRequest): Promise<ForgetVerdict> {
  for (let after: string | null = null; ;) {
    const seen: ForgetVerdict | { readonly next: string | null } = await store.transact((records) => {
      const now = enter(records);
      const found = standing(records, request, now);
      return 'kind' in found ? found : look(records, found.entry, { after, most: TURN, before: found.before });
    });
    if ('kind' in seen) return seen;
    if (seen.next === null) break;
    after = seen.next;
  }
  for (;;) {
    const verdict = await store.transact((records) => forgetTurn(records, request, enter(records)));
    if (verdict.kind !== 'unfinished') return verdict;
  }
}

/** A whole notification, if it has no more than `most` deliveries. */
function forget(records: Records, request: ForgetRequest, now: number, most: number): ForgetVerdict | Unfinished {
  const found = standing(records, request, now);
  if ('kind' in found) return found;
  const seen = look(records, found.entry, { after: null, most, before: found.before });
  if ('kind' in seen) return seen;
  return seen.next === null ? bury(records, found.entry, seen.refs, now) : UNFINISHED;
}

/** The next of its deliveries; what has changed since they were looked at is held all the same. */
function forgetTurn(records: Records, request: ForgetRequest, now: number): ForgetVerdict | Unfinished {
  const found = standing(records, request, now);
  if ('kind' in found) return found;
  const seen = look(records, found.entry, { after: null, most: TURN, before: found.before });
  if ('kind' in seen) return seen;
  if (seen.next === null) return bury(records, found.entry, seen.refs, now);
  for (const ref of seen.refs) records.deliveries.remove(ref);
  return UNFINISHED;
}

function bury(records: Records, entry: NotificationEntry, refs: readonly Ref[], now: number): ForgetVerdict {
  for (const ref of refs) records.deliveries.remove(ref);
  const record = tombstone(entry.record, now);
  records.notifications.bury(entry, record);
  return { kind: 'forgotten', record };
}

/** The notification, where it may go as far as it is concerned itself. */
function standing(
  { notifications, epochs }: Records,
  { id, settledForMs }: ForgetRequest,
  now: number,
): ForgetVerdict | { readonly entry: NotificationEntry; readonly before: number } {
  const entry = notifications.get(id);
  if (entry === undefined) return { kind: 'absent' };
  const { record } = entry;
  if (record.forgottenAt !== undefined) return { kind: 'forgotten', record };
  const before = now - settledForMs;
  const hold = epochs.quarantineMs(now) > 0 ? 'quarantine' : holdOfNotification(record, before);
  return hold === null ? { entry, before } : { kind: 'open', hold, deliveryId: null };
}

interface Looking {
  /** Where the last look ended; null: at the first. */
  readonly after: string | null;
  readonly most: number;
  readonly before: number;
}

/** Some of its deliveries, none of which holds it, and where to go on; null: these were the last. */
function look(
  { notifications, deliveries }: Records,
  entry: NotificationEntry,
  { after, most, before }: Looking,
): ForgetVerdict | { readonly refs: readonly Ref[]; readonly next: string | null } {
  const { refs, next } = notifications.someDeliveriesOf(entry, after, most);
  for (const ref of refs) {
    const record = deliveries.at(ref);
    if (record === undefined) return { kind: 'open', hold: 'unreadable', deliveryId: null };
    const hold = holdOfDelivery(record, before);
    if (hold !== null) return { kind: 'open', hold, deliveryId: record.id };
  }
  return { refs, next };
}
