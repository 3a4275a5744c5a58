import assert from 'node:assert/strict';
import { DELIVERY_STATES, TRANSITIONS, type DeliveryRecord } from '../../model/delivery.ts';
import type { DeliveryFilter, Ledger } from '../../ports/ledger.ts';
import type { Law } from '../contract.ts';
import { accepted, newNotification, NOT_SENT, only, P0, P1, target } from './requests.ts';
import { scene } from './scene.ts';
import type { LedgerSubject } from './subject.ts';

export const readingLaws: readonly Law<LedgerSubject>[] = [
  {
    law: 'finds records in the order of the request, and null for what is not there',
    async check(subject) {
      const s = await scene(subject, { recipients: 3 });
      const [a = '', b = '', c = ''] = s.ids;
      const found = await s.ledger.find([c, 'd_none', a, b, a]);
      assert.deepEqual(
        found.map((record) => record?.id ?? null),
        [c, null, a, b, a],
      );
      const notifications = await s.ledger.findNotifications(['n_none', s.notification]);
      assert.deepEqual(
        notifications.map((record) => record?.id ?? null),
        [null, s.notification],
      );
    },
  },
  {
    law: 'lists every delivery once, page by page, while nothing changes',
    async check(subject) {
      const s = await scene(subject, { recipients: 11 });
      for (const limit of [1, 4, 11, 100])
        assert.deepEqual((await all(s.ledger, {}, limit)).map(({ id }) => id).sort(), [...s.ids].sort());
    },
  },
  {
    law: 'lists by state, notification, type, channel, provider, recipient and tenant, each and together',
    async check(subject) {
      const s = await scene(subject, { recipients: 4 });
      const other = await scene(subject, { key: 'another' });
      await s.fail(s.ids[1]);
      const next = { kind: 'retry', delayMs: 0, provider: P1, reason: 'elsewhere' } as const;
      await s.settle(await s.begin(s.ids[2]), NOT_SENT, { next });
      const cases: readonly (readonly [DeliveryFilter, readonly (string | undefined)[]])[] = [
        [{ states: ['failed'] }, [s.ids[1]]],
        [{ states: ['failed', 'retry-scheduled'] }, [s.ids[1], s.ids[2]]],
        [{ states: [] }, []],
        [{ notificationId: other.notification }, other.ids],
        [{ type: 'laws', channel: 'email', tenant: 'default' }, [...s.ids, ...other.ids]],
        [{ type: 'other' }, []],
        [{ channel: 'sms' }, []],
        [{ tenant: 'other' }, []],
        [{ provider: P1 }, [s.ids[2]]],
        [{ recipientId: 'r0@example.com' }, [s.ids[0], other.ids[0]]],
        [{ recipientId: 'r0@example.com', notificationId: s.notification, provider: P0 }, [s.ids[0]]],
      ];
      for (const [filter, expected] of cases) {
        const listed = (await all(s.ledger, filter, 2)).map(({ id }) => id);
        assert.deepEqual(listed.sort(), [...expected].sort(), JSON.stringify(filter));
      }
    },
  },
  {
    law: 'lists the dead letters that are due for an automatic redrive: old enough, not replaced, redriven less often',
    async check(subject) {
      const s = await scene(subject, { recipients: 2 });
      const [a = '', b = ''] = s.ids;
      await s.fail(a);
      await s.elapse(10);
      await s.fail(b);
      const due = async (redrivesBelow: number) =>
        (await all(s.ledger, { states: ['failed'], settledForMs: subject.unitMs * 5, redrivesBelow }, 10)).map(
          ({ id }) => id,
        );
      assert.deepEqual(await due(1), [a]);
      assert.deepEqual(await due(0), []);
      await s.ledger.replay([{ id: a, forced: false, automatic: true, by: 'redrive', why: 'law' }]);
      assert.deepEqual(await due(1), []);
    },
  },
  {
    law: 'counts the deliveries in each state, and they add up',
    async check(subject) {
      const s = await scene(subject, { recipients: 6 });
      const [a, b, c, d, e] = s.ids;
      await s.fail(a);
      await s.settle(await s.begin(b), accepted('m'));
      await s.begin(c);
      await s.becomeUnknown(d);
      await s.grant(e);
      const { deliveries, notifications } = await s.ledger.count();
      const records = await s.ledger.find(s.ids);
      for (const state of DELIVERY_STATES)
        assert.equal(deliveries[state], records.filter((record) => record?.state === state).length, state);
      assert.equal(notifications.expanded, 1);
    },
  },
  {
    law: 'tells for how long a notification that nobody routes has been waiting',
    async check(subject) {
      const { ledger, unitMs } = subject;
      await ledger.accept([newNotification('nobody routes it', { recipients: 'route' })]);
      await subject.elapse(5 * unitMs);
      const { oldestDueMs } = await ledger.count();
      assert.ok(oldestDueMs >= 4 * unitMs, `${oldestDueMs} ms`);
      await ledger.claimNotifications(
        { due: 1, lateMs: 0 },
        { owner: 'w1', requestId: 'routes it', leaseMs: 10 * unitMs },
      );
      assert.equal((await ledger.count()).oldestDueMs, 0);
    },
  },
  {
    law: 'tells for how long the longest-due delivery has been waiting',
    async check(subject) {
      const s = await scene(subject, { recipients: 2 });
      await s.elapse(5);
      const { oldestDueMs } = await s.ledger.count();
      assert.ok(oldestDueMs >= subject.unitMs * 4, `${oldestDueMs} ms`);
      await s.claim();
      assert.equal((await s.ledger.count()).oldestDueMs, 0);
    },
  },
  {
    law: 'tells the story of a delivery, if it keeps stories: an unbroken chain of declared moves up to its state',
    async check(subject) {
      const s = await scene(subject);
      await s.settle(await s.begin(), NOT_SENT);
      await s.settle(await s.begin(), accepted('m'));
      const moves = await s.ledger.history(s.id);
      for (const [i, { from, to, at }] of moves.entries()) {
        assert.equal(from, moves[i - 1]?.to ?? null);
        assert.ok(from === null || from === to || TRANSITIONS[from].includes(to), `${from} to ${to}`);
        assert.ok(at >= (moves[i - 1]?.at ?? 0));
      }
      if (moves.length > 0) assert.equal(moves.at(-1)?.to, 'sent');
      assert.deepEqual(await s.ledger.history('d_none'), []);
    },
  },
  {
    law: 'lists notifications by state and by whether their producer finished',
    async check(subject) {
      const { ledger } = subject;
      const s = await scene(subject);
      await ledger.accept([newNotification('open'), newNotification('whole', { page: [target(0)] })]);
      const list = async (filter: Parameters<Ledger['listNotifications']>[0]) =>
        (await ledger.listNotifications(filter)).items.map(({ key }) => key).sort();
      assert.deepEqual(await list({}), ['law', 'open', 'whole']);
      assert.deepEqual(await list({ sealed: false }), ['open']);
      assert.deepEqual(await list({ states: ['expanding'] }), ['whole']);
      assert.deepEqual(await list({ states: ['expanded'], sealed: true }), ['law']);
      const page = await ledger.listNotifications({}, { limit: 2 });
      const rest = await ledger.listNotifications({}, { limit: 2, cursor: page.cursor });
      assert.deepEqual([...page.items, ...rest.items].map(({ key }) => key).sort(), ['law', 'open', 'whole']);
      assert.equal(only(s.ids), s.id);
    },
  },
  {
    law: 'lets itself be closed twice',
    async check({ ledger }) {
      await ledger.close();
      await ledger.close();
    },
  },
];

async function all(ledger: Ledger, filter: DeliveryFilter, limit: number): Promise<readonly DeliveryRecord[]> {
  const found: DeliveryRecord[] = [];
  let cursor: string | null = null;
  do {
    const page = await ledger.list(filter, { limit, cursor });
    assert.ok(page.items.length <= limit, `asked for ${limit}, got ${page.items.length}`);
    found.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== null);
  return found;
}
