import { describe, expect, test } from 'vitest';
import type { TargetInput } from '../../src/index.ts';
import { expectHonest } from '../support/audit.ts';
import { world } from '../support/world.ts';

describe('a notification to 100,000', () => {
  test('given one by one is stored page by page, expanded page by page and told to each once', async () => {
    const made = world();
    const expanded: number[] = [];
    const hook = async (
      call: { readonly on: string; readonly args: readonly unknown[] },
      go: () => Promise<unknown>,
    ): Promise<unknown> => {
      if (call.on === 'ledger.add')
        expanded.push(
          ...(call.args[0] as { deliveries: readonly unknown[] }[]).map(({ deliveries }) => deliveries.length),
        );
      return go();
    };
    async function* everybody(): AsyncGenerator<TargetInput> {
      for (let i = 0; i < 100_000; i += 1) yield { channel: 'email', to: `p${i}@example.org` };
    }
    await made.notifier.publish('order', { id: 'o-1', people: 0 }, { recipients: everybody() });
    made.start({ hook, worker: { concurrency: 2_000, batch: 1_000 } });
    await made.untilDone();
    await expectHonest(made, 100_000);
    expect(Math.max(...expanded)).toBe(500);
    expect(expanded).toHaveLength(200);
  });

  test('does not keep a small one waiting until its end', async () => {
    const made = world();
    made.providers[0]?.answerWith(() => ({ replyAfterMs: 500 }));
    made.start({ worker: { concurrency: 50, batch: 50 } });
    await made.notifier.publish('order', { id: 'big', people: 20_000 });
    await made.advance(2_000);
    const small = await made.notifier.publish(
      'order',
      { id: 'small', people: 1 },
      { recipients: [{ channel: 'email', to: 'small@example.org' }] },
    );
    await made.until(
      'the small one is told',
      () => made.mailbox().some(({ to }) => to === 'small@example.org'),
      60_000,
    );
    expect(small.kind).toBe('accepted');
    expect(made.mailbox().length).toBeLessThan(15_000);
  });
});
