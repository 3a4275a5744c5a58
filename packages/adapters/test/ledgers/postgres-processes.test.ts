import { rmSync } from 'node:fs';
import { notificationId } from '@sendonce/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { places, type PostgresPlace } from './postgres/places.ts';
import { bundledChild, child } from './processes/children.ts';
import { testProcesses } from './processes/suite.ts';
import { newNotification, targetOf } from './support.ts';

const { make, open } = places();

testProcesses({ make, openLedger: (place) => open(place as PostgresPlace) });

describe('an application that publishes in its own transaction', () => {
  let script = '';
  beforeAll(async () => {
    script = await bundledChild();
  });
  afterAll(() => rmSync(script, { force: true }));

  test.for([
    ['before-commit', 0],
    ['after-commit', 1],
  ] as const)('and is killed %s leaves %d notifications, and a worker takes up what is there', async ([dies, left]) => {
    const place = await make();
    const id = notificationId('default', 'order', 'k1');
    const doomed = await child(script, place);
    await doomed.outbox({ notification: newNotification(id, 'k1', [targetOf(1)]), dies });
    const lease = { owner: 'w1', requestId: 'r1', leaseMs: 30_000 };
    const claimed = await open(place).claimNotifications({ due: 10, lateMs: 0 }, lease);
    expect(claimed.map((each) => each.id)).toEqual([id].slice(0, left));
  });
});
