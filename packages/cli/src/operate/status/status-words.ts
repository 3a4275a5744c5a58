import { isSettled, type DeliveryState } from '@sendonce/core';
import type { Paint } from '@sendonce/chaos';
import { grouped } from '../../flags/parse-values.ts';
import { countLines } from '../replay/plan-words.ts';
import { block, cut, plural, span } from '../words.ts';
import type { StatusReport } from './report.ts';

export function statusText(report: StatusReport, paint: Paint): string {
  const { notifications, deadLetters, attention, oldestDueMs, assumed, strays } = report;
  const states = Object.entries(leftIn(report)).filter(([, count]) => count > 0) as [DeliveryState, number][];
  const listed = (of: readonly (readonly [string, number])[]): string =>
    of.length === 0 ? 'none' : of.map(([name, count]) => `${grouped(count)} ${name}`).join(', ');
  const open = deadLetters.dead + deadLetters.failed + deadLetters.parked;
  const title =
    attention.length === 0
      ? (onlyWaiting(report, paint) ?? `${paint.green('WELL')}  nothing needs a person`)
      : `${paint.yellow('LOOK')}  ${plural(attention.length, 'thing needs', 'things need')} a person`;
  const lines = [
    title,
    '',
    ...block('ledger', report.ledger === null ? [] : [report.ledger]),
    ...block('settled', [listed(states.filter(([state]) => isSettled(state)))]),
    ...block('active', [listed(states.filter(([state]) => !isSettled(state)))]),
    ...block('due', [oldestDueMs === 0 ? 'nothing waits' : `the oldest for ${span(oldestDueMs)}`]),
    ...block('accepted', [listed(Object.entries(notifications).filter(([, count]) => count > 0))]),
    ...block('assumed', assumed > 0 ? [`${grouped(assumed)} count as sent without proof, as their class allows`] : []),
    ...block(
      'archived',
      report.forgotten > 0
        ? [`${plural(report.forgotten, 'notification')} forgotten with all deliveries; only their keys are known`]
        : [],
    ),
    ...block('strays', strays > 0 ? [`${plural(strays, 'wake')} without a record`] : []),
    ...block('waiting', waitingLines(report)),
    ...block('gave up', open === 0 ? [] : deadLines(report)),
    ...block('expired', countLines(report.expired.kinds, 5)),
    ...block('replayed', replayedLines(deadLetters)),
    '',
    ...attention.flatMap(({ what, next }) => [`  ${paint.yellow('!')} ${what}`, `      ${next}`]),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

/** How many are in each state, without those that were sent again: another stands in their place. */
function leftIn({ deliveries, deadLetters }: StatusReport): StatusReport['deliveries'] {
  const { dead, failed, parked, tooLate, replayed } = deadLetters;
  return replayed === null ? deliveries : { ...deliveries, dead: dead + tooLate, failed, parked };
}

function replayedLines({ replayed }: StatusReport['deadLetters']): string[] {
  if (replayed === null || replayed === 0) return [];
  return [
    `${grouped(replayed)} that were dead, failed or parked: ${replayed === 1 ? 'it was' : 'each was'} sent again as another`,
  ];
}

/** Nothing needs a person, and nothing goes on either before a later try; null where that is not so. */
function onlyWaiting({ deliveries, waiting: { nextDueAt, reasons } }: StatusReport, paint: Paint): string | null {
  const count = deliveries['retry-scheduled'] + deliveries.unknown;
  if (count === 0 || deliveries.queued + deliveries.processing + deliveries.dispatching > 0) return null;
  const next = nextDueAt === null ? '' : `, the first at ${nextDueAt}`;
  const why = reasons[0] === undefined ? '' : `: ${cut(reasons[0].name, 90)}`;
  return `${paint.yellow('WAIT')}  ${plural(count, 'delivery waits', 'deliveries wait')} to be tried or asked about again${next}${why}`;
}

function waitingLines({ waiting: { reasons, nextDueAt, isComplete } }: StatusReport): string[] {
  if (nextDueAt === null) return [];
  return [
    ...countLines(reasons, 5),
    `the first is due at ${nextDueAt}`,
    ...(isComplete ? [] : ['there are more; these are of the first that were read']),
  ];
}

function deadLines({ deadLetters }: StatusReport): string[] {
  const { reasons, ages, isComplete } = deadLetters;
  return [
    ...countLines(reasons, 5),
    `died ${ages.map(({ name, count }) => `${grouped(count)} ${name} ago`).join(', ')}`,
    ...(isComplete ? [] : ['there are more; these are of the first that were read']),
  ];
}
