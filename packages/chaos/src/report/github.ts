import { CLASSES_OF_END } from '../result.ts';
import { count, plural, withDurations } from './format.ts';
import type { ReportContext } from './context.ts';
import { faultWords } from './fault-words.ts';
import { invariantText } from './invariants.ts';
import type { SimulateReport } from './types.ts';
import { ownFailures } from './own-failures.ts';
import { unproven } from './unproven.ts';
import { firstOfEach, recipientsIn, whoInPlan } from './who.ts';

/** Workflow commands of GitHub Actions: one `::error` per violated invariant, and one where the run is no proof. */
export function githubErrors(
  report: SimulateReport,
  { replay, again }: Pick<ReportContext, 'replay' | 'again'>,
): string[] {
  const rerun = `Rerun: ${replay ?? again}`;
  const broken = firstOfEach(report.result.violations).map(({ invariant, recipient, message }) => {
    const whom = recipient === null ? '' : `${whoInPlan(report, recipient)}: `;
    return errorLine(`${invariant}, ${invariantText(invariant).title}`, `${whom}${withDurations(message)}\n${rerun}`);
  });
  const reasons = unproven(report);
  if (reasons.length === 0) return broken;
  const title = report.interrupted ? 'interrupted' : report.verdict;
  return [...broken, errorLine(title, [...reasons, rerun].join('\n'))];
}

/** Markdown for the job's summary page. */
export function githubSummary(report: SimulateReport, context: Pick<ReportContext, 'replay' | 'again'>): string {
  const { tally, requested } = report.totals;
  const ends = CLASSES_OF_END.filter((end) => tally[end] > 0);
  const faults = (report.minimal?.plan ?? report.result).faults;
  const own = ownFailures(report);
  return [
    `### notify simulate: ${report.verdict}`,
    '',
    `${plural(report.schedules, 'schedule')}, ${plural(recipientsIn(report), 'recipient')}, seed \`${report.seed}\`.`,
    '',
    '| requested | ' + ends.join(' | ') + ' |',
    '| ---: |' + ends.map(() => ' ---: |').join(''),
    `| ${[requested, ...ends.map((end) => tally[end])].map(count).join(' | ')} |`,
    '',
    ...firstOfEach(report.result.violations).map(
      ({ invariant, message }) =>
        `- **${invariant}** ${invariantText(invariant).title}: ${cell(withDurations(message))}`,
    ),
    ...(report.verdict === 'violation'
      ? faults.slice(0, 12).map((fault, i) => `${i + 1}. ${cell(faultWords(fault))}`)
      : []),
    ...unproven(report).map((reason) => `- ${cell(reason)}`),
    ...(own === null ? [] : [`- ${cell(own)}`]),
    '',
    '```sh',
    context.replay ?? context.again,
    '```',
    '',
  ].join('\n');
}

function errorLine(title: string, body: string): string {
  return `::error title=${property(`notify simulate: ${title}`)}::${data(body)}`;
}

// https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts: data and properties escape differently.
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

function cell(text: string): string {
  return text.replace(/[\\`*_<>|]/g, (letter) => `\\${letter}`).replaceAll('\n', ' ');
}
