import { CLASSES_OF_END, type Violation } from '../result.ts';
import { knownBadSender } from '../senders/index.ts';
import { count, plural, withDurations, wrap } from './format.ts';
import type { ReportContext } from './context.ts';
import { facts, unfired } from './text-facts.ts';
import { faultWords } from './fault-words.ts';
import { invariantText } from './invariants.ts';
import { ownFailures } from './own-failures.ts';
import { lists } from './text-lists.ts';
import { timeline } from './timeline.ts';
import type { Ends, SimulateReport } from './types.ts';
import { whenInterrupted } from './unproven.ts';
import { firstOfEach, whoInPlan } from './who.ts';

const WIDTH = 100;
/** Ends of whoever may have got a message, those that are violations apart. */
const MAY_HAVE_GOT = ['once', 'recovered', 'resent', 'assumed', 'parked'] as const;

/** What a person reads: about a dozen lines when all is well, and the whole story of the smallest plan when it is not. */
export function simulateText(report: SimulateReport, context: ReportContext): string {
  const lines = [
    ...headline(report, context),
    ...story(report, context),
    ...facts(report, context),
    ...lists(report, context),
  ];
  return `${lines.join('\n')}\n`;
}

function headline(report: SimulateReport, { paint }: ReportContext): string[] {
  if (report.interrupted) return [`${paint.yellow(paint.bold('INTERRUPTED'))}  ${whenInterrupted(report)}`, ''];
  switch (report.verdict) {
    case 'nondeterminism':
      return nondeterminism(report, paint.red);
    case 'pass':
      return [`${paint.green(paint.bold('PASS'))}  ${passWords(report)}${ownWords(report, paint)}`, ''];
    case 'inconclusive':
      return [`${paint.yellow(paint.bold('INCONCLUSIVE'))}  nothing broke, but the run does not prove enough`, ''];
    case 'violation':
    case 'interrupted':
      return [];
  }
}

function nondeterminism({ nondeterminism: found }: SimulateReport, red: (text: string) => string): string[] {
  const which = found === null ? '' : ` (seed ${found.seed}: ${found.first} and ${found.second})`;
  return [
    `${red('NONDETERMINISM')}  the same schedule gave two histories${which}`,
    'Something outside the ports decides: a clock, a random number, or I/O in `route`, `content` or `sample`.',
    '',
  ];
}

function passWords({ totals, result, ends }: SimulateReport): string {
  const left = ends === undefined ? unfinished(result.unsealed) : outside(ends);
  if (totals.requested === 0) return `nobody was written to: ${left ?? 'nobody was asked for'}`;
  const { once, recovered } = totals.tally;
  const whole = once + recovered === totals.requested;
  const got = `${count(once + recovered)} of ${plural(totals.requested, 'recipient')} got exactly one message`;
  const words = whole
    ? `${got}: nobody got two, nobody got none`
    : `${got}; all others are accounted for: ${others(totals.tally)}`;
  return left === null ? words : `${words}; beside them, ${left}`;
}

/** Listed failures pass, as a provider may refuse; what no fault made fail must not be read past. */
function ownWords(report: SimulateReport, { yellow }: ReportContext['paint']): string {
  const words = ownFailures(report);
  return words === null ? '' : `; ${yellow(words)} (below)`;
}

function unfinished(unsealed: SimulateReport['result']['unsealed']): string | null {
  if (unsealed.length === 0) return null;
  const stored = unsealed.reduce((sum, { targets }) => sum + targets, 0);
  const [was, whose] = unsealed.length === 1 ? ['was', 'its producer'] : ['were', 'their producers'];
  return `${plural(unsealed.length, 'notification')} ${was} never finished by ${whose} (${plural(stored, 'recipient')} stored)`;
}

function outside({ outside: { schedules } }: Ends): string | null {
  return schedules === 0 ? null : `${plural(schedules, 'schedule')} outside the sums`;
}

function others(tally: SimulateReport['totals']['tally']): string {
  const ends = CLASSES_OF_END.filter((end) => end !== 'once' && end !== 'recovered' && tally[end] > 0);
  return ends.map((end) => `${count(tally[end])} ${end}`).join(', ');
}

function story(report: SimulateReport, context: ReportContext): string[] {
  switch (report.verdict) {
    case 'pass':
    case 'interrupted':
      return [];
    case 'inconclusive':
      return doubts(report);
    case 'violation':
    case 'nondeterminism':
      return violation(report, context);
  }
}

function doubts({ doubts: reasons, result, totals: { tally } }: SimulateReport): string[] {
  // Where nobody was reached, what never fired is no news: nothing was sent that it could have struck.
  const reached = MAY_HAVE_GOT.some((end) => tally[end] > 0);
  const never = (reached ? unfired(result) : []).slice(0, 5).map((fault) => `never fired: ${faultWords(fault)}`);
  const lines = [...reasons, ...never].map((reason) => `  - ${reason}`);
  return lines.length === 0 ? [] : [...lines, ''];
}

function violation(report: SimulateReport, context: ReportContext): string[] {
  const { paint } = context;
  const shown = (report.minimal?.result ?? report.result).violations;
  const all = firstOfEach([...shown, ...report.result.violations]);
  const people = aboutPeople(report, all);
  const first = people ?? all[0];
  if (first === undefined) return [];
  const { title } = invariantText(first.invariant);
  const { why, advice } = lesson(report, first.invariant);
  const whom = first.recipient === null ? '' : `${whoInPlan(report, first.recipient)}: `;
  const more = all.filter(({ invariant }) => invariant !== first.invariant);
  const followed = shown.includes(first) ? first.recipient : (shown[0]?.recipient ?? null);
  return [
    `${paint.red(paint.bold('VIOLATION'))}  ${people === undefined ? hurt(report) : ''}${first.invariant}: ${title}`,
    '',
    ...indent(`${whom}${withDurations(first.message)}`),
    ...more.flatMap((other) =>
      indent(`also ${other.invariant}, ${invariantText(other.invariant).title}: ${withDurations(other.message)}`),
    ),
    '',
    ...plan(report, context),
    ...table(report, context, followed),
    ...paragraph('why', why, context),
    ...paragraph('try', advice, context),
    ...(context.replay === null ? [] : paragraph('rerun', context.replay, context)),
    ...((context.replayForReal ?? null) === null ? [] : paragraph('for real', context.replayForReal ?? '', context)),
    '',
  ];
}

/** What happened to people comes before how it came to that. */
function aboutPeople({ result: { tally } }: SimulateReport, violations: readonly Violation[]): Violation | undefined {
  const find = (id: string): Violation | undefined => violations.find(({ invariant }) => invariant === id);
  if (tally.duplicated > 0) return find('S1') ?? find('END');
  return tally.lost > 0 ? find('END') : undefined;
}

/** Where no violation of its own says so. */
function hurt({ result: { tally, requested } }: SimulateReport): string {
  const ends = (['duplicated', 'lost'] as const).filter((end) => tally[end] > 0);
  const words = ends.map((end) => `${count(tally[end])} ${end}`).join(', ');
  return words === '' ? '' : `${words} of ${plural(requested, 'recipient')}; `;
}

/** A known-bad sender knows best what is wrong with it. */
function lesson({ setup }: SimulateReport, invariant: string): { readonly why: string; readonly advice: string } {
  const sender = setup.sender === null ? undefined : knownBadSender(setup.sender);
  return sender === undefined ? invariantText(invariant) : { why: sender.why, advice: sender.instead };
}

function plan({ minimal, result }: SimulateReport, { paint }: ReportContext): string[] {
  const { setup, faults } = minimal?.plan ?? result;
  const people = typeof setup.recipients === 'number' ? setup.recipients : setup.recipients.length;
  const size = `${plural(people, 'recipient')}, ${plural(setup.workers, 'worker')}, ${plural(faults.length, 'fault')}`;
  const what = minimal === null ? 'The plan that shows it' : 'The smallest plan that shows it, a run of its own';
  const most = 12;
  return [
    paint.bold(`${what}: ${size}`),
    ...faults.slice(0, most).flatMap((fault, i) => indent(`${i + 1}. ${faultWords(fault)}`)),
    ...(faults.length > most ? [`  and ${count(faults.length - most)} more`] : []),
    ...(faults.length === 0 ? ['  no fault is needed'] : []),
    ...(minimal?.explanation ?? []).flatMap((sentence) => indent(`- ${sentence}`)),
    '',
  ];
}

function table(report: SimulateReport, { paint }: ReportContext, focus: string | null): string[] {
  const lines = timeline(report.events, { recipientOf: report.recipientOf, focus, paint });
  return lines.length === 0 ? [] : [...lines, ''];
}

function paragraph(name: string, text: string, { paint }: ReportContext): string[] {
  return wrap(text, WIDTH - 13).map((line, i) => `  ${paint.dim((i === 0 ? name : '').padEnd(9))}  ${line}`);
}

function indent(text: string): string[] {
  return wrap(text, WIDTH - 5).map((line, i) => `${i === 0 ? '  ' : '     '}${line}`);
}
