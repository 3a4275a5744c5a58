import type { NotifierConfig } from '@sendonce/core';
import type { Paint } from '@sendonce/chaos';
import { grouped } from '../../flags/parse-values.ts';
import { nearest } from '../../nearest.ts';
import type { FailedCause } from '../failed-cause.ts';
import type { DeadLetterState, ListedState } from '../letter-filter.ts';
import { OTHERS, type CountOf, type Refusal } from '../tally.ts';
import { block, cut, plural } from '../words.ts';
import type { ReplayPlan, ReplayReport } from './report.ts';

/** Rows of a kind that a person reads. */
const ROWS = 8;
const IDS = 5;

/** What a state risks when it is sent again. */
export const RISKS: Readonly<Record<ListedState, string>> = {
  dead: 'not sent, and its attempts are spent',
  failed:
    'refused for good, or could not be made; sending it again helps only if that was wrong, or its cause is mended',
  parked: 'may have been sent already; the recipient may get it twice, which is recorded as a possible duplicate',
  expired: 'not sent, and too late now: publish it again under another key where it is still wanted',
};

/** The same of one that failed, where its cause is known. */
export const FAILED_RISKS: Readonly<Record<FailedCause, string>> = {
  refused: 'refused for good; sending it again helps only if the refusal was wrong, or its cause is mended',
  'not-made':
    'could not be made, so no provider was asked; sending it again helps only when its content or its address is mended',
};

/** The plan, for a person. */
export function planText(report: ReplayReport, config: NotifierConfig, paint: Paint): string {
  const { plan } = report;
  const title = `${paint.bold('PLAN')}  ${plural(plan.chosen, 'dead letter')} will be sent again`;
  const lines = [
    ...(plan.chosen === 0 ? nothing(report, config) : [title, '', ...chosenLines(plan)]),
    ...block('careful', [...cautions(report), ...lacking(plan, config)]).map(paint.yellow),
    ...block('left out', leftOut(plan)),
    ...block('refused', refusalLines(plan.refused)),
    ...block('ledger', report.ledger === null ? [] : [report.ledger]),
    ...(plan.chosen === 0 ? [] : block('audit', [`by ${report.by}: ${cut(report.note, 80)}`])),
  ];
  return `${lines.join('\n')}\n`;
}

function chosenLines({ by }: ReplayPlan): string[] {
  return [
    ...block('reason', countLines(by.reason)),
    ...(by.state.length > 1 ? block('state', countLines(by.state)) : []),
    ...block('provider', countLines(by.provider)),
    ...block('channel', countLines(by.channel)),
    ...block('type', countLines(by.type)),
    ...(by.tenant.length > 1 ? block('tenant', countLines(by.tenant)) : []),
    ...block('died', by.age.length === 0 ? [] : countLines(by.age).map((line) => `${line} ago`)),
  ];
}

/** `1,990  connection refused`, the most frequent first. */
export function countLines(counts: readonly CountOf[], most: number = ROWS): string[] {
  const shown = counts.slice(0, most);
  const width = Math.max(0, ...shown.map(({ count }) => grouped(count).length));
  const lines = shown.map(({ name, count }) => `${grouped(count).padStart(width)}  ${cut(name, 90)}`);
  return counts.length > most ? [...lines, `and ${grouped(counts.length - most)} more kinds`] : lines;
}

function cautions({ plan, force }: ReplayReport): string[] {
  const of = (state: DeadLetterState): number => plan.by.state.find(({ name }) => name === state)?.count ?? 0;
  const lines = (['failed', 'parked'] as const)
    .filter((state) => of(state) > 0)
    .map((state) => `${grouped(of(state))} ${state}: ${RISKS[state]}`);
  const more = plan.possibleDuplicates - of('parked');
  return [
    ...lines,
    ...(more > 0 ? [`${grouped(more)} more may have been sent: recorded as possible duplicates`] : []),
    ...(force && plan.chosen > 0
      ? ['--force: sent even where it becomes known that an earlier one was sent, and then certainly twice']
      : []),
  ];
}

/** They go back to where they were tried first, as what they are. */
function lacking({ by }: ReplayPlan, { channels, notifications }: NotifierConfig): string[] {
  const providers = Object.values(channels).flatMap((channel) => channel.providers.map(({ name }) => name));
  const words = (what: string, counts: readonly CountOf[], known: readonly string[]): string[] =>
    counts
      .filter(({ name }) => name !== OTHERS && !known.includes(name))
      .map(
        ({ name, count }) =>
          `${grouped(count)} need ${what} '${name}', which is not in this config: no worker sends them before it is given back`,
      );
  return [...words('provider', by.provider, providers), ...words('type', by.type, Object.keys(notifications))];
}

function leftOut({ alreadyReplayed, notIncluded, beyondLimit }: ReplayPlan): string[] {
  return [
    ...notIncluded.map(({ name, count }) => {
      const how = name === 'expired' ? '' : ` (--include ${name})`;
      return `${grouped(count)} ${name}: ${RISKS[name as ListedState]}${how}`;
    }),
    ...(alreadyReplayed > 0 ? [`${grouped(alreadyReplayed)} sent again before`] : []),
    ...(beyondLimit > 0 ? [`${grouped(beyondLimit)} beyond --limit`] : []),
  ];
}

/** `4  it has expired: d_1, d_2 and 2 more`. */
export function refusalLines(refused: readonly Refusal[]): string[] {
  return refused.map(({ reason, count, ids }) => {
    const more = count - Math.min(IDS, ids.length);
    return `${grouped(count)}  ${reason}: ${ids.slice(0, IDS).join(', ')}${more > 0 ? ` and ${grouped(more)} more` : ''}`;
  });
}

function nothing({ filter, plan }: ReplayReport, config: NotifierConfig): string[] {
  const fits = plan.alreadyReplayed + plan.notIncluded.length + plan.refused.length > 0;
  const title = fits ? 'Nothing to send again.' : 'No dead letter fits.';
  const advice = [
    adviceFor('type', filter.type, Object.keys(config.notifications)),
    adviceFor(
      'provider',
      filter.provider,
      Object.values(config.channels).flatMap(({ providers }) => providers.map(({ name }) => name)),
    ),
  ].filter((each) => each !== null);
  return [title, ...advice.map((each) => `  ${each}`)];
}

/** A name that this config does not have is a slip, or of an older config. */
function adviceFor(flag: string, given: string | undefined, known: readonly string[]): string | null {
  if (given === undefined || known.includes(given)) return null;
  const close = nearest(given, known);
  const hint = close === null ? `It has ${known.join(', ')}.` : `Did you mean ${close}?`;
  return `This config has no ${flag} ${JSON.stringify(given)}. ${hint}`;
}
