import { RefusedMove } from '../model/steps/move.ts';
import type { Records } from './store.ts';

/** Runs a step; a move that the table does not declare is counted, and null. */
export function guarded<S>(records: Pick<Records, 'countRefusedMove'>, step: () => S): S | null {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof RefusedMove)) throw error;
    records.countRefusedMove();
    return null;
  }
}
