import { count, firstOf } from './format.ts';
import type { ReportContext } from './context.ts';
import type { SimulateReport } from './types.ts';
import { who } from './who.ts';

const MOST = 20;

/** Everybody who did not get a message although somebody asked for it, with the reason; and what was refused at the door. */
export function lists(report: SimulateReport, context: ReportContext): string[] {
  return [...notSent(report, context), ...unsealed(report, context), ...invalid(context)];
}

function notSent(report: SimulateReport, context: ReportContext): string[] {
  const { notSent: letters, tally } = report.result;
  const total = Math.max(letters.length, tally.parked + tally.failed + tally.dead);
  const items = letters.map(
    ({ recipient, state, reason }) => `${state.padEnd(6)}  ${who(report, recipient)}: ${reason}`,
  );
  const { parked, failed, dead } = report.totals.tally;
  const which =
    report.schedules > 1
      ? `in the schedule shown (${count(total)} of ${count(parked + failed + dead)} over all schedules)`
      : `(${count(total)})`;
  return section(`Not sent ${which}, each with its reason`, items, total, context);
}

function unsealed({ result }: SimulateReport, context: ReportContext): string[] {
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
