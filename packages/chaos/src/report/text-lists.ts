import { count, firstOf, plural } from './format.ts';
import type { EndClass } from '../result.ts';
import type { ReportContext } from './context.ts';
import type { EndReason, Ends, SimulateReport } from './types.ts';
import { who } from './who.ts';

const MOST = 20;
const MOST_KINDS = 3;

interface List {
  readonly title: string;
  readonly states: readonly EndClass[];
}

/** What may be, and what must not. */
const LISTS: readonly List[] = [
  { title: 'Not sent', states: ['parked', 'failed', 'dead'] },
  { title: 'Never settled, or lost', states: ['unsettled', 'lost'] },
];

/** Everybody who did not get a message although somebody asked for it, or came to no end, with the reason; and what was refused at the door. */
export function lists(report: SimulateReport, context: ReportContext): string[] {
  const { ends } = report;
  const names = ends === undefined ? LISTS.flatMap((list) => ofOne(list, report, context)) : byReason(ends, context);
  return [...names, ...unsealed(report, context), ...invalid(context)];
}

function ofOne({ title, states }: List, report: SimulateReport, context: ReportContext): string[] {
  const { notSent, tally } = report.result;
  const letters = notSent.filter(isOneOf(states));
  const counted = states.reduce((sum, state) => sum + tally[state], 0);
  const total = Math.max(letters.length, counted);
  const width = Math.max(...letters.map(({ state }) => state.length), 0);
  const items = letters.map(
    ({ recipient, state, reason }) => `${state.padEnd(width)}  ${who(report, recipient)}: ${reason}`,
  );
  return section(`${title} (${count(total)}), each with its reason`, items, total, context);
}

/** Over many schedules nobody reads names: the reasons, what broke beside them, and where the names are. */
function byReason({ reasons, lines }: Ends, context: ReportContext): string[] {
  const shown = LISTS.flatMap(({ title, states }) => {
    const its = reasons.filter(isOneOf(states));
    const total = its.reduce((sum, each) => sum + each.count, 0);
    const items = its.map(
      (each) =>
        `${count(each.count)} ${each.state} in ${plural(each.schedules, 'schedule')}: ${each.reason}${firedThere(each)}`,
    );
    return section(`${title} over all schedules (${count(total)}), by reason`, items, items.length, context);
  });
  return shown.length === 0 ? [] : [...shown, ...whereNames(lines, context)];
}

function isOneOf(states: readonly string[]): (each: { readonly state: string }) => boolean {
  return ({ state }) => states.includes(state);
}

function firedThere({ faults, schedules }: EndReason): string {
  const shown = faults
    .slice(0, MOST_KINDS)
    .map((fault) => (schedules === 1 ? fault.kind : `${fault.kind} in ${fault.schedules}`));
  const more = faults.length > MOST_KINDS ? [`${faults.length - MOST_KINDS} more`] : [];
  return shown.length === 0 ? '' : ` (fired there: ${[...shown, ...more].join(', ')})`;
}

function whereNames([first]: Ends['lines'], { directory, alone }: ReportContext): string[] {
  const file = directory === null ? '--report DIR lists who' : `who: ${directory}/not-sent.ndjson`;
  const one = first === undefined || alone === undefined ? '' : `; the first such schedule alone: ${alone(first.seed)}`;
  return [`  ${file}, with schedule and seed${one}`];
}

function unsealed({ result, ends }: SimulateReport, context: ReportContext): string[] {
  if (ends !== undefined) return outside(ends.outside, context);
  const items = result.unsealed.map(
    ({ notificationId, targets }) =>
      `${notificationId}: its producer stopped after ${count(targets)} recipients; nobody of them got anything`,
  );
  return section(
    `Never finished by their producer (${count(items.length)}), outside the sums`,
    items,
    items.length,
    context,
  );
}

function outside(
  { recipients, schedules, producerGone, forgotten }: Ends['outside'],
  context: ReportContext,
): string[] {
  const gone = `${plural(producerGone, 'schedule')}: producer gone before its list was complete, nobody mailed`;
  const lost = `${plural(forgotten, 'schedule')}: the store lost the notification with its memory, nobody mailed`;
  const items = [...(producerGone > 0 ? [gone] : []), ...(forgotten > 0 ? [lost] : [])];
  const whom = recipients === 0 ? '' : `${plural(recipients, 'recipient')} of `;
  return section(`Outside the sums (${whom}${plural(schedules, 'schedule')})`, items, items.length, context);
}

function invalid(context: ReportContext): string[] {
  const { source, invalid: rows } = context.input;
  const items = rows.map(({ line, reason }) => `line ${line}: ${reason}`);
  return section(`Invalid rows of ${source ?? 'the input'} (${count(rows.length)})`, items, rows.length, context);
}

function section(
  title: string,
  items: readonly string[],
  total: number,
  { directory, paint }: ReportContext,
): string[] {
  if (total === 0) return [];
  const where = `see ${directory ?? '--report DIR'}`;
  // The list itself may be cut already: count what is missing from the whole.
  const shown = firstOf(items.slice(0, MOST), MOST, where);
  const missing = total - Math.min(MOST, items.length);
  return [
    '',
    paint.bold(title),
    ...(missing > 0 ? [...shown, `and ${count(missing)} more; ${where}`] : shown).map((item) => `  ${item}`),
  ];
}
