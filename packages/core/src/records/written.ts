import { isAccepted } from '../model/attempts.ts';
import { isSettled, type DeliveryRecord, type DeliveryState } from '../model/delivery.ts';
import { witness } from '../model/steps/evidence.ts';
import type { Evidence } from '../ports/ledger.ts';
import { messageKey } from './evidence-keys.ts';
import { guarded } from './guarded.ts';
import type { Records, Ref } from './store.ts';

/** What a store keeps sums of. */
export interface Sums {
  delivery(state: DeliveryState, change: 1 | -1): void;
  assumed(change: number): void;
}

/** Adds up what one write changes. Null: there was, or is now, no record. */
export function addUp(sums: Sums, before: DeliveryRecord | null, after: DeliveryRecord | null): void {
  if (before !== null && after !== null && before.state === after.state && before.assumed === after.assumed) return;
  if (before !== null) sums.delivery(before.state, -1);
  if (after !== null) sums.delivery(after.state, 1);
  const change = Number(after?.assumed ?? false) - Number(before?.assumed ?? false);
  if (change !== 0) sums.assumed(change);
}

/** By how many a write changes the number of its notification's open deliveries. */
export function openChange(before: DeliveryRecord | null, after: DeliveryRecord | null): number {
  return openOf(after) - openOf(before);
}

function openOf(record: DeliveryRecord | null): number {
  return record === null || isSettled(record.state) ? 0 : 1;
}

/** Whether the write belongs in the delivery's story. */
export function isMove(before: DeliveryRecord | null, after: DeliveryRecord): boolean {
  return before?.state !== after.state || before.fence !== after.fence;
}

/** Providers' messages that this write made known as the delivery's, as `messageKey` names them. */
export function learnedMessages(
  before: Pick<DeliveryRecord, 'attempts'> | null,
  after: Pick<DeliveryRecord, 'attempts'>,
): readonly string[] {
  if (before?.attempts === after.attempts || after.attempts.length === 0) return NONE;
  const keys: string[] = [];
  after.attempts.forEach((attempt, i) => {
    const { provider, outcome } = attempt;
    const old = before?.attempts[i];
    if (attempt === old || outcome?.kind !== 'accepted' || (old !== undefined && isAccepted(old))) return;
    keys.push(messageKey(provider, outcome.providerMessageId));
  });
  return keys;
}
const NONE: readonly string[] = [];

/** What `matchKept` needs of a store. */
export interface Matching {
  now(): number;
  readonly kept: { takeFor(record: DeliveryRecord): readonly Evidence[] };
  readonly counted: Pick<Records, 'countRefusedMove'>;
  update(ref: Ref, before: DeliveryRecord, after: DeliveryRecord, by: string): DeliveryRecord;
}

/** Evidence that waited for what was just written moves it on at once (PROTOCOL rule 11). Answers the record that stands. */
export function matchKept(store: Matching, ref: Ref, written: DeliveryRecord): DeliveryRecord {
  let standing = written;
  for (const evidence of store.kept.takeFor(written)) {
    const step = guarded(store.counted, () => witness(standing, evidence, store.now()));
    if (step !== null) standing = store.update(ref, standing, step.record, 'evidence');
  }
  return standing;
}
