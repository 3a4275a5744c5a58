import { notificationId, type DeliveryRecord, type Ledger } from '@sendonce/core';
import fc from 'fast-check';
import { expanded, markOf, newDelivery, newNotification, settleOf, targetOf } from '../support.ts';
import type { ClockedSchema } from './subject.ts';

/** One random step of a history. Deliveries and grants are named by number: each ledger has fences of its own. */
export type Step =
  | { readonly kind: 'claim'; readonly due: number; readonly leaseMs: number; readonly again: boolean }
  | { readonly kind: 'claim-ids'; readonly which: readonly number[] }
  | { readonly kind: 'mark' | 'renew'; readonly which: readonly number[] }
  | { readonly kind: 'settle'; readonly which: readonly number[]; readonly as: Outcome }
  | { readonly kind: 'release'; readonly which: readonly number[]; readonly delayMs: number }
  | { readonly kind: 'elapse'; readonly ms: number }
  | { readonly kind: 'suppress'; readonly which: number; readonly suppressed: boolean }
  | { readonly kind: 'block'; readonly blocked: boolean }
  | { readonly kind: 'cancel' | 'evidence'; readonly which: number }
  | { readonly kind: 'round'; readonly as: Outcome }
  | { readonly kind: 'sweep' }
  | { readonly kind: 'publish'; readonly key: number };

type Outcome = 'accepted' | 'rejected' | 'deferred' | 'not-sent' | 'unknown';

const RECIPIENTS = 5;
const index = fc.nat({ max: RECIPIENTS - 1 });
const some = fc.uniqueArray(index, { minLength: 1, maxLength: 3 });
const ofKind = <Kind extends string, Rest extends object>(
  kind: Kind,
  rest: { [K in keyof Rest]: fc.Arbitrary<Rest[K]> },
) => fc.record({ kind: fc.constant(kind), ...rest }) as fc.Arbitrary<{ kind: Kind } & Rest>;

/** By which of two processes, of which one may remember what the other has changed since. */
export type Turn = Step & { readonly by: 0 | 1 };

const ANY: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: ofKind('claim', {
      due: fc.integer({ min: 1, max: 6 }),
      leaseMs: fc.constantFrom(2_000, 30_000),
      again: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: ofKind('round', { as: fc.constantFrom<Outcome>('accepted', 'deferred', 'not-sent', 'unknown') }),
  },
  { weight: 6, arbitrary: ofKind('mark', { which: some }) },
  {
    weight: 6,
    arbitrary: ofKind('settle', {
      which: some,
      as: fc.constantFrom<Outcome>('accepted', 'accepted', 'rejected', 'deferred', 'not-sent', 'unknown'),
    }),
  },
  { weight: 2, arbitrary: ofKind('release', { which: some, delayMs: fc.constantFrom(0, 1_000) }) },
  { weight: 1, arbitrary: ofKind('renew', { which: some }) },
  // Never by less than what a remembered moment may be behind: the two would be right at different moments.
  { weight: 2, arbitrary: ofKind('elapse', { ms: fc.constantFrom(1_000, 5_000, 70_000) }) },
  { weight: 1, arbitrary: ofKind('claim-ids', { which: some }) },
  { weight: 1, arbitrary: ofKind('suppress', { which: index, suppressed: fc.boolean() }) },
  { weight: 1, arbitrary: ofKind('block', { blocked: fc.boolean() }) },
  { weight: 1, arbitrary: ofKind('cancel', { which: index }) },
  { weight: 1, arbitrary: ofKind('evidence', { which: index }) },
  { weight: 1, arbitrary: ofKind('sweep', {}) },
  { weight: 1, arbitrary: ofKind('publish', { key: fc.nat({ max: 2 }) }) },
);

export const TURNS: fc.Arbitrary<Turn> = fc
  .tuple(ANY, fc.constantFrom<0 | 1>(0, 0, 0, 1))
  .map(([step, by]) => ({ ...step, by }));

/** One ledger that lives through a history. */
export interface Actor {
  begin(): Promise<void>;
  /** The answer, without what differs from ledger to ledger. */
  take(turn: Turn): Promise<unknown>;
  all(): Promise<unknown>;
}

export function actorOn(processes: readonly [Ledger, Ledger], { elapse }: Pick<ClockedSchema, 'elapse'>): Actor {
  const [ledger] = processes;
  let ids: readonly string[] = [];
  const fences = new Map<string, number>();
  const seen = new Map<number, number>();
  let requests = 0;
  let published = 0;
  let begunAt = 0;

  /** Fences by the order in which they were met; schemas are used again, and their clocks go on. */
  function told(answer: unknown): unknown {
    return JSON.parse(
      JSON.stringify(answer, (name, value: unknown) => {
        if (typeof value !== 'number' || value === 0) return value;
        // A moment: since the beginning.
        if (name !== 'fence') return Math.abs(value - begunAt) < 3_600_000 ? value - begunAt : value;
        if (!seen.has(value)) seen.set(value, seen.size + 1);
        return seen.get(value);
      }),
    );
  }

  async function heldOf(
    which: readonly number[],
  ): Promise<readonly { id: string; fence: number; record: DeliveryRecord }[]> {
    // Of those that were granted at some time, if there are any.
    const among = fences.size === 0 ? ids : [...fences.keys()];
    const records = await ledger.find([...new Set(which.map((i) => among[i % among.length] ?? ''))]);
    return records.flatMap((record) =>
      record === null ? [] : [{ id: record.id, fence: fences.get(record.id) ?? 1, record }],
    );
  }

  const next = {
    accepted: { kind: 'sent' },
    rejected: { kind: 'failed', reason: 'a "bad" address' },
    deferred: { kind: 'retry', delayMs: 1_000, provider: 'smtp', reason: 'busy, "updatedAt":1' },
    'not-sent': { kind: 'retry', delayMs: 0, provider: 'smtp', reason: 'refused \\ "reason":"x"' },
    unknown: { kind: 'unknown', reconcileInMs: 1_000, reason: 'reset' },
  } as const;

  async function take(step: Step, ledger: Ledger): Promise<unknown> {
    switch (step.kind) {
      case 'claim':
      case 'claim-ids': {
        if (!('again' in step && step.again)) requests += 1;
        const lease = {
          owner: `w${requests % 2}`,
          requestId: `q${requests}`,
          leaseMs: 'leaseMs' in step ? step.leaseMs : 30_000,
        };
        const which = 'which' in step ? step.which.map((i) => ids[i] ?? '') : [];
        const selector =
          step.kind === 'claim'
            ? { due: step.due, lateMs: 0 }
            : { ids: which, agesMs: which.map(() => 0), strayAfterMs: 1_000 };
        const verdicts = await ledger.claim(selector, lease);
        for (const each of verdicts) if (each.kind === 'granted') fences.set(each.id, each.fence);
        return verdicts;
      }
      case 'mark':
        return ledger.mark((await heldOf(step.which)).map(({ id, fence }) => markOf(id, fence)));
      case 'renew':
        return ledger.renew(await heldOf(step.which), 30_000);
      case 'settle':
        return ledger.settle(
          (await heldOf(step.which)).map(({ id, fence, record }) => ({
            ...settleOf(id, fence, record.attempts.length),
            outcome:
              step.as === 'accepted'
                ? { kind: 'accepted' as const, providerMessageId: `m-${id}` }
                : { kind: step.as, reason: next[step.as].reason },
            next: next[step.as],
            refund: step.as === 'deferred',
          })) as Parameters<Ledger['settle']>[0],
        );
      case 'release': {
        const held = await heldOf(step.which);
        return ledger.release(held.map(({ id, fence }) => ({ id, fence, delayMs: step.delayMs, failure: null })));
      }
      case 'elapse':
        return elapse(step.ms);
      case 'suppress': {
        const { recipientId } = targetOf(step.which);
        const { suppressed } = step;
        const about = { tenant: 'default', recipientId, topic: 'order', channel: '*', by: 'they', why: 'x' };
        return ledger.suppress([{ ...about, suppressed } as Parameters<Ledger['suppress']>[0][number]]);
      }
      case 'block':
        return ledger.block([
          { scope: 'provider:smtp', blocked: step.blocked, recheckMs: 2_000, by: 'they', why: 'x' },
        ]);
      case 'cancel':
        return ledger.cancel([{ id: ids[step.which] ?? '', by: 'they', why: 'a mistake' }]);
      case 'evidence':
        return ledger.record([
          {
            deliveryId: null,
            provider: 'smtp',
            providerMessageId: `m-${ids[step.which]}`,
            kind: 'delivered',
            at: 1,
            detail: null,
          },
        ]);
      case 'round': {
        const claimed = await take({ kind: 'claim', due: 2, leaseMs: 30_000, again: false }, ledger);
        const which = [0, 1, 2, 3, 4];
        const marks = await take({ kind: 'mark', which }, ledger);
        return { claimed, marks, settled: await take({ kind: 'settle', which, as: step.as }, ledger) };
      }
      case 'sweep':
        return ledger.sweep({ max: 10, reconcileLeaseMs: 1_000 });
      case 'publish':
        return publish(ledger, step.key, (published += 1));
    }
  }

  return {
    async begin() {
      ids = await expanded(ledger, RECIPIENTS);
      const [first] = await ledger.find(ids.slice(0, 1));
      begunAt = first?.createdAt ?? 0;
    },
    take: async ({ by, ...step }) => told((await take(step, processes[by])) ?? null),
    async all() {
      const records = await ledger.find(ids);
      const stories = [];
      for (const id of ids) stories.push(await ledger.history(id));
      const { oldestDueMs: _oldest, ...counts } = await ledger.count();
      const { items } = await ledger.listNotifications({});
      return told({ records, stories, counts, notifications: items });
    },
  };
}

/** A notification that may be there already, and its fan-out in two pages of which one may be made already. */
async function publish(ledger: Ledger, key: number, time: number): Promise<unknown> {
  const name = `key-${key}`;
  const id = notificationId('default', 'order', name);
  const accepted = await ledger.accept([{ ...newNotification(id, name, [targetOf(20)]), data: { key } }]);
  const lease = { owner: 'w', requestId: `fan-${time}`, leaseMs: 5_000 };
  const claimed = await ledger.claimNotifications({ due: 2, lateMs: 0 }, lease);
  const added = [];
  for (const each of claimed) {
    if (each.kind !== 'granted' || each.page === null) continue;
    const deliveries = each.page.map((target) => newDelivery(each.id, target));
    const request = {
      notificationId: each.id,
      fence: each.fence,
      page: each.record.cursor,
      deliveries,
      sealTargets: null,
    };
    for (let again = 0; again < 2; again += 1) added.push(await ledger.add([{ ...request, leaseMs: 5_000 }]));
  }
  return { accepted, claimed, added };
}
