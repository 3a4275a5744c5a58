import type { Ledger, LedgerWakes, NotificationRecord } from '@sendonce/core';
import { isFields, type Rule } from '@sendonce/core/internal';
import type { Ringing } from './ringing.ts';

export interface Bell extends Ringing {
  readonly listen: LedgerWakes['listen'];
}

/** Of the option `wakes: { client }`: what makes the connection that listens. */
export function wakesRule(must: string): Rule {
  const fits = (value: unknown): boolean =>
    value === null || (isFields(value) && typeof value['client'] === 'function');
  return { must, fits, hidden: true };
}

/**
 * The ledger with wakes: whatever made work due at once is told to others, once it is written. An `accept` within a transaction is not, since
 * nobody here sees when that commits.
 */
export function announcing(ledger: Ledger, bell: Bell): Ledger {
  const telling = <T>(answer: T, isDue: boolean): T => {
    if (isDue) bell.ring();
    return answer;
  };
  return {
    ...ledger,
    capabilities: { ...ledger.capabilities, wakes: { listen: bell.listen } },
    async accept(batch, options) {
      const verdicts = await ledger.accept(batch, options);
      const isDue = verdicts.some(({ kind, record }) => kind === 'accepted' && isClaimable(record));
      return telling(verdicts, isDue && options?.transaction === undefined);
    },
    async seal(batch) {
      const verdicts = await ledger.seal(batch);
      // A router that seals has the lease still, and hears of it by its answer.
      return telling(
        verdicts,
        verdicts.some(
          (verdict, at) => verdict.kind === 'stored' && batch[at]?.last === true && batch[at].fence === null,
        ),
      );
    },
    async add(batch) {
      const verdicts = await ledger.add(batch);
      return telling(
        verdicts,
        verdicts.some((verdict) => verdict.kind === 'added' && verdict.inserted.length > 0),
      );
    },
    async release(batch) {
      const verdicts = await ledger.release(batch);
      return telling(
        verdicts,
        verdicts.some(({ kind }, at) => kind === 'ok' && batch[at]?.delayMs === 0),
      );
    },
    async replay(batch) {
      const verdicts = await ledger.replay(batch);
      return telling(
        verdicts,
        verdicts.some(({ kind }) => kind === 'replayed'),
      );
    },
    async close() {
      await bell.close();
      await ledger.close();
    },
  };
}

/** Just accepted, and nothing to wait for: neither its time nor its recipients. */
function isClaimable({ recipients, sealed, dueAt, acceptedAt }: NotificationRecord): boolean {
  return (sealed || recipients === 'route') && dueAt <= acceptedAt;
}
