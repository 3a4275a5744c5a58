import type { MessageContent, NotifierConfig, Target } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { createJudge, type Judge } from '../../src/checkers/index.ts';
import type { SimulationSetup } from '../../src/plan.ts';
import { runOnce } from '../../src/run.ts';
import { realWorker } from '../../src/senders/parts.ts';
import type { SenderFactory } from '../../src/senders/sender.ts';
import { setupOf } from '../support/setup.ts';

const SETUP: SimulationSetup = setupOf({ recipients: 3, concurrency: 2 });
type Make = (order: unknown, target: Target) => MessageContent | Promise<MessageContent>;

const ofOrder: Make = (order, { to }) => ({ subject: `Order ${(order as { id: number }).id}`, text: to });
const LATER: Make = (order, target) => Promise.resolve(ofOrder(order, target));

/** A shop whose orders are routed, with a schema that changes what was given. */
function shop(content: Make, route: () => unknown = () => contacts): NotifierConfig {
  const capabilities = { idempotency: { kind: 'none' }, lookup: 'none', correlation: 'none', coalesce: false };
  const validate = (value: { id: number }) => ({ value: { id: value.id + 1_000 } });
  return {
    ledger: {},
    channels: { email: { providers: [{ name: 'mailer', capabilities }] } },
    notifications: {
      order: {
        class: 'document',
        schema: { '~standard': { version: 1, vendor: 'test', validate } },
        sample: (id: number) => ({ id }),
        key: (order: { id: number }) => `order-${order.id}`,
        route,
        content,
      },
    },
  } as unknown as NotifierConfig;
}
const contacts = ['buyer', 'seller', 'carrier'].map((who) => ({ channel: 'email', to: `${who}@example.com` }));

async function found(config: NotifierConfig, sender: SenderFactory = realWorker): Promise<string[]> {
  let judge: Judge | null = null;
  const raw = await runOnce({
    setup: SETUP,
    seed: 'shop',
    faults: [],
    sender,
    workload: { kind: 'config', config, samples: 2, targets: null },
    observe: (context) => {
      judge = createJudge(context);
      return [judge.observer];
    },
  });
  const { violations } = (judge as unknown as Judge).finish(raw.facts);
  return [...new Set(violations.map(({ invariant }) => invariant))];
}

/** The real worker over types that are made otherwise. */
const using =
  (change: (type: Record<string, unknown>) => Record<string, unknown>): SenderFactory =>
  (config, options) => {
    const types = Object.entries(config.notifications as unknown as Record<string, Record<string, unknown>>);
    const notifications = Object.fromEntries(types.map(([name, type]) => [name, { ...type, ...change(type) }]));
    return realWorker({ ...config, notifications } as unknown as NotifierConfig, options);
  };

describe.each([
  ['at once', ofOrder],
  ['later', LATER],
] as const)('of the user’s own types, whose content is made %s, the judge', (_when, content) => {
  test('finds nothing wrong with the real worker', async () => {
    expect(await found(shop(content))).toEqual([]);
  });

  test('sees another content, frozen or not', async () => {
    expect(
      await found(
        shop(content),
        using(() => ({ content: () => ({ subject: 'Order' }) })),
      ),
    ).toEqual(['S7']);
  });

  test('sees a recipient whom the route does not name', async () => {
    const stranger = [...contacts.slice(1), { channel: 'email', to: 'stranger@example.com' }];
    expect(
      await found(
        shop(content),
        using(() => ({ route: () => stranger })),
      ),
    ).toContain('S11');
  });

  test('sees a notification that is given up though its route works', async () => {
    const broken = (): never => {
      throw new Error('nobody knows');
    };
    expect(
      await found(
        shop(content),
        using(() => ({ route: broken })),
      ),
    ).toEqual(['END']);
  });

  test('finds nothing wrong where the route itself is broken', async () => {
    const broken = (): never => {
      throw new Error('nobody knows');
    };
    expect(await found(shop(content, broken))).toEqual([]);
  });
});

test('content that differs from call to call is not taken for a mix-up', async () => {
  let calls = 0;
  expect(await found(shop(() => ({ subject: `visitor ${(calls += 1)}` })))).toEqual([]);
});
