import type { RunResult } from '../result.ts';
import { count, cut, plural } from './format.ts';
import type { SimulateReport } from './types.ts';

/** Reasons that a headline has room for. */
const MOST = 2;
const WIDEST = 140;

type Told = Pick<SimulateReport, 'result' | 'ends'>;

/**
 * What failed by the config's own doing, whatever else a run has shown: `90 failed: content threw Error: no name`. Null: nothing did.
 * Of a schedule whose list is full, those that are listed.
 */
export function ownFailures(report: Told): string | null {
  const all = reasonsOf(report);
  const [shown, rest] = [all.slice(0, MOST), all.slice(MOST)];
  if (shown.length === 0) return null;
  const words = shown.map((each) => `${count(each.count)} failed: ${cut(each.reason.replace(/\s+/g, ' '), WIDEST)}`);
  const others = rest.reduce((sum, each) => sum + each.count, 0);
  const more = rest.length === 0 ? [] : [`${count(others)} failed for ${plural(rest.length, 'more such reason')}`];
  return [...words, ...more].join('; ');
}

/** The most frequent first. */
function reasonsOf({ result, ends }: Told): readonly { readonly reason: string; readonly count: number }[] {
  return ends === undefined ? ofOne(result) : ends.reasons.filter(({ own }) => own);
}

function ofOne({ notSent }: RunResult): { reason: string; count: number }[] {
  const sums = new Map<string, number>();
  for (const { reason, own } of notSent) if (own) sums.set(reason, (sums.get(reason) ?? 0) + 1);
  return [...sums].map(([reason, sum]) => ({ reason, count: sum })).sort((a, b) => b.count - a.count);
}
