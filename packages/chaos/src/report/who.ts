import type { Violation } from '../result.ts';
import type { SimulateReport } from './types.ts';

/** A recipient for people: `r17 <ann@example.com>`, or the number alone where no address is known. */
export function who(report: Pick<SimulateReport, 'addressOf'>, recipient: string): string {
  const address = report.addressOf[recipient];
  return address === undefined ? recipient : `${recipient} <${address}>`;
}

/** How many recipients a schedule has. */
export function recipientsIn({ setup }: Pick<SimulateReport, 'setup'>): number {
  return typeof setup.recipients === 'number' ? setup.recipients : setup.recipients.length;
}

/** One violation per invariant, the first of each: what the reader has to look at. */
export function firstOfEach(violations: readonly Violation[]): Violation[] {
  const seen = new Set<string>();
  return violations.filter(({ invariant }) => !seen.has(invariant) && seen.add(invariant));
}
