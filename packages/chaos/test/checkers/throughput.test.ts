import { expect, test } from 'vitest';
import { createJudge, type EndFacts } from '../../src/checkers/index.ts';
import type { Observer } from '../../src/history.ts';
import { traceHash } from '../../src/trace-hash.ts';
import { ManyDeliveries } from '../support/many-deliveries.ts';
import { Story } from '../support/story.ts';

const DELIVERIES = 100_000;

/** Microseconds per delivery that an observer needs. Printed, not asserted: the figure is the machine's. */
function watch(name: string, many: ManyDeliveries, observer: Observer): void {
  let elapsedMs = 0;
  let events = 0;
  for (const step of many.steps()) {
    const startedAt = performance.now();
    for (const event of step) observer.on(event);
    elapsedMs += performance.now() - startedAt;
    events += step.length;
  }
  const each = ((elapsedMs * 1_000) / DELIVERIES).toFixed(2);
  console.log(
    `${name}: ${each} µs per delivery, ${((elapsedMs * 1e6) / events).toFixed(0)} ns per event (${DELIVERIES} deliveries)`,
  );
}

function factsOf(many: ManyDeliveries): EndFacts {
  const { ids } = many;
  return new Story(0).facts({
    requested: [...ids.keys()],
    deliveries: ids.map((id, recipient) => {
      const counts = { attempts: 1, charged: 1, createdAt: 0, expiresAt: null };
      return { id, recipient, generation: 0, state: 'sent', assumed: false, reason: null, ...counts };
    }),
    mailbox: ids.map((deliveryId, recipient) => ({ recipient, provider: 'p0', deliveryId, body: '', at: 0 })),
    deadLetters: new Set(),
    liveness: { endedAt: DELIVERIES + 1_000 },
  });
}

test('the judge says of a large healthy history that everyone got one message', () => {
  const many = new ManyDeliveries(DELIVERIES);
  const judge = createJudge(many.context);
  watch('judge', many, judge.observer);
  const facts = factsOf(many);
  const startedAt = performance.now();
  const { violations, requested, tally } = judge.finish(facts);
  console.log(
    `judge, at the end: ${(((performance.now() - startedAt) * 1_000) / DELIVERIES).toFixed(2)} µs per delivery`,
  );
  expect(violations).toEqual([]);
  expect(requested).toBe(DELIVERIES);
  expect(tally.once).toBe(DELIVERIES);
});

test('the trace hash of a large history is the same twice', () => {
  const many = new ManyDeliveries(DELIVERIES);
  const once = traceHash();
  const again = traceHash();
  watch('trace hash', many, once);
  watch('trace hash', many, again);
  expect(once.digest()).toBe(again.digest());
});
