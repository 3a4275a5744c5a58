import { LATER } from '../checkers/index.ts';
import type { Fault } from '../plan.ts';
import type { Tally } from '../result.ts';
import { firedWords } from './fired-words.ts';
import { count, duration, plural } from './format.ts';
import type { ReportContext } from './context.ts';
import { providerWords } from './provider-words.ts';
import { realFacts } from './real-facts.ts';
import type { SimulateReport } from './types.ts';
import { recipientsIn } from './who.ts';

type Fact = readonly [name: string, text: string];

/** The lines that every run ends in, whatever came of it: what went in, what came of it, what was broken, how it is run again. */
export function facts(report: SimulateReport, context: ReportContext): string[] {
  const { tally } = report.totals;
  const all: readonly Fact[] = [
    ['input', inputWords(report, context)],
    [
      'delivered',
      `${count(tally.once)} once, ${count(tally.recovered)} recovered, ${count(tally.resent)} resent, ${count(tally.assumed)} assumed`,
    ],
    [
      'not sent',
      `${count(tally.parked)} parked, ${count(tally.failed)} failed, ${count(tally.dead)} dead, ` +
        `${count(tally.expired)} expired, ${count(tally.suppressed)} suppressed, ${count(tally.cancelled)} cancelled`,
    ],
    ['never', neverWords(tally, context)],
    ['faults', faultsWords(report)],
    ['world', worldWords(report, context)],
    ['provider', context.providers ?? providerWords(report.setup, unsure(report))],
    ['checked', checkedWords(report)],
    ...earlier(context),
    ...timeWords(report),
    ['again', context.again],
    ['words', 'docs/reference/simulate.md#reading-the-output'],
  ];
  return all.map(([name, text]) => `  ${context.paint.dim(name.padEnd(9))}  ${text}`);
}

/** What must not be. */
function neverWords({ duplicated, lost, phantom, unsettled }: Tally, { paint }: ReportContext): string {
  const open = unsettled === 0 ? '' : `, ${count(unsettled)} unsettled`;
  const words = `${count(duplicated)} duplicated, ${count(lost)} lost, ${count(phantom)} phantom${open}`;
  return duplicated + lost + phantom + unsettled > 0 ? paint.red(words) : words;
}

/**
 * How many outcomes were unknown for a while, which other providers would have made something else of. Null where the number tells
 * nothing: a broken promise, many schedules, or a store that forgot, after which no ability of a provider helps everybody.
 */
function unsure({ verdict, schedules, totals: { tally }, coverage, setup }: SimulateReport): number | null {
  const forgot = coverage.faults.some(({ kind, fired }) => /^(amnesia|ledger-)/.test(kind) && fired > 0);
  const others = setup.provider !== 'plain' && tally.parked > 0;
  if (verdict === 'violation' || schedules !== 1 || forgot || others) return null;
  return tally.recovered + tally.resent + tally.assumed + tally.parked;
}

function timeWords({ real, totals, wallMs, traceHash }: SimulateReport): Fact[] {
  if (real !== undefined) return realFacts(real, wallMs);
  return [['took', `${duration(totals.virtualMs)} of virtual time in ${duration(wallMs)}; trace ${traceHash}`]];
}

function earlier({ regressions }: ReportContext): Fact[] {
  return regressions === 0 ? [] : [['earlier', `${plural(regressions, 'plan')} of sim/regressions passed`]];
}

/** Of one schedule. What a producer left unsealed is in no sum, and a config may write to each row several times. */
function inputWords({ totals, result, schedules, ends }: SimulateReport, { input }: ReportContext): string {
  const { rows, merged, invalid, source } = input;
  const outside = merged + invalid.length;
  const requested = schedules === 0 ? rows - outside : result.requested;
  const whole = requested + outside;
  const file = source === null || whole === rows ? '' : ` (${source} has ${plural(rows, 'row')})`;
  const whose = source === null || whole !== rows ? '' : ` of ${source}`;
  const what = file === '' ? plural(whole, 'row') : count(whole);
  const each = `${what}${whose} = ${count(requested)} requested + ${count(merged)} merged + ${count(invalid.length)} invalid${file}`;
  if (schedules <= 1) return each;
  const left = ends?.outside.recipients ?? 0;
  const never = left === 0 ? '' : ` + ${count(left)} outside the sums`;
  return `${each}; in ${count(schedules)} schedules ${count(totals.requested)} requested${never}`;
}

function faultsWords({ totals, schedules, result, coverage }: SimulateReport): string {
  const fired = firedWords(coverage.faults, schedules <= 1 ? result.kills : []);
  return `${count(totals.armed)} armed, ${count(totals.fired)} fired${fired === '' ? '' : `: ${fired}`}`;
}

function worldWords(report: SimulateReport, { providers }: ReportContext): string {
  const { setup, seed, schedules } = report;
  const parts = [
    plural(schedules, 'schedule'),
    plural(recipientsIn(report), 'recipient'),
    `${plural(setup.workers, 'worker')} of ${plural(setup.concurrency, 'send')}`,
    // The types of a config bring their own classes.
    ...(providers === null ? [classWords(setup)] : []),
    setup.queue ? 'queue' : 'no queue',
    ...(setup.sender === null ? [] : [`known-bad sender ${setup.sender} (it chose this world, flags apart)`]),
    `seed ${seed}`,
  ];
  return parts.join(', ');
}

function classWords({ class: name, onUnknown }: SimulateReport['setup']): string {
  return `class ${name}${onUnknown === null ? '' : ` (on unknown: ${onUnknown})`}`;
}

/** Faults that were armed and never fired: they prove nothing. */
export function unfired({
  faults,
  fired,
}: {
  readonly faults: readonly Fault[];
  readonly fired: readonly boolean[];
}): Fault[] {
  return faults.filter((_fault, i) => fired[i] !== true);
}

function checkedWords({ checked, coverage: { moves }, real }: SimulateReport): string {
  if (checked.length === 0) return 'nothing: no schedule came to its end';
  const later = LATER.map(({ invariant }) => invariant).join(', ');
  const note = real === undefined ? `not yet: ${later}` : 'by the mailbox and the ledger, at the end';
  return `${ranges(checked)} (${note}); ${moves.seen} of ${moves.declared} declared moves seen`;
}

/** `S1 S2 S3 L2` as `S1-S3 L2`. */
function ranges(ids: readonly string[]): string {
  const groups: string[][] = [];
  for (const id of ids) {
    const last = groups.at(-1);
    if (last !== undefined && id === successor(last.at(-1) ?? '')) last.push(id);
    else groups.push([id]);
  }
  return groups.map((group) => (group.length > 2 ? `${group[0]}-${group.at(-1)}` : group.join(' '))).join(' ');
}

function successor(id: string): string {
  return id.replace(/\d+$/, (number) => String(Number(number) + 1));
}
