import fc from 'fast-check';
import { deliveryId, notificationId, type NewDelivery, type Target } from '@sendonce/core';
import { ALL, batchOf, choices, few, LEASE_UNITS, leaseOf } from './drawing.ts';
import { byId } from './same.ts';
import { nthLast } from './known.ts';
import { step, type Step } from './step.ts';

function target(n: number): Target {
  const to = `r${n}@example.com`;
  return { channel: 'email', to, recipientId: to, destinationId: '', data: { n } };
}

const targets: fc.Arbitrary<readonly Target[]> = fc.array(few.map(target), { maxLength: 3 });

interface Accepting {
  readonly key: number;
  readonly body: number;
  readonly page: readonly Target[] | null;
  readonly isRouted: boolean;
  readonly expiresInUnits: number | null;
}

const accepting: fc.Arbitrary<Accepting> = fc.record({
  key: few,
  body: fc.nat({ max: 1 }),
  page: fc.option(targets),
  isRouted: fc.boolean(),
  expiresInUnits: fc.option(fc.integer({ min: 5, max: 60 }), { freq: 2 }),
});

const accept: fc.Arbitrary<Step> = fc.array(accepting, { minLength: 1, maxLength: 2 }).map(acceptOf);

function acceptOf(all: readonly Accepting[]): Step {
  return step((_known, unitMs) => {
    const batch = all.map(({ key, body, page, isRouted, expiresInUnits }) => ({
      id: notificationId('default', 'order', String(key)),
      tenant: 'default',
      type: 'order',
      key: String(key),
      class: 'transactional' as const,
      fingerprint: `body ${body}`,
      data: { body },
      sendAt: null,
      expiresInMs: expiresInUnits === null ? null : expiresInUnits * unitMs,
      recipients: isRouted ? ('route' as const) : ('explicit' as const),
      page: isRouted ? null : page,
    }));
    return {
      words: `accept ${batch.map(({ key, page }) => `${key}${page === null ? '' : ` with ${page.length}`}`).join(', ')}`,
      make: (ledger) => ledger.accept(batch),
      learn: (_answer, { notifications }) => {
        for (const { id } of batch) if (!notifications.includes(id)) notifications.push(id);
      },
    };
  });
}

const seal: fc.Arbitrary<Step> = fc
  .record({ which: few, page: few, targets, last: fc.boolean(), isRouter: fc.boolean() })
  .map(({ which, page, targets: given, last, isRouter }) =>
    step((known) => {
      const id = nthLast(known.notifications, which);
      if (id === undefined) return null;
      const fence = isRouter ? (known.routings.findLast((each) => each.id === id)?.fence ?? 1) : null;
      const request = { notificationId: id, page, targets: given, last, fence };
      return { words: `seal page ${page}${last ? ', the last' : ''}`, make: (ledger) => ledger.seal([request]) };
    }),
  );

const claimNotifications: fc.Arbitrary<Step> = fc
  .record({ which: fc.option(choices), owner: few })
  .map(claimNotificationsOf);

function claimNotificationsOf({
  which,
  owner,
}: {
  readonly which: readonly number[] | null;
  readonly owner: number;
}): Step {
  return step((known, unitMs) => {
    const lease = leaseOf(known, owner, unitMs);
    const ids = which && batchOf(which.map((n) => nthLast(known.notifications, n)));
    const selector =
      ids === null ? { due: ALL, lateMs: 0 } : { ids, strayAfterMs: 5 * unitMs, agesMs: ids.map(() => 0) };
    return {
      words: ids === null ? 'claim due notifications' : `claim ${ids.length} notifications`,
      make: async (ledger) => {
        const verdicts = await ledger.claimNotifications(selector, lease);
        return ids === null ? byId(verdicts) : verdicts;
      },
      learn: (verdicts, now) => {
        now.claims += 1;
        for (const verdict of verdicts)
          if (verdict.kind === 'granted')
            now.routings.push({
              id: verdict.id,
              fence: verdict.fence,
              page: verdict.record.cursor,
              targets: verdict.page,
            });
      },
    };
  });
}

function newDelivery(notification: string, to: Target, n: number): NewDelivery {
  const { recipientId, channel, destinationId } = to;
  const id = deliveryId({ notificationId: notification, recipientId, channel, destinationId, generation: 0 });
  const failed = n === 3 ? 'no such address' : null;
  return { id, target: to, provider: 'first', maxAttempts: 1 + n, topic: n === 0 ? null : 'orders', failed };
}

interface Adding {
  readonly which: number;
  readonly given: readonly Target[];
  readonly isKept: boolean;
  readonly kind: number;
}

const add: fc.Arbitrary<Step> = fc.record({ which: few, given: targets, isKept: fc.boolean(), kind: few }).map(addOf);

function addOf({ which, given, isKept, kind }: Adding): Step {
  return step((known, unitMs) => {
    const routing = nthLast(known.routings, which);
    if (routing === undefined) return null;
    const { id, fence, page } = routing;
    const isRouted = routing.targets === null;
    const made = (routing.targets ?? given).map((each) => newDelivery(id, each, kind));
    const deliveries = made.filter((each, i) => made.findIndex((other) => other.id === each.id) === i);
    const request = {
      notificationId: id,
      fence,
      page,
      deliveries,
      sealTargets: isRouted ? given.length : null,
      leaseMs: isKept ? LEASE_UNITS * unitMs : 0,
    };
    return {
      words: `add page ${page} of ${deliveries.length}`,
      make: (ledger) => ledger.add([request]),
      learn: ([verdict], now) => {
        if (verdict?.kind !== 'added') return;
        now.deliveries.push(...verdict.inserted.filter((each) => !now.deliveries.includes(each)));
        if (verdict.next !== null) now.routings.push({ id, fence, page: page + 1, targets: verdict.next });
      },
    };
  });
}

/** What producers and those who expand do. */
export const PRODUCING: readonly fc.Arbitrary<Step>[] = [
  accept,
  accept,
  seal,
  claimNotifications,
  claimNotifications,
  add,
  add,
];

/** What most histories would come to first: somebody to write to. */
export function prelude(): readonly Step[] {
  const page = [target(0), target(1), target(2)];
  return [
    acceptOf([{ key: 9, body: 0, page, isRouted: false, expiresInUnits: null }]),
    claimNotificationsOf({ which: null, owner: 0 }),
    addOf({ which: 0, given: [], isKept: false, kind: 2 }),
  ];
}
