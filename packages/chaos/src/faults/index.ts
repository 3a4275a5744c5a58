import { CLOCK_FAULTS } from './clock.ts';
import type { FaultKind } from './kind.ts';
import { LEDGER_FAULTS } from './ledger.ts';
import { OPERATOR_FAULTS } from './operator.ts';
import { PRODUCER_FAULTS } from './producer.ts';
import { PROVIDER_FAULTS } from './provider.ts';
import { QUEUE_FAULTS } from './queue.ts';
import { WORKER_FAULTS } from './worker.ts';

/** Every kind of fault. One word may stand for several sites (`reply-lost` of ledger, queue and provider): `do` and `op` together are unique. */
export const FAULTS: readonly FaultKind[] = [
  ...QUEUE_FAULTS,
  ...LEDGER_FAULTS,
  ...PROVIDER_FAULTS,
  ...WORKER_FAULTS,
  ...PRODUCER_FAULTS,
  ...CLOCK_FAULTS,
  ...OPERATOR_FAULTS,
];

const BY_SITE: ReadonlyMap<string, FaultKind> = new Map(
  FAULTS.flatMap((kind) => kind.ops.map((op) => [`${kind.do} ${op}`, kind] as const)),
);

/** The kind that a fault names; undefined when there is none of that name at that op. */
export function faultKind(name: string, op: string): FaultKind | undefined {
  return BY_SITE.get(`${name} ${op}`);
}
