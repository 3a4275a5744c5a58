import { describe, expect, test } from 'vitest';
import type { DeliveryState, SettleVerdict } from '../../src/index.ts';
import type { Hook } from '../support/tap.ts';
import { world } from '../support/world.ts';

/** PROTOCOL rule 5, judged at the settle's answer: what the ledger says is not what happens to it here. */
describe('rule 5: the wake of an attempt that ended', () => {
  const settled = (state: DeliveryState, kind: 'settled' | 'evidence' = 'settled') => ({
    kind,
    state,
    duplicate: false,
  });
  const CASES: readonly { readonly verdict: object; readonly acked: boolean }[] = [
    ...(['sent', 'failed', 'dead', 'retry-scheduled', 'unknown', 'delivered'] as const).map((state) => ({
      verdict: settled(state),
      acked: true,
    })),
    { verdict: settled('sent', 'evidence'), acked: true },
    { verdict: settled('processing', 'evidence'), acked: false },
    { verdict: settled('dispatching', 'evidence'), acked: false },
    { verdict: { kind: 'absent' }, acked: false },
  ];

  test.each(CASES)(
    'is acked where the ledger owns the delivery: $verdict.kind $verdict.state ($acked)',
    async ({ verdict, acked }) => {
      const made = world();
      const calls: string[] = [];
      const answering: Hook = async (call, go) => {
        if (call.on === 'queue.ack' || call.on === 'queue.release')
          calls.push(...(call.args[0] as { id: string }[]).map(({ id }) => `${call.on} ${id}`));
        const answer = await go();
        if (call.on !== 'ledger.settle') return answer;
        return (answer as SettleVerdict[]).map(({ id }) => ({ id, ...verdict }));
      };
      const worker = made.start({ hook: answering });
      await made.notifier.publish('order', { id: 'o-1', people: 1 });
      await made.until('it is settled', async () => (await made.states()).sent === 1);
      worker.kill();
      const [record] = await made.deliveries();
      expect(calls.filter((call) => call.endsWith(record?.id ?? ''))).toEqual([
        `queue.${acked ? 'ack' : 'release'} ${record?.id}`,
      ]);
    },
  );
});
