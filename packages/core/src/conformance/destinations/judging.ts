import assert from 'node:assert/strict';
import { isSendonceError } from '../../model/errors.ts';
import { MOST_EVIDENCE, type AddressSuppression } from '../../ports/destinations.ts';
import type { Law } from '../contract.ts';
import { active, dead, healthOf, OWNER, phone, told, type DestinationsSubject } from './subject.ts';

function suppression(to: string, suppressed: boolean): AddressSuppression {
  return { ...OWNER, to, suppressed, reason: 'asked for it', by: 'ops', at: 1 };
}

/** In what health an address is, and on what evidence. */
export const judgingLaws: readonly Law<DestinationsSubject>[] = [
  {
    law: 'deactivates an address on evidence, and keeps the evidence',
    async check(subject) {
      await subject.destinations.register([phone('t1'), phone('tab', { id: 'tablet' })]);
      const evidence = await dead(subject, 't1');
      assert.deepEqual(await subject.destinations.report([evidence]), [{ kind: 'deactivated' }]);
      const health = await healthOf(subject, 't1');
      assert.equal(health.state, 'dead');
      assert.equal(health.reason, 'p: unregistered');
      assert.ok((health.since ?? 0) >= (health.registeredAt ?? Infinity), 'dead before it was registered');
      assert.deepEqual(
        health.evidence.map(({ kind, at, by, counted }) => ({ kind, at, by, counted })),
        [{ kind: 'dead', at: evidence.at, by: 'p', counted: true }],
      );
      const states = (await active(subject)).map(({ to, health: { state } }) => `${to} ${state}`);
      assert.deepEqual(states, ['t1 dead', 'tab usable']);
    },
  },
  {
    law: 'keeps what is only suspected, and changes nothing',
    async check(subject) {
      await subject.destinations.register([phone('t1')]);
      const evidence = await dead(subject, 't1', { kind: 'suspect' });
      assert.deepEqual(await subject.destinations.report([evidence]), [{ kind: 'noted' }]);
      const health = await healthOf(subject, 't1');
      assert.equal(health.state, 'usable');
      assert.deepEqual(
        health.evidence.map(({ kind, counted }) => [kind, counted]),
        [['suspect', false]],
      );
    },
  },
  {
    law: 'keeps evidence from before the latest registration of its address, and changes nothing',
    async check(subject) {
      const { destinations } = subject;
      await destinations.register([phone('t1')]);
      const evidence = await dead(subject, 't1');
      await subject.elapse(subject.unitMs);
      await destinations.register([phone('t1')]);
      assert.deepEqual(await destinations.report([evidence]), [{ kind: 'stale' }]);
      const health = await healthOf(subject, 't1');
      assert.equal(health.state, 'usable');
      assert.equal(health.evidence.length, 1);
    },
  },
  {
    law: 'believes the registration where evidence is from the same moment',
    async check(subject) {
      await subject.destinations.register([phone('t1')]);
      const { registeredAt } = await healthOf(subject, 't1');
      const evidence = await dead(subject, 't1', { at: registeredAt ?? 0 });
      assert.deepEqual(await subject.destinations.report([evidence]), [{ kind: 'stale' }]);
    },
  },
  {
    law: 'revives a dead address that is registered again, and keeps its evidence',
    async check(subject) {
      const { destinations } = subject;
      await destinations.register([phone('t1')]);
      await destinations.report([await dead(subject, 't1')]);
      await subject.elapse(subject.unitMs);
      assert.deepEqual(await destinations.register([phone('t1')]), [{ kind: 'seen', revived: true, movedFrom: null }]);
      const health = await healthOf(subject, 't1');
      assert.equal(health.state, 'usable');
      assert.equal(health.evidence.length, 1);
    },
  },
  {
    law: 'takes evidence about an address that nobody registered',
    async check(subject) {
      const evidence = await dead(subject, 't9');
      assert.deepEqual(await subject.destinations.report([evidence]), [{ kind: 'deactivated' }]);
      const health = await healthOf(subject, 't9');
      assert.deepEqual([health.state, health.registeredAt], ['dead', null]);
    },
  },
  {
    law: 'keeps the same evidence once, however often it is reported',
    async check(subject) {
      await subject.destinations.register([phone('t1')]);
      const evidence = await dead(subject, 't1');
      assert.deepEqual(
        (await subject.destinations.report([evidence, evidence])).map(({ kind }) => kind),
        ['deactivated', 'noted'],
      );
      const { since } = await healthOf(subject, 't1');
      await subject.elapse(subject.unitMs);
      assert.deepEqual(await subject.destinations.report([evidence]), [{ kind: 'noted' }]);
      const health = await healthOf(subject, 't1');
      assert.equal(health.evidence.length, 1);
      assert.equal(health.since, since);
    },
  },
  {
    law: 'keeps the newest evidence, and no more than ten pieces',
    async check(subject) {
      const first = await dead(subject, 't1');
      const all = Array.from({ length: MOST_EVIDENCE + 5 }, (_, i) => ({ ...first, reason: `reason ${i}` }));
      await subject.destinations.report(all);
      const { state, reason, evidence } = await healthOf(subject, 't1');
      assert.deepEqual([state, reason], ['dead', 'p: reason 0']);
      assert.deepEqual(
        evidence.map((each) => each.reason),
        all.slice(-MOST_EVIDENCE).map((each) => each.reason),
      );
    },
  },
  {
    law: 'cuts the address out of what a provider says about it',
    async check(subject) {
      await subject.destinations.report([await dead(subject, 'secret-token', { reason: 'no secret-token here' })]);
      const { reason, evidence } = await healthOf(subject, 'secret-token');
      assert.equal(reason, 'p: no [address] here');
      assert.equal(evidence[0]?.reason, 'no [address] here');
    },
  },
  {
    law: 'knows an address by what it means, not by how it is written',
    async check({ destinations }) {
      const mail = { tenant: 'default', channel: 'email' } as const;
      await destinations.report([
        { ...mail, to: 'Ann@Example.org', kind: 'dead', at: Number.MAX_SAFE_INTEGER, provider: 'p', reason: 'r' },
      ]);
      const [health] = await destinations.health([{ ...mail, to: ' ann@example.org' }]);
      assert.deepEqual([health?.state, health?.address], ['dead', 'ann@example.org']);
    },
  },
  {
    law: 'keeps a suppressed address suppressed until that is lifted, whoever registers it',
    async check(subject) {
      const { destinations } = subject;
      assert.deepEqual(
        (await destinations.suppress([suppression('t1', true), suppression('t1', true)])).map(({ kind }) => kind),
        ['suppressed', 'unchanged'],
      );
      await destinations.register([phone('t1')]);
      const [registered] = await active(subject);
      assert.deepEqual([registered?.health.state, registered?.health.reason], ['suppressed', 'ops: asked for it']);
      assert.deepEqual(
        (await destinations.suppress([suppression('t1', false), suppression('t1', false)])).map(({ kind }) => kind),
        ['lifted', 'unchanged'],
      );
      const { state, evidence } = await healthOf(subject, 't1');
      assert.equal(state, 'usable');
      assert.deepEqual(
        evidence.map(({ kind, by, at }) => [kind, by, at]),
        [
          ['suppressed', 'ops', 1],
          ['lifted', 'ops', 1],
        ],
      );
    },
  },
  {
    law: 'knows below a suppression that an address is dead',
    async check(subject) {
      const { destinations } = subject;
      await destinations.suppress([suppression('t1', true)]);
      assert.deepEqual(await destinations.report([await dead(subject, 't1')]), [{ kind: 'deactivated' }]);
      assert.equal((await healthOf(subject, 't1')).state, 'suppressed');
      await destinations.suppress([suppression('t1', false)]);
      assert.equal((await healthOf(subject, 't1')).state, 'dead');
    },
  },
  {
    law: 'lists what is dead and what is suppressed, page by page, each once',
    async check(subject) {
      const { destinations } = subject;
      const names = Array.from({ length: 7 }, (_, i) => `t${i}`);
      await destinations.suppress([suppression('s1', true), suppression('s2', true)]);
      await destinations.suppress([suppression('s2', false)]);
      const first = await dead(subject, 't0');
      await destinations.report(names.map((to) => ({ ...first, to })));
      await destinations.report([{ ...first, tenant: 'other' }]);
      const seen: string[] = [];
      for (let after: string | null = ''; after !== null;) {
        const page = await destinations.list({ tenant: 'default', channel: 'push', state: 'dead', after, max: 3 });
        assert.ok(page.addresses.length <= 3, 'more than was asked for');
        seen.push(...page.addresses.map(({ address }) => address));
        after = page.next;
      }
      assert.deepEqual([...seen].sort(), names);
      const suppressed = await destinations.list({ tenant: 'default', channel: 'push', state: 'suppressed' });
      assert.deepEqual(
        suppressed.addresses.map(({ address }) => address),
        ['s1'],
      );
      assert.equal(suppressed.next, null);
    },
  },
  {
    law: 'forgets the health of addresses that nobody else has, but for those that are suppressed',
    async check(subject) {
      const { destinations } = subject;
      await destinations.register([phone('t1'), phone('t2', { id: 'tablet' })]);
      await destinations.report([await dead(subject, 't1')]);
      await destinations.suppress([suppression('t2', true)]);
      await destinations.forget([OWNER]);
      assert.deepEqual((await healthOf(subject, 't1')).evidence, []);
      assert.equal((await healthOf(subject, 't2')).state, 'suppressed');
      assert.equal(await told(subject), '');
    },
  },
  {
    law: 'refuses what is no evidence',
    async check(subject) {
      const evidence = await dead(subject, 't1');
      const bad = [
        { ...evidence, kind: 'alive' },
        { ...evidence, at: 1.5 },
        { ...evidence, reason: '' },
        { ...evidence, to: 7 },
        null,
      ];
      for (const each of bad)
        await assert.rejects(
          () => subject.destinations.report([evidence, each as never]),
          (error) => isSendonceError(error, 'OPTION_INVALID'),
        );
      assert.deepEqual((await healthOf(subject, 't1')).evidence, []);
    },
  },
];
