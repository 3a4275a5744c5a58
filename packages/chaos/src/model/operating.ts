import fc from 'fast-check';
import type { Evidence } from '@sendonce/core';
import { batchOf, choices, few } from './drawing.ts';
import { nthLast } from './known.ts';
import { step, type Step } from './step.ts';

const NOTE = { by: 'an operator', why: 'a run' };
const KINDS: readonly Evidence['kind'][] = ['accepted', 'rejected', 'delivered', 'bounced', 'undeliverable', 'other'];

const record: fc.Arbitrary<Step> = fc
  .record({ which: few, kind: fc.nat({ max: 5 }), by: few })
  .map(({ which, kind, by }) =>
    step((known) => {
      const marked = nthLast(known.marks, which);
      if (marked === undefined) return null;
      const { id, provider } = marked;
      const evidence: Evidence = {
        deliveryId: by === 1 ? null : id,
        provider,
        providerMessageId: by === 0 ? null : `m-${id}`,
        kind: KINDS[kind] ?? 'other',
        at: 0,
        detail: null,
      };
      return { words: `${evidence.kind} by an event`, make: (ledger) => ledger.record([evidence]) };
    }),
  );

const cancel: fc.Arbitrary<Step> = fc.record({ which: few, isAll: fc.boolean() }).map(({ which, isAll }) =>
  step((known) => {
    const id = nthLast(isAll ? known.notifications : known.deliveries, which);
    if (id === undefined) return null;
    return {
      words: isAll ? 'cancel a notification' : 'cancel a delivery',
      make: async (ledger) => {
        const verdicts = await ledger.cancel([{ id, ...NOTE }]);
        return verdicts.map((verdict) =>
          'tooLate' in verdict ? { ...verdict, tooLate: [...verdict.tooLate].sort() } : verdict,
        );
      },
    };
  }),
);

const suppress: fc.Arbitrary<Step> = fc
  .record({ who: few, isTopic: fc.boolean(), suppressed: fc.boolean() })
  .map(({ who, isTopic, suppressed }) =>
    step(() => ({
      words: suppressed ? `opt r${who} out` : `opt r${who} in`,
      make: async (ledger) => {
        const topic = isTopic ? 'orders' : '*';
        const recipientId = `r${who}@example.com`;
        const [verdict] = await ledger.suppress([
          { tenant: 'default', recipientId, topic, channel: '*', suppressed, ...NOTE },
        ]);
        return [...(verdict?.tooLate ?? [])].sort();
      },
    })),
  );

const block: fc.Arbitrary<Step> = fc.record({ blocked: fc.boolean(), isAll: fc.boolean() }).map(({ blocked, isAll }) =>
  step((_known, unitMs) => ({
    words: blocked ? 'pause' : 'resume',
    make: (ledger) => ledger.block([{ scope: isAll ? 'all' : 'provider:first', blocked, recheckMs: unitMs, ...NOTE }]),
  })),
);

const replay: fc.Arbitrary<Step> = fc
  .record({ which: few, forced: fc.boolean(), automatic: fc.boolean() })
  .map(({ which, forced, automatic }) =>
    step((known) => {
      const id = nthLast(known.deliveries, which);
      if (id === undefined) return null;
      return {
        words: 'replay',
        make: (ledger) => ledger.replay([{ id, forced, automatic, ...NOTE }]),
        learn: ([verdict], { deliveries }) => {
          if (verdict?.kind === 'replayed' && !deliveries.includes(verdict.id)) deliveries.push(verdict.id);
        },
      };
    }),
  );

const forget: fc.Arbitrary<Step> = fc
  .record({ which: choices, settledForUnits: fc.constantFrom(0, 0, 5, 30) })
  .map(({ which, settledForUnits }) =>
    step((known, unitMs) => {
      const ids = batchOf(which.map((n) => nthLast(known.notifications, n)));
      if (ids === null) return null;
      const batch = ids.map((id) => ({ id, settledForMs: settledForUnits * unitMs }));
      return {
        words: `forget ${ids.length}`,
        // Of several that hold it each ledger looks at another one first.
        make: async (ledger) =>
          (await ledger.forget(batch)).map((verdict) => (verdict.kind === 'open' ? { kind: verdict.kind } : verdict)),
      };
    }),
  );

/** What events and operators do. */
export const OPERATING: readonly fc.Arbitrary<Step>[] = [
  ...[record, record, cancel, suppress, block, replay, replay],
  ...[forget, forget],
];
