import type { Paint } from '@sendonce/chaos';
import { grouped } from '../../flags/parse-values.ts';
import { progressOf } from '../progress.ts';
import { block, plural } from '../words.ts';
import { refusalLines } from './plan-words.ts';
import type { ReplayPlan, ReplayReport, ReplayResult } from './report.ts';

export function refusedCount({ refused }: Pick<ReplayResult, 'refused'>): number {
  return refused.reduce((sum, { count }) => sum + count, 0);
}

/** `[#####.....] 1,000 of 2,000 queued again, 3 refused, 400/s, 3 s left`. */
export function progressText(result: ReplayResult, { chosen }: ReplayPlan, wallMs: number): string {
  const done = Math.min(chosen, result.replayed + result.elsewhere);
  const { bar, pace } = progressOf(done, chosen, wallMs);
  const refused = refusedCount(result);
  return (
    `${bar} ${grouped(done)} of ${grouped(chosen)} queued again` +
    `${refused > 0 ? `, ${grouped(refused)} refused` : ''}${pace}`
  );
}

export interface Commands {
  /** Goes on where this one stopped. */
  readonly again: string;
  /** Looks at what becomes of it. */
  readonly status: string;
}

/** What became of it, for a person. */
export function resultText(report: ReplayReport, { again, status: look }: Commands, paint: Paint): string {
  const { result, status } = report;
  if (result === null) return '';
  const lines = [
    title(report, result, paint),
    ...block(
      'meanwhile',
      result.elsewhere > 0 ? [`${grouped(result.elsewhere)} queued again by another run: nothing is sent twice`] : [],
    ),
    ...block(
      'recorded',
      result.possibleDuplicates > 0 ? [`${plural(result.possibleDuplicates, 'possible duplicate')}`] : [],
    ),
    ...block('refused', refusalLines(result.refused)),
    ...block('next', next(status === 'interrupted' || status === 'failed' ? again : null, look, result)),
  ];
  return `${lines.join('\n')}\n`;
}

function title({ status, plan }: ReplayReport, { replayed, elsewhere }: ReplayResult, paint: Paint): string {
  const share = `${grouped(replayed)} of ${plural(plan.chosen, 'dead letter')}`;
  const who = elsewhere > 0 ? ' by this run' : '';
  if (status === 'interrupted') return `${paint.yellow('STOPPED')}  after the batch in flight: ${share} queued again`;
  if (status === 'failed') return `${paint.red('FAILED')}  the ledger failed: ${share} queued again before that`;
  return `${paint.green('DONE')}  ${share} queued again${who}`;
}

function next(again: string | null, look: string, { replayed, elsewhere }: ReplayResult): string[] {
  if (again !== null) return ['the same command goes on where this one stopped; nothing is sent twice by it:', again];
  return replayed + elsewhere === 0 ? [] : [`workers send them now; see how it goes: ${look}`];
}
