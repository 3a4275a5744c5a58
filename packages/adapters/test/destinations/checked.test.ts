import { beforeEach, expect, test } from 'vitest';
import type { Destinations } from '@sendonce/core';
import { memoryDestinations } from '@sendonce/core/memory';
import { systemClock } from '@sendonce/core/system';
import { phoneNumbers } from '../../src/addresses/phone.ts';
import { checkedDestinations } from '../../src/destinations/checked.ts';
import { testDestinations } from './suite.ts';

const rules = { sms: phoneNumbers({ defaultCountry: 'DE' }) };
const fresh = (): Destinations => checkedDestinations(memoryDestinations({ clock: systemClock }), rules);
testDestinations('destinations whose addresses are read by rules', fresh);

const ANN = { tenant: 'default', channel: 'sms', recipientId: 'ann' } as const;
const NUMBER = { tenant: 'default', channel: 'sms', to: '+491711234567' } as const;
let destinations: Destinations;
beforeEach(() => (destinations = fresh()));

test('a number is registered in its one form, and refused where it can be none, in its place', async () => {
  const answers = await destinations.register([
    { ...ANN, id: 'a', to: '12' },
    { ...ANN, id: 'b', to: '0171 1234567' },
    { ...ANN, id: 'c', to: '' },
    { ...ANN, id: 'd', to: '+49 (0)171 1234567' },
  ]);
  expect(answers.map(({ kind }) => kind)).toEqual(['refused', 'registered', 'refused', 'registered']);
  expect(await destinations.of([ANN])).toMatchObject([[{ id: 'd', to: NUMBER.to }]]);
});

test('a number is one address, however it is written, to every call', async () => {
  await destinations.register([{ ...ANN, id: 'a', to: '0171 1234567' }]);
  const typed = { ...NUMBER, to: '0049 171 1234567' };
  await destinations.report([{ ...typed, kind: 'dead', at: Date.now() + 1_000, provider: 'p', reason: 'gone' }]);
  expect(await destinations.health([{ ...NUMBER, to: '0171/1234567' }])).toMatchObject([{ state: 'dead' }]);
  await destinations.suppress([{ ...typed, suppressed: true, reason: 'stop', by: 'ann' }]);
  expect(await destinations.health([NUMBER])).toMatchObject([{ state: 'suppressed', address: NUMBER.to }]);
  expect(await destinations.remove([{ ...ANN, to: '0171-1234567' }])).toEqual([{ kind: 'removed' }]);
});
