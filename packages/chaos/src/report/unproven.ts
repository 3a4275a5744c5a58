import { plural } from './format.ts';
import type { SimulateReport } from './types.ts';

/** Why a run is no proof, whatever else came of it, in sentences; none of one that passed or found what is broken. */
export function unproven(
  report: Pick<SimulateReport, 'verdict' | 'schedules' | 'interrupted' | 'nondeterminism' | 'doubts'>,
): readonly string[] {
  const { verdict, interrupted, nondeterminism, doubts } = report;
  const histories = nondeterminism === null ? [] : [`seed ${nondeterminism.seed} gave two histories`];
  const cut = interrupted ? [`interrupted ${whenInterrupted(report)}`] : [];
  return [...histories, ...cut, ...(verdict === 'violation' ? [] : doubts)];
}

/** After "interrupted". */
export function whenInterrupted({ schedules }: Pick<SimulateReport, 'schedules'>): string {
  return schedules === 0
    ? 'before any schedule came to its end: nothing is known'
    : `after ${plural(schedules, 'schedule')}: nothing is known of what was not run`;
}
