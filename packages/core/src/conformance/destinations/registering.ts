import assert from 'node:assert/strict';
import { isSendonceError } from '../../model/errors.ts';
import { MOST_PER_RECIPIENT, type DestinationOwner, type RegisterRequest } from '../../ports/destinations.ts';
import type { Law } from '../contract.ts';
import { active, OTHER, OWNER, phone, told, type DestinationsSubject } from './subject.ts';

/** Who can be reached where: registering, seeing again, rotating, moving, removing. */
export const registeringLaws: readonly Law<DestinationsSubject>[] = [
  {
    law: 'answers the active registrations of each owner, in the order in which they were made, with their data',
    async check(subject) {
      const { destinations } = subject;
      const requests = ['c', 'a', 'b'].map((id) => ({ ...OWNER, id, to: `to-${id}`, data: { n: [id] } }));
      await destinations.register([...requests, { ...OTHER, id: 'a', to: 'elsewhere' }]);
      const nobody = { ...OWNER, recipientId: 'nobody' };
      const [ofNobody, ofOther, ofOwner] = await destinations.of([nobody, OTHER, OWNER]);
      assert.deepEqual(ofNobody, []);
      assert.deepEqual(
        ofOther?.map(({ to }) => to),
        ['elsewhere'],
      );
      assert.deepEqual(
        ofOwner?.map(({ id, to, data, removedAt }) => ({ id, to, data, removedAt })),
        requests.map(({ id, to, data }) => ({ id, to, data, removedAt: null })),
      );
      assert.deepEqual(ofOwner?.[0]?.health, { state: 'usable', since: null, reason: null });
    },
  },
  {
    law: 'keeps tenants, channels and recipients apart',
    async check(subject) {
      const others: readonly DestinationOwner[] = [
        { ...OWNER, tenant: 'other' },
        { ...OWNER, channel: 'in-app' },
        OTHER,
      ];
      await subject.destinations.register([phone('t1')]);
      for (const other of others) assert.equal(await told(subject, other), '');
      await subject.destinations.report([
        { ...OWNER, tenant: 'other', to: 't1', kind: 'dead', at: Number.MAX_SAFE_INTEGER, provider: 'p', reason: 'r' },
      ]);
      assert.equal((await active(subject))[0]?.health.state, 'usable');
    },
  },
  {
    law: 'keeps ids, addresses and data of any text as they are',
    async check(subject) {
      const odd = ['ü😀', "it's; -- {x}", 'a\nb\u0000c\u007f\u2028', '\ud800', '["x"]', '\\u0000'];
      const owners = odd.map((text): DestinationOwner => ({
        ...OWNER,
        tenant: text,
        recipientId: text,
        channel: 'in-app',
      }));
      await subject.destinations.register(
        owners.map((owner, at) => ({ ...owner, id: odd[at]!, to: `to ${at}`, data: { text: odd[at] } })),
      );
      const found = await subject.destinations.of(owners);
      assert.deepEqual(
        found.map((all) => all.map(({ id, data }) => [id, data])),
        odd.map((text) => [[text, { text }]]),
      );
    },
  },
  {
    law: 'moves only the time at which it was seen, when the same is registered again',
    async check(subject) {
      const { destinations, unitMs } = subject;
      const first = await destinations.register([phone('t1')]);
      const [before] = await active(subject);
      await subject.elapse(unitMs);
      const again = await destinations.register([phone('t1', { data: { locale: 'de' } })]);
      const [after] = await active(subject);
      assert.deepEqual(first, [{ kind: 'registered', revived: false, movedFrom: null }]);
      assert.deepEqual(again, [{ kind: 'seen', revived: false, movedFrom: null }]);
      assert.equal(after?.registeredAt, before?.registeredAt);
      assert.ok((after?.seenAt ?? 0) > (before?.seenAt ?? 0), 'seenAt did not move');
      assert.deepEqual(after?.data, { locale: 'de' });
    },
  },
  {
    law: 'rotates: another address under the same id takes the place of the former one',
    async check(subject) {
      const { destinations } = subject;
      await destinations.register([phone('t1'), phone('tab', { id: 'tablet' })]);
      assert.deepEqual(await destinations.register([phone('t2')]), [
        { kind: 'rotated', revived: false, movedFrom: null },
      ]);
      assert.equal(await told(subject), 't2 tab');
      // Whoever has it now keeps it.
      await destinations.register([{ ...OTHER, id: 'phone', to: 't1' }]);
      assert.equal(await told(subject, OTHER), 't1');
      assert.equal(await told(subject), 't2 tab');
    },
  },
  {
    law: 'moves an address of channel push to whoever registered it last, so that a phone shows the messages of one person alone',
    async check(subject) {
      const { destinations } = subject;
      await destinations.register([phone('t1')]);
      assert.deepEqual(await destinations.register([{ ...OTHER, id: 'x', to: 't1' }]), [
        { kind: 'registered', revived: false, movedFrom: 'ann' },
      ]);
      assert.equal(await told(subject), '');
      assert.equal(await told(subject, OTHER), 't1');
    },
  },
  {
    law: 'decides on the items of one call one after the other',
    async check(subject) {
      const verdicts = await subject.destinations.register([
        phone('t1'),
        { ...OTHER, id: 'x', to: 't1' },
        phone('t2'),
        { ...OTHER, id: 'x', to: 't2' },
        phone('t1'),
      ]);
      assert.deepEqual(
        verdicts.map((each) => (each.kind === 'refused' ? each.reason : [each.kind, each.movedFrom])),
        [
          ['registered', null],
          ['registered', 'ann'],
          ['registered', null],
          ['rotated', 'ann'],
          ['registered', null],
        ],
      );
      assert.equal(await told(subject), 't1');
      assert.equal(await told(subject, OTHER), 't2');
    },
  },
  {
    law: 'keeps an address that two recipients share elsewhere than on push, and once for each of them',
    async check(subject) {
      const family: RegisterRequest = { ...OWNER, channel: 'email', id: 'home', to: 'Family@Example.org' };
      const mine = { tenant: 'default', channel: 'email', recipientId: 'ann' } as const;
      await subject.destinations.register([family, { ...family, recipientId: 'bob' }]);
      await subject.destinations.register([{ ...family, id: 'other', to: 'family@example.org' }]);
      assert.equal(await told(subject, mine), 'family@example.org');
      assert.equal(await told(subject, { ...mine, recipientId: 'bob' }), 'Family@Example.org');
    },
  },
  {
    law: 'removes by id and by address, and calls what is not there absent',
    async check(subject) {
      const { destinations } = subject;
      await destinations.register(['a', 'b', 'c'].map((id) => ({ ...OWNER, id, to: `to-${id}` })));
      const requests = [
        { ...OWNER, id: 'a' },
        { ...OWNER, to: 'to-b' },
        { ...OWNER, id: 'a' },
        { ...OTHER, to: 'to-c' },
      ];
      assert.deepEqual(
        (await destinations.remove(requests)).map(({ kind }) => kind),
        ['removed', 'removed', 'absent', 'absent'],
      );
      assert.equal(await told(subject), 'to-c');
      const [all = []] = await destinations.of([OWNER], { removed: true });
      assert.deepEqual(
        all.map(({ id, removedAt }) => [id, removedAt === null]),
        [
          ['a', false],
          ['b', false],
          ['c', true],
        ],
      );
    },
  },
  {
    law: 'lets the one that was not seen for longest go where an owner has too many',
    async check(subject) {
      const { destinations } = subject;
      const ids = Array.from({ length: MOST_PER_RECIPIENT }, (_, i) => `id-${i}`);
      await destinations.register(ids.map((id) => ({ ...OWNER, id, to: `to-${id}` })));
      await subject.elapse(subject.unitMs);
      await destinations.register([phone('to-id-0', { id: 'id-0' })]);
      await destinations.register([phone('one more')]);
      const left = (await active(subject)).map(({ id }) => id);
      assert.deepEqual(left, ['id-0', ...ids.slice(2), 'phone']);
    },
  },
  {
    law: 'refuses an address that can never work, and registers the others of the call',
    async check(subject) {
      const mail = { ...OWNER, channel: 'email' as const };
      const [bad, good] = await subject.destinations.register([
        { ...mail, id: 'a', to: 'no address' },
        { ...mail, id: 'b', to: 'a@b.example' },
      ]);
      assert.equal(bad?.kind, 'refused');
      assert.equal(good?.kind, 'registered');
      assert.equal(await told(subject, mail), 'a@b.example');
    },
  },
  {
    law: 'writes nothing of a call with an item that is no request',
    async check({ destinations }) {
      const calls = [
        () => destinations.register([phone('t1'), phone('')]),
        () => destinations.register([phone('t1'), { ...phone('t2'), data: 7 as never }]),
        () => destinations.register([{ ...phone('t1'), channel: 'pigeon' as never }]),
        () => destinations.remove([{ ...OWNER } as never]),
        () => destinations.register(7 as never),
      ];
      for (const call of calls) await assert.rejects(call, (error) => isSendonceError(error, 'OPTION_INVALID'));
      assert.deepEqual(await destinations.of([OWNER]), [[]]);
    },
  },
  {
    law: 'forgets a recipient on every channel and leaves the others alone',
    async check(subject) {
      const { destinations } = subject;
      const mail = { ...OWNER, channel: 'email' as const, id: 'm', to: 'a@b.example' };
      await destinations.register([phone('t1'), mail, { ...mail, recipientId: 'bob' }]);
      await destinations.remove([{ ...OWNER, id: 'phone' }]);
      assert.deepEqual(await destinations.forget([OWNER, { ...OWNER, recipientId: 'nobody' }]), [2, 0]);
      assert.deepEqual(await destinations.of([OWNER, { ...OWNER, channel: 'email' }], { removed: true }), [[], []]);
      assert.equal(await told(subject, { ...OTHER, channel: 'email' }), 'a@b.example');
    },
  },
];
