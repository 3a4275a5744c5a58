import assert from 'node:assert/strict';
import type { Clock, Random } from '../ports/clock.ts';
import type { Law, LawSubject } from './contract.ts';

export interface ClockSubject extends LawSubject {
  readonly clock: Clock;
}

export interface RandomSubject extends LawSubject {
  readonly random: Random;
}

export const clockLaws: readonly Law<ClockSubject>[] = [
  {
    law: 'moves both clocks on with time',
    async check({ clock, elapse, unitMs }) {
      const [wall, monotonic] = [clock.now(), clock.monotonic()];
      await elapse(unitMs);
      // Timers of a real clock may fire a moment early by the wall clock.
      assert.ok(clock.now() - wall >= unitMs * 0.9 - 2, `the wall clock moved by ${clock.now() - wall}`);
      assert.ok(
        clock.monotonic() - monotonic >= unitMs * 0.9 - 2,
        `monotonic moved by ${clock.monotonic() - monotonic}`,
      );
    },
  },
  {
    law: 'never steps the monotonic clock back',
    async check({ clock, elapse, unitMs }) {
      let before = clock.monotonic();
      for (let i = 0; i < 5; i += 1) {
        await elapse(unitMs / 5);
        assert.ok(clock.monotonic() >= before);
        before = clock.monotonic();
      }
    },
  },
  {
    law: 'ends a sleep after its time, not before',
    async check(subject) {
      const sleep = watch(subject.clock.sleep(subject.unitMs * 4));
      await subject.elapse(subject.unitMs);
      assert.equal(sleep.isOver(), false);
      await subject.elapse(subject.unitMs * 4);
      assert.equal(sleep.isOver(), true);
    },
  },
  {
    law: 'ends sleeps in the order of their times',
    async check({ clock, elapse, unitMs }) {
      const order: string[] = [];
      const sleeps = [
        clock.sleep(unitMs * 2).then(() => order.push('second')),
        clock.sleep(unitMs).then(() => order.push('first')),
        clock.sleep(unitMs * 3).then(() => order.push('third')),
      ];
      await elapse(unitMs * 4);
      await Promise.all(sleeps);
      assert.deepEqual(order, ['first', 'second', 'third']);
    },
  },
  {
    law: 'ends a sleep as soon as its signal aborts, without rejecting',
    async check({ clock, unitMs }) {
      const aborter = new AbortController();
      const sleep = clock.sleep(unitMs * 1_000_000, aborter.signal);
      aborter.abort();
      await sleep;
      await clock.sleep(unitMs * 1_000_000, aborter.signal);
    },
  },
  {
    law: 'lets a sleeper sleep again from its own wake-up',
    async check({ clock, elapse, unitMs }) {
      const wakeUps: number[] = [];
      const start = clock.monotonic();
      const twice = (async () => {
        for (let i = 0; i < 2; i += 1) {
          await clock.sleep(unitMs);
          wakeUps.push(clock.monotonic() - start);
        }
      })();
      await elapse(unitMs * 4);
      await twice;
      assert.ok(
        wakeUps[0]! < unitMs * 2 && wakeUps[1]! >= unitMs * 1.8 && wakeUps[1]! < unitMs * 4,
        `woke at ${wakeUps.join(', ')}`,
      );
    },
  },
];

export const randomLaws: readonly Law<RandomSubject>[] = [
  {
    law: 'draws uniformly from 0 up to, but not including, 1',
    async check({ random }) {
      const tenths = Array.from({ length: 10 }, () => 0);
      for (let i = 0; i < 10_000; i += 1) {
        const drawn = random.next();
        assert.ok(drawn >= 0 && drawn < 1, `drew ${drawn}`);
        tenths[Math.floor(drawn * 10)]! += 1;
      }
      // Six standard deviations of a fair draw are 180.
      for (const count of tenths) assert.ok(Math.abs(count - 1_000) < 180, `tenths are ${tenths.join(', ')}`);
    },
  },
  {
    law: 'never makes the same id twice, and only of 1 to 32 letters, digits, - and _',
    async check({ random }) {
      const ids = Array.from({ length: 10_000 }, () => random.id());
      assert.equal(new Set(ids).size, ids.length);
      for (const id of ids) assert.match(id, /^[A-Za-z0-9_-]{1,32}$/);
    },
  },
];

function watch(promise: Promise<void>): { isOver: () => boolean } {
  let isOver = false;
  void promise.then(() => (isOver = true));
  return { isOver: () => isOver };
}
