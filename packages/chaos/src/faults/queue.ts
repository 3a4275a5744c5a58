import type { ItemResult, ReceivedWake } from '@sendonce/core';
import type { Call } from '../kernel/call.ts';
import type { Batched } from './carried.ts';
import { callOf, type FaultKind, type Strike } from './kind.ts';
import { asItSays, atOnce } from './lengths.ts';
import { errorFault, networkFaults } from './network.ts';
import type { Op } from './ops.ts';
import { beyondLease, count, shortly } from './ranges.ts';

const CHANGES: readonly Op[] = ['queue.enqueue', 'queue.ack', 'queue.release', 'queue.extend'];
const ALL: readonly Op[] = [...CHANGES, 'queue.receive'];
const WAY = { component: 'queue', ops: ALL, peer: 'the queue' } as const;
const base = { component: 'queue', ms: null, amount: null, lastsMs: atOnce } as const;

/** At least once, late, twice, out of order, or not at all. */
export const QUEUE_FAULTS: readonly FaultKind[] = [
  ...networkFaults(WAY),
  errorFault(WAY, 'throttled: too many requests'),
  {
    ...base,
    do: 'redeliver',
    ops: ['queue.receive'],
    phases: ['A'],
    ms: shortly,
    lastsMs: asItSays,
    means: 'a message is handed out again while it is still in somebody’s hands',
    strike: (strike) => {
      const wakes = struck(strike, receivedOf(callOf(strike)));
      strike.hands.follows(strike.ms, () => strike.hands.queue?.redeliver(wakes));
    },
  },
  {
    ...base,
    do: 'duplicate',
    ops: ['queue.receive'],
    phases: ['A'],
    amount: count(2, 2, 100),
    means: 'the same message is in one batch several times',
    strike: (strike) => {
      const call = callOf(strike);
      const wakes = receivedOf(call);
      const copies = Array.from({ length: strike.amount - 1 }, () => struck(strike, wakes)).flat();
      call.answer = { kind: 'value', value: [...wakes, ...copies] };
    },
  },
  {
    ...base,
    do: 'reorder',
    ops: ['queue.receive'],
    phases: ['B'],
    means: 'the waiting messages come in another order',
    strike: ({ hands }) => hands.queue?.shuffle((index) => hands.draw('reorder', index)),
  },
  {
    ...base,
    do: 'empty',
    ops: ['queue.receive'],
    phases: ['S'],
    means: 'a receive finds nothing although messages wait',
    strike: (strike) => callOf(strike).refuse({ kind: 'value', value: [] }),
  },
  {
    ...base,
    do: 'hidden',
    ops: ['queue.receive', 'queue.release'],
    phases: ['A'],
    ms: beyondLease,
    lastsMs: asItSays,
    means: 'a message shows again only that much later, beyond lease and visibility',
    strike: (strike) => {
      const { batch } = callOf(strike).args as Partial<Batched>;
      const wakes = (batch as readonly ReceivedWake[] | undefined) ?? receivedOf(callOf(strike));
      strike.hands.queue?.hideLonger(struck(strike, wakes), strike.ms);
    },
  },
  {
    ...base,
    do: 'ghost',
    ops: ['queue.ack'],
    phases: ['A'],
    ms: shortly,
    lastsMs: asItSays,
    means: 'a message that was acked is delivered again',
    strike: (strike) => {
      const wakes = struck(strike, (callOf(strike).args as Batched).batch as readonly ReceivedWake[]);
      strike.hands.follows(strike.ms, () => strike.hands.queue?.redeliver(wakes));
    },
  },
  {
    ...base,
    do: 'partial',
    ops: CHANGES,
    phases: ['E'],
    means: 'one item of the batch (without a recipient: every second) fails and says so, the others succeed',
    strike: (strike) => failSome(callOf(strike), strike.item, 'before'),
  },
  {
    ...base,
    do: 'told-failed',
    ops: CHANGES,
    phases: ['A'],
    means: 'an item is reported as failed although it was done',
    strike: (strike) => failSome(callOf(strike), strike.item, 'after'),
  },
  {
    ...base,
    do: 'wiped',
    ops: ALL,
    phases: ['A'],
    means: 'the queue forgets every message, as a flushed or replaced server would',
    strike: ({ hands }) => hands.wipeQueue(),
  },
];

function receivedOf({ answer }: Call): readonly ReceivedWake[] {
  return answer?.kind === 'value' ? (answer.value as readonly ReceivedWake[]) : [];
}

/** The entity's item, or all of them. */
function struck<T>({ item }: Strike, items: readonly T[]): readonly T[] {
  return item < 0 ? items : items.slice(item, item + 1);
}

const FAILED: ItemResult = { ok: false, error: 'internal error, please retry' };

function failSome(call: Call, item: number, when: 'before' | 'after'): void {
  const args = call.args as Batched;
  const fails = (at: number): boolean => (item < 0 ? at % 2 === 0 : at === item);
  const merge = (applied: Call): void => {
    if (applied.answer?.kind !== 'value') return;
    const results = applied.answer.value as readonly ItemResult[];
    let next = 0;
    const all = args.batch.map((_, at) => (fails(at) ? FAILED : when === 'after' ? results[at] : results[next++]));
    applied.answer = { kind: 'value', value: all };
  };
  if (when === 'after') return merge(call);
  call.args = { ...args, batch: args.batch.filter((_, at) => !fails(at)) };
  call.addAfter(merge);
}
