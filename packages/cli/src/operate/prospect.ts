import { isDeadLetter, type DeliveryRecord, type OperatorNote } from '@sendonce/core';
import { steps } from '@sendonce/core/internal';
import type { DeadLetterState } from './letter-filter.ts';

export interface Terms extends OperatorNote {
  readonly states: readonly DeadLetterState[];
  readonly force: boolean;
}

/** What replaying one delivery would come to, as far as it can be told from its record. */
export type Prospect =
  | { readonly kind: 'chosen'; readonly possibleDuplicate: boolean }
  /** `isIncluded`: its state is one of those that were asked for. */
  | { readonly kind: 'already-replayed'; readonly as: string; readonly isIncluded: boolean }
  | { readonly kind: 'not-included'; readonly state: DeadLetterState }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * By the very step that the ledger takes, so that the plan says what will happen. Only an opt-out is not seen here: no port reads it.
 * `now`: of this machine; the store's clock decides.
 */
export function prospectOf(
  record: DeliveryRecord,
  { states, force, by, why }: Terms,
  facts: { readonly notificationCancelled: boolean; readonly now: number },
): Prospect {
  const state = record.state as DeadLetterState;
  const isIncluded = states.includes(state);
  if (record.replacedBy !== null) return { kind: 'already-replayed', as: record.replacedBy, isIncluded };
  if (isDeadLetter(record.state) && !isIncluded) return { kind: 'not-included', state };
  const request = { id: record.id, forced: force, automatic: false, by, why };
  const { notificationCancelled, now } = facts;
  const outcome = steps.replay(record, request, { notificationCancelled, suppressed: false }, now);
  switch (outcome.kind) {
    case 'replayed':
      return { kind: 'chosen', possibleDuplicate: outcome.possibleDuplicate };
    case 'repeated':
      return { kind: 'already-replayed', as: outcome.id, isIncluded };
    case 'refused':
      return outcome;
  }
}
