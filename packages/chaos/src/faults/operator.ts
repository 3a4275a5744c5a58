import { callOf, type FaultKind, type OperatorAction, type Strike } from './kind.ts';
import { atOnce, REPLACE_MS, SCRIPT_KILLED_AFTER_MS, STOP_PATIENCE_MS } from './lengths.ts';
import type { Op } from './ops.ts';
import { count } from './ranges.ts';

const OPS: readonly Op[] = [
  'ledger.add',
  'ledger.claim',
  'ledger.mark',
  'ledger.settle',
  'ledger.reconcile',
  'provider.send',
  'provider.lookup',
];
const base = { component: 'operator', ops: OPS, phases: ['B', 'A'], ms: null, amount: null, lastsMs: atOnce } as const;

const act =
  (action: OperatorAction): FaultKind['strike'] =>
  (strike) =>
    operate(strike, action);

/** People at the worst moment: exactly before the call is applied (B), or exactly after it and before its caller knows (A). */
export const OPERATOR_FAULTS: readonly FaultKind[] = [
  { ...base, do: 'cancel', means: 'an operator cancels the delivery', strike: act('cancel') },
  {
    ...base,
    do: 'cancel-notification',
    means: 'an operator cancels the whole notification',
    strike: act('cancel-notification'),
  },
  { ...base, do: 'opt-out', means: 'the recipient opts out of everything', strike: act('opt-out') },
  { ...base, do: 'replay', means: 'an operator replays the delivery, leased or not', strike: act('replay') },
  { ...base, do: 'replay-twice', means: 'two operators replay the delivery at once', strike: act('replay-twice') },
  {
    ...base,
    do: 'replay-killed',
    lastsMs: ({ knobs }) => SCRIPT_KILLED_AFTER_MS + knobs.restartMs,
    means: 'an operator replays all dead letters, is killed half-way, and does it again',
    strike: act('replay-killed'),
  },
  {
    ...base,
    do: 'deploy',
    phases: ['B'],
    amount: count(0, 1_000, 60_000),
    lastsMs: ({ amount, knobs, workers }) => (workers - 1) * amount + knobs.graceMs + STOP_PATIENCE_MS + REPLACE_MS,
    means: 'a deploy while sending: every worker is stopped and replaced, one after the other, amount ms apart',
    strike: ({ hands, amount }) => hands.deploy(amount),
  },
];

function operate(strike: Strike, action: OperatorAction): void | Promise<void> {
  const done = strike.hands.operate(action, strike.deliveryId);
  if (strike.fault.phase === 'A') return done;
  const { hands } = strike;
  // Whom the store keeps waiting does not keep the request waiting.
  const over = new Promise<void>((resolve) => hands.later(hands.holdMs, resolve));
  callOf(strike).before = Promise.race([done, over]);
}
