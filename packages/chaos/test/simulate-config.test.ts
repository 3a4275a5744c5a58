import type { AddressRule, NotifierConfig, Provider } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import type { SimulationSetup } from '../src/plan.ts';
import { replayPlan, simulate } from '../src/simulate.ts';
import { setupOf } from './support/setup.ts';

const provider = (name: string, idempotency: Provider['capabilities']['idempotency']): Provider => ({
  name,
  capabilities: {
    idempotency,
    lookup: 'none',
    correlation: 'none',
    coalesce: false,
    events: 'none',
  } as Provider['capabilities'],
  send: () => Promise.reject(new Error('a simulation sends nothing')),
  close: () => Promise.resolve(),
});

interface Order {
  readonly id: string;
  readonly size: number;
}

/** `size` decides how many people an order reaches; the newsletter goes to the list, or to people from the seed. */
function shop(
  changes: {
    readonly route?: (order: Order) => unknown;
    readonly content?: (order: Order, to: { readonly to: string }) => unknown;
    readonly size?: number;
  } = {},
): NotifierConfig {
  const { size = 2 } = changes;
  const people = (order: Order) =>
    Array.from({ length: order.size }, (_, n) => ({ channel: 'email', to: `${order.id}-${n}@shop.example` }));
  return {
    channels: {
      email: {
        providers: [provider('mail', { kind: 'key', windowMs: 86_400_000 }), provider('spare', { kind: 'none' })],
      },
    },
    notifications: {
      news: {
        class: 'marketing',
        expiresInMs: 86_400_000,
        key: () => 'news',
        content: () => ({ text: 'news' }),
        sample: () => ({}),
      },
      order: {
        class: 'document',
        key: ({ id }: Order) => id,
        route: changes.route ?? people,
        content: changes.content ?? (({ id }: Order) => ({ text: id })),
        sample: (i: number) => ({ id: `o-${i}`, size }),
      },
    },
  } as unknown as NotifierConfig;
}

const SETUP: SimulationSetup = setupOf({ recipients: 12, workers: 3 });

const withIds = (): NotifierConfig =>
  shop({
    route: ({ id, size }) =>
      Array.from({ length: size }, (_, n) => ({
        channel: 'email',
        to: `${id}-${n}@shop.example`,
        id: `customer ${id}/${n}`,
      })),
    content: ({ id }, { to }) => {
      if (to.startsWith('o-4-1@')) throw new Error('nothing to say');
      return { text: id };
    },
  });

const run = (config: NotifierConfig, more: Partial<Parameters<typeof simulate>[0]> = {}, samples = 12) => {
  return simulate({
    setup: { ...SETUP, recipients: samples },
    seed: 'shop',
    faults: [],
    workload: { kind: 'config', config, samples, targets: null },
    explain: false,
    ...more,
  });
};

describe('the types of a user', () => {
  test('reach everybody once, though nobody knew the recipients beforehand', async () => {
    const { result, verdict } = await run(shop());
    expect([result.violations, verdict]).toEqual([[], 'pass']);
    expect(result).toMatchObject({ requested: 12 + 24, tally: { once: 36 } });
  });

  test('may reach more people by one notification than have numbers set apart', async () => {
    const { result } = await run(shop({ size: 260 }), {}, 3);
    expect(result.violations).toEqual([]);
    expect(result.tally.once).toBe(3 + 780);
  });

  test('lose nobody to kills, and the plan of a kill can be addressed', async () => {
    const { result, verdict } = await run(shop(), {
      faults: [
        { do: 'kill', acceptance: 5, moment: 'after-accept' },
        { do: 'kill', acceptance: 20, moment: 'before-ack' },
        { do: 'kill', op: 'provider.send', entity: 'r301', nth: 1, phase: 'A' },
      ],
    });
    expect(result.violations).toEqual([]);
    expect(result.fired).toEqual([true, true, true]);
    expect([verdict, result.requested]).toEqual(['pass', 36]);
  });

  test('lose nobody to lost replies', async () => {
    const { result, verdict } = await run(shop(), { dropAcks: 0.3 });
    expect([result.violations, verdict]).toEqual([[], 'pass']);
    const { recovered, resent, assumed } = result.tally;
    expect(recovered + resent + assumed).toBeGreaterThan(3);
    // A recipient may be struck more than once.
    expect(recovered + resent + assumed).toBeLessThanOrEqual(result.fired.filter(Boolean).length);
  });

  test('are read by the rules of their channels: whom a rule refuses is failed and explained, and kills make nobody two', async () => {
    const people = ({ id }: Order) =>
      ['a+own', 'a', 'refused'].map((name) => ({ channel: 'email', to: `${name}-${id}@shop.example` }));
    const { channels, ...config } = shop({ route: people });
    const addresses: AddressRule = (to) =>
      to.startsWith('refused')
        ? { kind: 'unusable', problem: 'refused by the rule' }
        : { kind: 'usable', to: to.replace('+own-', '-') };
    const withRule = { ...config, channels: { email: { ...channels.email!, addresses } } };
    const { result, verdict } = await run(withRule, {
      faults: [
        { do: 'kill', acceptance: 5, moment: 'after-accept' },
        { do: 'kill', acceptance: 15, moment: 'before-ack' },
      ],
    });
    expect([result.violations, verdict]).toEqual([[], 'pass']);
    // The newsletter's 12, and of each order one who is told and one who is refused.
    const { once, recovered, failed } = result.tally;
    expect([result.requested, once + recovered, failed]).toEqual([12 + 24, 12 + 12, 12]);
  });

  test('pass a search with every kind of fault', async () => {
    const report = await run(shop(), { profile: ['all'], schedules: 40 });
    expect(report.result.violations).toEqual([]);
    expect(report.verdict).toBe('pass');
    expect(report.totals.fired).toBeGreaterThan(50);
  });
});

describe('a type that throws for one row', () => {
  const thrown = (id: string) => {
    throw new Error(`${id} is broken`);
  };

  test('in its content costs that recipient alone, listed with the reason', async () => {
    const config = shop({ content: ({ id }, { to }) => (to === 'o-4-1@shop.example' ? thrown(to) : { text: id }) });
    const { result, verdict, addressOf } = await run(config, {
      faults: [{ do: 'kill', acceptance: 9, moment: 'after-accept' }],
    });
    expect([result.violations, verdict]).toEqual([[], 'pass']);
    expect(result.tally.failed).toBe(1);
    expect(result.tally.once + result.tally.recovered).toBe(35);
    expect(result.notSent).toEqual([
      { recipient: 'r501', state: 'failed', reason: 'content threw Error: o-4-1@shop.example is broken', own: true },
    ]);
    expect(addressOf['r501']).toBe('o-4-1@shop.example');
  });

  test('in its route costs that notification alone, listed under its own name with the reason', async () => {
    const config = shop({
      route: ({ id }) => (id === 'o-4' ? thrown(id) : [{ channel: 'email', to: `${id}@shop.example` }]),
    });
    const { result, verdict } = await run(config, { faults: [{ do: 'kill', acceptance: 9, moment: 'after-accept' }] });
    expect([result.violations, verdict]).toEqual([[], 'pass']);
    expect(result.requested).toBe(12 + 11);
    expect(result.notSent).toEqual([
      {
        recipient: 'order o-4',
        state: 'failed',
        reason: expect.stringContaining('o-4 is broken') as string,
        own: true,
      },
    ]);
  });

  test('in an address that it leaves empty is told by its notification, in one schedule and in a search', async () => {
    const config = shop({ route: ({ id }) => [{ channel: 'email', to: id === 'o-4' ? '' : `${id}@shop.example` }] });
    const { result, idOf, addressOf } = await run(config, {});
    const [{ recipient = '' } = {}] = result.notSent;
    expect(result.notSent).toEqual([expect.objectContaining({ state: 'failed', own: true })]);
    expect([idOf[recipient], addressOf[recipient]]).toEqual(['order o-4', '']);
    const { ends } = await run(config, { schedules: 2, profile: ['slow'] });
    expect(ends?.lines).toEqual(
      [1, 2].map(() => expect.objectContaining({ recipient: 'order o-4', to: '' }) as unknown),
    );
  });
});

describe('a failing run of a user’s types', () => {
  test('gets smaller, and its plan alone, without the number of samples, gives the same run again', async () => {
    const config = shop();
    const always = { do: 'reply-lost', op: 'provider.send', entity: '*', nth: 1, phase: 'A' } as const;
    const report = await run(config, { faults: [always], setup: { ...SETUP, sender: 'key-per-attempt' } });
    const { plan, result } = report.minimal ?? {};
    expect(report.verdict).toBe('violation');
    if (plan === undefined || result === undefined) throw new Error('no minimal plan');
    const samples = typeof plan.setup.recipients === 'number' ? plan.setup.recipients : plan.setup.recipients.length;
    expect(samples).toBeLessThan(12);
    const again = await replayPlan(plan, { workload: { kind: 'config', config, samples, targets: null } });
    expect([again.traceHash, again.result.tally]).toEqual([result.traceHash, result.tally]);
  });
});

describe('types that do not depend on what they are given alone', () => {
  const impure: readonly (readonly [what: string, changes: () => Parameters<typeof shop>[0]])[] = [
    [
      'a route',
      () => {
        let calls = 0;
        return { route: ({ id }) => [{ channel: 'email', to: `${id}-${(calls += 1)}@shop.example` }] };
      },
    ],
    [
      'a content',
      () => {
        let calls = 0;
        return { content: ({ id }) => ({ text: `${id} ${(calls += 1)}` }) };
      },
    ],
  ];
  test.each(impure)('give a verdict of their own, whatever else was broken: %s', async (_what, changes) => {
    const report = await run(shop(changes()), { schedules: 2 });
    const { seed, first, second } = report.nondeterminism ?? {};
    expect([report.verdict, seed]).toEqual(['nondeterminism', 'shop']);
    expect(first).not.toBe(second);
  });
});

describe('recipients with ids of the user’s own', () => {
  test('are named by them, in one schedule and in many', async () => {
    const one = await run(withIds());
    const [letter] = one.result.notSent;
    expect(letter).toMatchObject({ state: 'failed' });
    const { recipient = '' } = letter ?? {};
    expect(one.idOf[recipient]).toBe('customer o-4/1');
    expect(one.addressOf[recipient]).toBe('o-4-1@shop.example');
    const many = await run(withIds(), { schedules: 3 });
    expect(many.ends?.lines).toContainEqual(
      expect.objectContaining({ kind: 'failed', recipient: 'customer o-4/1', to: 'o-4-1@shop.example' }),
    );
  });
});

describe('content of a user', () => {
  const kept: { text?: string; parts: { id?: string }[] } = { parts: [{}] };
  const fill = (id: string) => {
    kept.text = id;
    kept.parts[0]!.id = id;
    return kept;
  };
  const turns = async (count: number) => {
    for (let i = 0; i < count; i += 1) await Promise.resolve();
  };

  test.each<[what: string, content: (order: Order) => unknown]>([
    ['has a date and an undefined in it', ({ id }) => ({ text: id, at: new Date(0), no: undefined })],
    ['says itself what it is as JSON', ({ id }) => ({ toJSON: () => ({ text: id }) })],
    ['is a thenable of its own', ({ id }) => ({ then: (done: (of: unknown) => void) => done({ text: id }) })],
    ['fills one object after a turn', async ({ id }) => (await turns(1), fill(id))],
    ['fills one object after a while', async ({ id }) => (await turns(100), fill(id))],
    ['fills one object in a new one after a while', async ({ id }) => (await turns(100), { ...fill(id) })],
  ])('that %s raises no false alarm', async (_what, content) => {
    const { result, verdict } = await run(shop({ content }), { setup: setupOf({ recipients: 12, workers: 1 }) });
    expect([result.violations, verdict]).toEqual([[], 'pass']);
    expect(result.tally.once).toBe(36);
  });
});

describe('what a user’s own parts allow', () => {
  test('is what counts: a route with more than maxTargets tells nobody', async () => {
    const { result } = await run({ ...shop(), worker: { maxTargets: 1, chunk: 1 } });
    expect(result.violations).toEqual([]);
    expect(result.tally.once).toBe(12);
  });

  test('is what counts: a message that an adapter would not take is failed with its reason, and nothing is delivered', async () => {
    const config = shop({ content: ({ id }) => (id === 'o-3' ? { txt: id } : { text: id }) });
    for (const each of config.channels.email!.providers)
      (each as { check?: Provider['check'] }).check = ({ content }) =>
        typeof content['text'] === 'string' ? null : { kind: 'rejected', scope: 'message', reason: "needs a 'text'" };
    const { result, verdict } = await run(config);
    expect([result.violations, verdict]).toEqual([[], 'pass']);
    expect(result.tally).toMatchObject({ once: 34, failed: 2 });
    expect(JSON.stringify(result)).toContain("needs a 'text'");
  });
});
