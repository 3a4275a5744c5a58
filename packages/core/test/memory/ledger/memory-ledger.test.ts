import { describe, expect, test } from 'vitest';
import { scene } from '../../../src/conformance/ledger/scene.ts';
import { accepted, newNotification, REJECTED } from '../../../src/conformance/ledger/requests.ts';
import { manualClock, memoryLedger } from '../../../src/memory/index.ts';
import { ledgerSubject, UNIT_MS } from '../../conformance/support/ledger-subject.ts';

describe('the memory ledger', () => {
  test('keeps the content of a sent delivery for as long as it was told, and its facts for good', async () => {
    const s = await scene(ledgerSubject({ compactAfterMs: 5 * UNIT_MS }));
    await s.settle(await s.begin(), accepted('m-1'));
    const before = await s.record();
    expect(before.message).not.toBeNull();
    await s.elapse(6);
    await s.sweep();
    const after = await s.record();
    expect(after).toEqual({ ...before, message: null, target: { ...before.target, data: {} } });
    const evidence = {
      deliveryId: null,
      provider: 'first',
      providerMessageId: 'm-1',
      kind: 'bounced',
      at: 0,
      detail: null,
    } as const;
    expect(await s.ledger.record([evidence])).toEqual([{ kind: 'moved', id: s.id, state: 'bounced' }]);
  });

  test('keeps the content of a dead letter, which a replay needs', async () => {
    const s = await scene(ledgerSubject({ compactAfterMs: 0 }));
    await s.settle(await s.begin(), REJECTED);
    expect((await s.record()).message).not.toBeNull();
    const [replayed] = await s.ledger.replay([{ id: s.id, forced: false, automatic: false, by: 'test', why: 'test' }]);
    const next = await s.record(replayed?.kind === 'replayed' ? replayed.id : '');
    expect(next.target).toEqual((await s.record(next.id)).target);
    expect(next.target.data).toEqual({ name: 'Recipient 0' });
    expect((await s.record()).message).toBeNull();
  });

  test('keeps no stories when it is told not to', async () => {
    const s = await scene(ledgerSubject({ journal: false }));
    await s.begin();
    expect(await s.ledger.history(s.id)).toEqual([]);
  });

  test('tells by whom each move was made', async () => {
    const s = await scene(ledgerSubject());
    await s.begin();
    await s.elapse(21);
    await s.sweep();
    const moves = await s.ledger.history(s.id);
    expect(moves.map(({ from, to, by }) => [from, to, by])).toEqual([
      [null, 'queued', 'fan-out'],
      ['queued', 'processing', 'worker'],
      ['processing', 'dispatching', 'worker'],
      ['dispatching', 'unknown', 'sweep'],
    ]);
  });

  test('cannot join a transaction, and says so', async () => {
    const ledger = memoryLedger({ clock: manualClock() });
    await expect(ledger.accept([newNotification('a')], { transaction: {} })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
  });

  test('reports what it lost, and loses what was written after the moment it goes back to', async () => {
    const clock = manualClock(1_700_000_000_000);
    const ledger = memoryLedger({ clock, undoMs: 60_000 });
    await ledger.accept([newNotification('kept')]);
    await clock.advance(10_000);
    await ledger.accept([newNotification('lost')]);
    await ledger.suppress([
      { tenant: 'default', recipientId: 'r', topic: '*', channel: '*', suppressed: true, by: 'test', why: 'test' },
    ]);
    expect(ledger.control.loseMemory({ lastMs: 5_000, quarantineMs: 1_000 })).toEqual({ lost: 2, evicted: [] });
    const { items } = await ledger.listNotifications({});
    expect(items.map(({ key }) => key)).toEqual(['kept']);
    expect((await ledger.count()).notifications.accepted).toBe(1);
    expect((await ledger.accept([newNotification('lost')]))[0]?.kind).toBe('accepted');
  });

  test('goes back over everything that a delivery went through', async () => {
    const subject = ledgerSubject();
    const s = await scene(subject, { recipients: 2 });
    await s.elapse(1);
    const [before, counts] = [await s.ledger.find(s.ids), await s.ledger.count()];
    await s.elapse(10);
    await s.settle(await s.begin(s.ids[0]), accepted('m'));
    await s.settle(await s.begin(s.ids[1]), REJECTED);
    await s.ledger.record([
      { deliveryId: null, provider: 'first', providerMessageId: 'm', kind: 'delivered', at: 0, detail: null },
    ]);
    expect((await s.notificationRecord()).state).toBe('done');
    await subject.loseMemory?.({ lastMs: 10 * UNIT_MS, evict: [], quarantineMs: 30 * UNIT_MS });
    expect(await s.ledger.find(s.ids)).toEqual(before);
    expect((await s.notificationRecord()).state).toBe('expanded');
    expect({ ...(await s.ledger.count()), oldestDueMs: 0 }).toEqual({ ...counts, oldestDueMs: 0 });
    expect(await s.ledger.history(s.id)).toHaveLength(1);
  });
});
