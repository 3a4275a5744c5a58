import fc from 'fast-check';
import {
  providerKey,
  type Ledger,
  type Next,
  type Outcome,
  type ReconcileDecision,
  type SweepResult,
} from '@sendonce/core';
import { byId } from './same.ts';
import { nthLast } from './known.ts';
import { ALL, batchOf, choices, heldOf, LEASE_UNITS, leaseOf } from './drawing.ts';
import { step, type Step } from './step.ts';

/** Ages and delays on both sides of what they are held against, and a few of everything else. */
const several: fc.Arbitrary<number> = fc.nat({ max: 4 });
const KEY_WINDOW_UNITS = 60;
const DISPATCH_UNITS = 20;

const claim: fc.Arbitrary<Step> = fc
  .record({ which: fc.option(choices), owner: several, ageUnits: several, isUnheard: fc.boolean(), lateUnits: several })
  .map(({ which, owner, ageUnits, isUnheard, lateUnits }) =>
    step((known, unitMs) => {
      const lease = leaseOf(known, owner, unitMs);
      const drawn = which && batchOf(which.map((n) => nthLast(known.deliveries, n)));
      // A wake of something that nobody has written (yet), and the same twice in a batch.
      const ids = drawn && (isUnheard ? [...drawn, 'd_nowhere', drawn[0] ?? ''] : drawn);
      const selector =
        ids === null
          ? { due: ALL, lateMs: lateUnits * unitMs }
          : { ids, strayAfterMs: 2 * unitMs, agesMs: ids.map(() => ageUnits * unitMs) };
      return {
        words: ids === null ? 'claim what is due' : `claim ${ids.length}`,
        make: async (ledger) => {
          const verdicts = await ledger.claim(selector, lease);
          return ids === null ? byId(verdicts) : verdicts;
        },
        learn: (verdicts, now) => {
          now.claims += 1;
          for (const verdict of verdicts)
            if (verdict.kind === 'granted')
              now.grants.push({ id: verdict.id, fence: verdict.fence, provider: verdict.record.provider });
        },
      };
    }),
  );

const mark: fc.Arbitrary<Step> = fc
  .record({ which: choices, provider: several, isKeyed: fc.boolean(), text: several })
  .map(({ which, provider, isKeyed, text }) =>
    step((known, unitMs) => {
      const held = batchOf(which.map((n) => nthLast(known.grants, n)));
      if (held === null) return null;
      const batch = held.map((grant) => {
        const name = provider === 3 ? 'second' : grant.provider;
        return {
          id: grant.id,
          fence: grant.fence,
          provider: name,
          key: providerKey(grant.id, name),
          keyWindowMs: isKeyed ? KEY_WINDOW_UNITS * unitMs : null,
          message: { subject: `Order ${text}`, text: 'On its way.' },
          dispatchMs: DISPATCH_UNITS * unitMs,
          sendMarginMs: unitMs,
        };
      });
      return {
        words: `mark ${batch.length}`,
        make: (ledger) => ledger.mark(batch),
        learn: (verdicts, now) => {
          verdicts.forEach((verdict, i) => {
            const request = batch[i];
            if (verdict.kind !== 'go' || request === undefined) return;
            now.marks.push({
              id: request.id,
              fence: request.fence,
              provider: request.provider,
              attempt: verdict.attempt,
            });
          });
        },
      };
    }),
  );

function outcomeOf(kind: number, id: string): { readonly outcome: Outcome; readonly next: Next } {
  switch (kind) {
    case 0:
      return { outcome: { kind: 'accepted', providerMessageId: `m-${id}` }, next: { kind: 'sent' } };
    case 1:
      return {
        outcome: { kind: 'unknown', reason: 'no answer' },
        next: { kind: 'unknown', reconcileInMs: 0, reason: 'no answer' },
      };
    case 2: {
      const reason = 'refused';
      return { outcome: { kind: 'rejected', scope: 'destination', reason }, next: { kind: 'failed', reason } };
    }
    case 3:
      return {
        outcome: { kind: 'deferred', reason: 'busy' },
        next: { kind: 'retry', delayMs: 1_000, provider: 'first', reason: 'busy' },
      };
    default:
      return {
        outcome: { kind: 'not-sent', reason: 'refused' },
        next: { kind: 'retry', delayMs: 0, provider: 'second', reason: 'refused' },
      };
  }
}

const settle: fc.Arbitrary<Step> = fc.record({ which: choices, kind: fc.nat({ max: 4 }) }).map(({ which, kind }) =>
  step((known) => {
    const marked = batchOf(which.map((n) => nthLast(known.marks, n)));
    if (marked === null) return null;
    const batch = marked.map((each) => ({
      ...each,
      key: providerKey(each.id, each.provider),
      ...outcomeOf(kind, each.id),
      refund: kind === 3,
    }));
    return {
      words: `settle ${batch.length} as ${batch[0]?.outcome.kind}`,
      make: (ledger) => ledger.settle(batch),
    };
  }),
);

const release: fc.Arbitrary<Step> = fc
  .record({ which: choices, delayUnits: several, isFailure: fc.boolean(), isRouting: fc.boolean() })
  .map(({ which, delayUnits, isFailure, isRouting }) =>
    step((known, unitMs) => {
      const held = heldOf(known, which, isRouting);
      if (held === null) return null;
      const batch = held.map(({ id, fence }) => ({
        id,
        fence,
        delayMs: delayUnits * unitMs,
        failure: isFailure ? 'threw' : null,
      }));
      return { words: `release ${batch.length}`, make: (ledger) => ledger.release(batch) };
    }),
  );

const renew: fc.Arbitrary<Step> = fc.record({ which: choices, isRouting: fc.boolean() }).map(({ which, isRouting }) =>
  step((known, unitMs) => {
    const held = heldOf(known, which, isRouting);
    if (held === null) return null;
    const batch = held.map(({ id, fence }) => ({ id, fence }));
    return {
      words: `renew ${batch.length}`,
      make: (ledger) => ledger.renew(batch, LEASE_UNITS * unitMs),
      isRepeatable: false,
    };
  }),
);

const sweep: fc.Arbitrary<Step> = fc.constant(
  step((_known, unitMs) => ({
    words: 'sweep',
    make: (ledger) => sweepAll(ledger, LEASE_UNITS * unitMs),
    learn: ({ unknown }, known) =>
      void known.unknown.push(...unknown.map(({ id, fence, provider }) => ({ id, fence, provider }))),
    isRepeatable: false,
  })),
);

/** Until nothing is left to be found: what one sweep moved may be handed out by the same, or by the next. */
async function sweepAll(ledger: Ledger, reconcileLeaseMs: number): Promise<SweepResult> {
  for (let all = await ledger.sweep({ max: ALL, reconcileLeaseMs }); ;) {
    const { moved, ended, unknown, ...more } = await ledger.sweep({ max: ALL, reconcileLeaseMs });
    const isOver = moved.length + ended.length + unknown.length === 0;
    all = {
      ...more,
      moved: byId([...all.moved, ...moved]),
      ended: byId([...all.ended, ...ended]),
      unknown: byId([...all.unknown, ...unknown]),
    };
    if (isOver) return all;
  }
}

function decisionOf(kind: number, provider: string): ReconcileDecision {
  const retry: Next = { kind: 'retry', delayMs: 0, provider, reason: 'never arrived' };
  const decisions: readonly ReconcileDecision[] = [
    { kind: 'found', attempt: 1, providerMessageId: 'found' },
    { kind: 'absent', provider, next: retry },
    { kind: 'absent', provider, next: { kind: 'failed', reason: 'never arrived' } },
    { kind: 'replay', provider, delayMs: 0 },
    { kind: 'declare', declaration: 'resend', provider, delayMs: 0 },
    { kind: 'declare', declaration: 'failover', provider: 'second', delayMs: 0 },
    { kind: 'assume-sent', reason: 'the class says so' },
    { kind: 'park', reason: 'nobody can tell' },
    { kind: 'wait', delayMs: 1_000 },
  ];
  return decisions[kind % decisions.length] ?? { kind: 'wait', delayMs: 0 };
}

const reconcile: fc.Arbitrary<Step> = fc.record({ which: choices, kind: fc.nat({ max: 8 }) }).map(({ which, kind }) =>
  step((known) => {
    const read = batchOf(which.map((n) => nthLast(known.unknown, n)));
    if (read === null) return null;
    const batch = read.map(({ id, fence, provider }) => ({ id, fence, decision: decisionOf(kind, provider) }));
    return {
      words: `reconcile by ${batch[0]?.decision.kind}`,
      make: (ledger) => ledger.reconcile(batch),
      isRepeatable: batch[0]?.decision.kind !== 'wait',
    };
  }),
);

/** Sent again by a client that never had an answer, at once or long after. */
const again: fc.Arbitrary<Step> = several.map((which) =>
  step((known) => {
    const call = nthLast(known.calls, which);
    return call === undefined
      ? null
      : {
          words: 'a late copy of an earlier call',
          make: async (ledger) => void (await call(ledger)),
          isRepeatable: false,
        };
  }),
);

/** What workers and reconcilers do. */
export const DELIVERING: readonly fc.Arbitrary<Step>[] = [
  ...[claim, claim, claim, mark, mark, mark, settle, settle, settle],
  ...[release, renew, sweep, sweep, reconcile, reconcile, again, again],
];
