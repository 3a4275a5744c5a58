import type { Case } from './case.ts';
import { generatedCase, type CaseSource } from './generated-case.ts';
import { kindsOf } from './kinds.ts';
import { lostReplies } from './lost-replies.ts';

/** What the cases of a search are made from: data, unless the workload is a config. */
export interface CasesSource extends CaseSource {
  /** As in `SimulateOptions`. */
  readonly dropAcks?: number;
  readonly profile?: readonly string[] | null;
}

/**
 * The cases of a search, each a pure function of its number: whoever asks, wherever, gets the same.
 * @throws SendonceError FLAG_INVALID for a word of the profile that names no fault.
 */
export function casesOf(source: CasesSource): (n: number) => Case {
  const { dropAcks = 0, workload = null } = source;
  const kinds = kindsOf(source.profile ?? []);
  return (n) => {
    const drawn = generatedCase(source, n, kinds);
    return { ...drawn, faults: [...drawn.faults, ...lostReplies(drawn, dropAcks, workload)] };
  };
}
