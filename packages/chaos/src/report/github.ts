import { CLASSES_OF_END } from '../result.ts';
import { count, plural, withDurations } from './format.ts';
import type { ReportContext } from './context.ts';
import { faultWords } from './fault-words.ts';
import { invariantText } from './invariants.ts';
import type { SimulateReport } from './types.ts';
import { firstOfEach, recipientsIn, who } from './who.ts';

/** Workflow commands of GitHub Actions: one `::error` per violated invariant. */
export function githubErrors(
  report: SimulateReport,
  { replay, again }: Pick<ReportContext, 'replay' | 'again'>,
): string[] {
  return firstOfEach(report.result.violations).map(({ invariant, recipient, message }) => {
    const whom = recipient === null ? '' : `${who(report, recipient)}: `;
    const body = `${whom}${withDurations(message)}\nRerun: ${replay ?? again}`;
    return `::error title=${property(`notify simulate: ${invariant}, ${invariantText(invariant).title}`)}::${data(body)}`;
  });
}

/** Markdown for the job's summary page. */
export function githubSummary(report: SimulateReport, context: Pick<ReportContext, 'replay' | 'again'>): string {
  const { tally, requested } = report.totals;
  const ends = CLASSES_OF_END.filter((end) => tally[end] > 0);
  const faults = (report.minimal?.plan ?? report.result).faults;
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
    ...report.doubts.map((doubt) => `- ${cell(doubt)}`),
    '',
    '```sh',
    context.replay ?? context.again,
    '```',
    '',
  ].join('\n');
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
