import type { FaultKind } from './kind.ts';
import { asItSays, atOnce } from './lengths.ts';
import type { Op } from './ops.ts';
import { untilBack } from './ranges.ts';

const OPS: readonly Op[] = ['ledger.accept', 'ledger.seal', 'queue.enqueue'];
const base = { component: 'producer', ops: OPS, phases: ['B', 'A'], ms: null, amount: null, lastsMs: atOnce } as const;

/** What becomes of the process that publishes. Lost replies and refusals of its calls are faults of the ledger and the queue. */
export const PRODUCER_FAULTS: readonly FaultKind[] = [
  {
    ...base,
    do: 'kill-producer',
    ms: untilBack,
    lastsMs: asItSays,
    means: 'the producer is killed, and after ms publishes again what it does not know to be accepted',
    strike: ({ hands, process, fault, ms }) => hands.kill(process, `${fault.op} ${fault.phase}`, ms),
  },
  {
    ...base,
    do: 'producer-gone',
    ops: ['ledger.accept', 'ledger.seal'],
    means: 'the producer is killed and never comes back: what it left unsealed is listed, and never half sent',
    strike: ({ hands, process, fault }) => hands.kill(process, `${fault.op} ${fault.phase}, for good`, null),
  },
  {
    ...base,
    do: 'publish-twice',
    ops: ['ledger.accept', 'ledger.seal'],
    means: 'a second producer publishes the same notification at the same time',
    strike: ({ hands }) => hands.publishTwice(),
  },
];
