import { describe, expect, test } from 'vitest';
import type { TargetInput } from '../../src/index.ts';
import { expectHonest } from '../support/audit.ts';
import { world, type Order } from '../support/world.ts';

const person = (i: number): TargetInput => ({ channel: 'email', to: `p${i}@example.org` });
const people = (count: number): TargetInput[] => Array.from({ length: count }, (_, i) => person(i));
const circular: Record<string, unknown> = {};
circular['self'] = circular;

const BAD: readonly (readonly [what: string, target: unknown, reason: RegExp])[] = [
  ['null', null, /^invalid target: a target must be an object/],
  ['an address alone', 'p9@example.org', /^invalid target: a target must be an object/],
  ['no channel', { to: 'p9@example.org' }, /^invalid target: channel must be one of/],
  ['what is no channel', { channel: 'fax', to: '+4915123456789' }, /^channel 'fax' has no provider in the config$/],
  ['a number for an id', { ...person(9), id: 7 }, /^invalid target: id must be a text/],
  ['a number for a destination', { ...person(9), destinationId: 5 }, /^invalid target: destinationId must be a text/],
  ['a bigint', { ...person(9), n: 1n }, /^invalid target: target\.n is a bigint/],
  ['a cycle', { ...person(9), me: circular }, /^invalid target: target\.me\.self is a circular reference/],
  ['a list of addresses', { channel: 'email', to: 'a,b@example.org' }, /^invalid address: ',' may not stand/],
];

/** Ways to give somebody's recipients, the bad one among them. */
const SOURCES: readonly (readonly [
  source: string,
  of: (targets: TargetInput[]) => Iterable<TargetInput> | AsyncIterable<TargetInput>,
])[] = [
  ['a list', (targets) => targets],
  ['a long list', (targets) => [...targets, ...people(30).slice(10)]],
  [
    'a generator',
    function* (targets) {
      yield* targets;
    },
  ],
  [
    'an async generator',
    async function* (targets) {
      yield* targets;
    },
  ],
];

describe.each(BAD)('a target with %s', (_what, target, reason) => {
  test.each(SOURCES)('in %s that a route gives fails alone and at once', async (_source, of) => {
    const route = ({ id, people: count }: Order) =>
      id === 'bad' ? of([person(0), target as TargetInput, person(1)]) : people(count);
    const made = world({ order: { route }, worker: { chunk: 10 } });
    const worker = made.start();
    for (let i = 0; i < 10; i += 1)
      await made.notifier.publish('order', { id: i === 4 ? 'bad' : `good-${i}`, people: 2 });
    await made.untilDone(5_000);
    const failed = (await made.deliveries()).filter(({ state }) => state !== 'sent');
    expect(failed).toMatchObject([{ state: 'failed', reason: expect.stringMatching(reason) }]);
    await expectHonest(made, made.mailbox().length + 1);
    expect(made.mailbox().length).toBeGreaterThanOrEqual(20);
    expect(worker.events.some(({ kind }) => kind === 'worker.degraded')).toBe(false);
  });

  test.each(SOURCES)('in %s that a producer gives fails alone, and its batch is accepted', async (_source, of) => {
    const made = world({ worker: { chunk: 10 } });
    made.start();
    const results = await made.notifier.publishMany('order', [
      { data: { id: 'a', people: 1 } },
      { data: { id: 'b', people: 0 }, recipients: of([person(0), target as TargetInput, person(1)]) },
      { data: { id: 'c', people: 1 } },
    ]);
    expect(results.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted']);
    await made.untilDone(5_000);
    const failed = (await made.deliveries()).filter(({ state }) => state !== 'sent');
    expect(failed).toMatchObject([{ state: 'failed', reason: expect.stringMatching(reason) }]);
    await expectHonest(made, made.mailbox().length + 1);
  });
});

describe('a batch of publishes', () => {
  test('has the error of a ledger that breaks off in its place, and keeps the others', async () => {
    const made = world({ worker: { chunk: 10 } });
    let seals = 0;
    const { notifier } = made.start({
      hook: async (call, go) => {
        if (call.on === 'ledger.seal' && (seals += 1) === 2) throw new Error('connection lost');
        return go();
      },
    });
    const long = () => new Set(people(25));
    const results = await notifier.publishMany('order', [
      { data: { id: 'a', people: 0 }, recipients: long() },
      { data: { id: 'b', people: 0 }, recipients: long() },
    ]);
    expect(results).toMatchObject([
      {
        kind: 'failed',
        error: {
          code: 'LEDGER_UNAVAILABLE',
          message: expect.stringMatching(/\(default, order, a\) could not be stored: Error: connection lost/),
        },
      },
      { kind: 'accepted', record: { sealed: true, targets: 25 } },
    ]);
  });
});
