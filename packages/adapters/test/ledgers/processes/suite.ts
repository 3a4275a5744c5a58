import { readFileSync, writeFileSync } from 'node:fs';
import { notificationId, type Ledger } from '@sendonce/core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { rmSync } from 'node:fs';
import {
  expanded,
  LEASE,
  markOf,
  newDelivery,
  newNotification,
  settleOf,
  targetOf,
  temporaryFile,
} from '../support.ts';
import { bundledChild, child, type Child } from './children.ts';
import type { CrashPoint, Method, Place } from './protocol.ts';

const lease = (requestId: string, leaseMs = LEASE.leaseMs) => ({ owner: 'w1', requestId, leaseMs });
const byId = (id: string) => ({ ids: [id], agesMs: [0], strayAfterMs: 60_000 });

interface Step {
  readonly method: Method;
  readonly args: (id: string, fence: number) => readonly unknown[];
  /** The delivery's state before and after the step. */
  readonly from: string;
  readonly to: string;
}

const STEPS: Readonly<Record<string, Step>> = {
  claim: { method: 'claim', args: (id) => [byId(id), lease('r1')], from: 'queued', to: 'processing' },
  mark: { method: 'mark', args: (id, fence) => [[markOf(id, fence)]], from: 'processing', to: 'dispatching' },
  settle: { method: 'settle', args: (id, fence) => [[settleOf(id, fence)]], from: 'dispatching', to: 'sent' },
};
const ORDER = ['claim', 'mark', 'settle'] as const;

export interface LedgerPlaces {
  /** An empty place for each test. */
  make(): Place | Promise<Place>;
  openLedger(place: Place): Ledger;
}

/** What a ledger keeps that several processes share, some of which are killed. */
export function testProcesses({ make, openLedger }: LedgerPlaces): void {
  let script = '';
  const children: Child[] = [];
  const ledgers: Ledger[] = [];

  beforeAll(async () => {
    script = await bundledChild();
  });
  afterAll(() => rmSync(script, { force: true }));
  afterEach(async () => {
    await Promise.all(children.splice(0).map((each) => each.kill()));
    await Promise.all(ledgers.splice(0).map((ledger) => ledger.close()));
  });

  function open(place: Place): Ledger {
    const ledger = openLedger(place);
    ledgers.push(ledger);
    return ledger;
  }

  async function start(place: Place): Promise<Child> {
    const started = await child(script, place);
    children.push(started);
    return started;
  }

  describe('a process that is killed', () => {
    const CASES = ORDER.flatMap((name) =>
      (['before-commit', 'after-commit'] as const).map((point): [string, CrashPoint] => [name, point]),
    );

    test.for(CASES)(
      'in %s, %s: the step is there whole or not at all, and a repeat completes it once',
      async ([name, point]) => {
        const place = await make();
        const ledger = open(place);
        const [id] = (await expanded(ledger, 1)) as [string];
        const doomed = await start(place);
        for (const before of ORDER.slice(0, ORDER.indexOf(name as 'mark')))
          await doomed.call(STEPS[before]!.method, ...STEPS[before]!.args(id, await fenceOf(ledger, id)));
        const step = STEPS[name]!;
        const args = step.args(id, await fenceOf(ledger, id));
        await doomed.crash(point, step.method, ...args);

        expect(await stateOf(ledger, id)).toBe(point === 'before-commit' ? step.from : step.to);
        const heir = await start(place);
        await heir.call(step.method, ...args);
        expect(await stateOf(ledger, id)).toBe(step.to);
        const [record] = await ledger.find([id]);
        expect(record?.attempts).toHaveLength(name === 'claim' ? 0 : 1);
        const moves = await ledger.history(id);
        expect(moves.map((move) => move.to)).toEqual(
          ['queued', 'processing', 'dispatching', 'sent'].slice(0, 2 + ORDER.indexOf(name as 'mark')),
        );
      },
    );

    test.for(['before-commit', 'after-commit'] as const)(
      'in add, %s: page and cursor move together, and each delivery exists once',
      async (point) => {
        const place = await make();
        const ledger = open(place);
        const id = notificationId('default', 'order', 'k1');
        await ledger.accept([
          newNotification(
            id,
            'k1',
            Array.from({ length: 50 }, (_, i) => targetOf(i)),
          ),
        ]);
        const doomed = await start(place);
        const [claimed] = await doomed.call('claimNotifications', { due: 1, lateMs: 0 }, lease('r1'));
        if (claimed?.kind !== 'granted') throw new Error('not granted');
        const add = {
          notificationId: id,
          fence: claimed.fence,
          page: 0,
          deliveries: (claimed.page ?? []).map((target) => newDelivery(id, target)),
          sealTargets: null,
          leaseMs: 0,
        };
        await doomed.crash(point, 'add', [add]);
        expect((await ledger.count()).deliveries.queued).toBe(point === 'before-commit' ? 0 : 50);
        const [again] = await (await start(place)).call('add', [add]);
        expect(again?.kind).toBe(point === 'before-commit' ? 'added' : 'repeated');
        expect((await ledger.count()).deliveries.queued).toBe(50);
        expect(await ledger.findNotifications([id])).toMatchObject([{ state: 'expanded', cursor: 1, deliveries: 50 }]);
      },
    );

    test('after its mark leaves a delivery that nobody sends again: it becomes unknown', async () => {
      const place = await make();
      const ledger = open(place);
      const [id] = (await expanded(ledger, 1)) as [string];
      const doomed = await start(place);
      await doomed.call('claim', byId(id), lease('r1'));
      await doomed.crash('after-commit', 'mark', [
        { ...markOf(id, await fenceOf(ledger, id)), dispatchMs: 20, sendMarginMs: 1 },
      ]);
      const heir = await start(place);
      await until(async () => (await heir.call('sweep', { max: 10, reconcileLeaseMs: 1_000 })).moved.length === 1);
      expect(await heir.call('claim', byId(id), lease('r2'))).toMatchObject([{ kind: 'unknown' }]);
    });
  });

  describe('several processes on one file', () => {
    test('that claim the same deliveries at once are granted each of them once', async () => {
      const place = await make();
      const ids = await expanded(open(place), 200);
      const racers = await Promise.all(Array.from({ length: 4 }, () => start(place)));
      const selector = { ids, agesMs: ids.map(() => 0), strayAfterMs: 60_000 };
      const verdicts = await Promise.all(
        racers.map((racer, i) =>
          racer.call('claim', selector, { owner: `w${i}`, requestId: `r${i}`, leaseMs: 30_000 }),
        ),
      );
      const granted = verdicts.flatMap((each) =>
        each.flatMap((verdict) => (verdict.kind === 'granted' ? [verdict.id] : [])),
      );
      expect(granted.toSorted()).toEqual(ids.toSorted());
    });

    test('eight of them, with overlapping batches in orders of their own, send each message once', async () => {
      const place = await make();
      const mailbox = temporaryFile('mailbox');
      writeFileSync(mailbox, '');
      const ledger = open(place);
      const ids = await expanded(ledger, 300);
      const workers = await Promise.all(Array.from({ length: 8 }, () => start(place)));
      const sent = await Promise.all(
        workers.map((worker, i) =>
          worker.work({
            owner: `w${i}`,
            mailbox,
            ids: rotated(ids, i * 37, i % 2 === 1),
            batch: 7 + i,
            dispatchMs: 60_000,
          }),
        ),
      );
      expect(sent.reduce((sum, each) => sum + each, 0)).toBe(300);
      expect(mailOf(mailbox).toSorted()).toEqual(ids.toSorted());
      expect((await ledger.count()).deliveries.sent).toBe(300);
    });

    test('of which some are killed in the middle of their work send nobody two messages, and every gap is on record', async () => {
      const place = await make();
      const mailbox = temporaryFile('mailbox');
      writeFileSync(mailbox, '');
      const ledger = open(place);
      const ids = await expanded(ledger, 400);
      const doomed = await Promise.all(Array.from({ length: 4 }, () => start(place)));
      const working = doomed.map((worker, i) =>
        worker
          .work({ owner: `w${i}`, mailbox, ids: rotated(ids, i * 100, false), batch: 20, dispatchMs: 60_000 })
          .catch(() => 0),
      );
      await until(() => mailOf(mailbox).length > 60);
      await Promise.all(doomed.slice(0, 3).map((worker) => worker.kill()));
      await Promise.all(working);
      const mail = mailOf(mailbox);
      expect(new Set(mail).size).toBe(mail.length);
      const records = await ledger.find(ids);
      const gaps = records
        .filter((record) => record !== null && !mail.includes(record.id))
        .map((record) => record?.state);
      // Whoever has no mail is still held by a lease, or marked: at most one batch for each process that died.
      expect(gaps.filter((state) => state !== 'processing' && state !== 'dispatching')).toEqual([]);
      expect(gaps.length).toBeLessThanOrEqual(3 * 20);
    });
  });
}

async function stateOf(ledger: Ledger, id: string): Promise<string | undefined> {
  return (await ledger.find([id]))[0]?.state;
}

async function fenceOf(ledger: Ledger, id: string): Promise<number> {
  return (await ledger.find([id]))[0]?.fence ?? 0;
}

function mailOf(mailbox: string): string[] {
  return readFileSync(mailbox, 'utf8').split('\n').slice(0, -1);
}

function rotated(ids: readonly string[], by: number, backwards: boolean): readonly string[] {
  const turned = [...ids.slice(by % ids.length), ...ids.slice(0, by % ids.length)];
  return backwards ? turned.reverse() : turned;
}

/** Asks again at once, with a turn of the event loop between: the condition is one that other processes bring about. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
}
