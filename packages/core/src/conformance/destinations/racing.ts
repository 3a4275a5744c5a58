import assert from 'node:assert/strict';
import type { Law } from '../contract.ts';
import { dead, healthOf, OTHER, OWNER, phone, told, type DestinationsSubject } from './subject.ts';

/** What calls at one moment come to. */
export const racingLaws: readonly Law<DestinationsSubject>[] = [
  {
    law: 'gives an address to one of those who register it at one moment, and to nobody else',
    async check(subject) {
      const owners = Array.from({ length: 8 }, (_, i) => ({ ...OWNER, recipientId: `r${i}` }));
      await Promise.all(owners.map((owner) => subject.destinations.register([{ ...owner, id: 'x', to: 't1' }])));
      const found = await subject.destinations.of(owners);
      assert.deepEqual(
        found.flat().map(({ to }) => to),
        ['t1'],
      );
    },
  },
  {
    law: 'loses none of what is registered for one owner at one moment',
    async check(subject) {
      const ids = Array.from({ length: 8 }, (_, i) => `id-${i}`);
      await Promise.all(ids.map((id) => subject.destinations.register([{ ...OWNER, id, to: `to-${id}` }])));
      const [found = []] = await subject.destinations.of([OWNER]);
      assert.deepEqual(found.map(({ id }) => id).sort(), ids);
    },
  },
  {
    law: 'believes the registration that comes with evidence from before it, whichever is written first',
    async check(subject) {
      await subject.destinations.register([phone('t1')]);
      const evidence = await dead(subject, 't1');
      await subject.elapse(subject.unitMs);
      await Promise.all([
        subject.destinations.report([evidence]),
        subject.destinations.register([phone('t1')]),
        subject.destinations.report([{ ...evidence, reason: 'again' }]),
      ]);
      assert.equal((await healthOf(subject, 't1')).state, 'usable');
    },
  },
  {
    law: 'decides on batches that meet in several addresses as if one came after the other',
    async check(subject) {
      const names = Array.from({ length: 30 }, (_, i) => `t${i}`);
      const batch = (owner: typeof OWNER, order: readonly string[]): Promise<unknown> =>
        subject.destinations.register(order.map((to) => ({ ...owner, id: to, to })));
      await Promise.all([batch(OWNER, names), batch(OTHER, [...names].reverse())]);
      const both = [await told(subject), await told(subject, OTHER)].join(' ').trim().split(' ');
      assert.deepEqual(both.sort(), [...names].sort());
    },
  },
];
