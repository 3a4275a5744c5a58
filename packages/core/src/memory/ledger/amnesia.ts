import { isSettled } from '../../model/delivery.ts';
import type { AmnesiaReport, AmnesiaRequest } from './options.ts';
import type { LedgerState } from './state.ts';

export function loseMemory(state: LedgerState, request: AmnesiaRequest): AmnesiaReport {
  const lost = state.undo.rollBack(request.lastMs);
  const evicted: string[] = [];
  for (const id of request.evict ?? []) {
    const slot = state.deliveries.refOf(id);
    // A settled record is only there to remember: dropping it is a matter of retention, and nothing can notice it.
    if (slot < 0 || isSettled(state.deliveries.stateAt(slot) ?? 'sent')) continue;
    state.evict(slot);
    evicted.push(id);
  }
  state.epochs.begin(state.now(), request.quarantineMs);
  return { lost, evicted };
}
