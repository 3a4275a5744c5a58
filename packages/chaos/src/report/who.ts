import type { Violation } from '../result.ts';
import type { SimulateReport } from './types.ts';

type Names = Pick<SimulateReport, 'addressOf' | 'idOf'>;

/** A recipient by the user's own id; without one by its number, `r17`. */
export function idOf({ idOf: ids }: Pick<Names, 'idOf'>, recipient: string): string {
  return ids[recipient] ?? recipient;
}

/** A recipient for people: `p44 <ann@example.com>`; the address alone where it is the id, the id alone where there is no address. */
export function who(names: Names, recipient: string): string {
  const address = names.addressOf[recipient];
  const id = idOf(names, recipient);
  if (address === undefined || address === '') return id;
  return id.toLowerCase() === address.toLowerCase() ? address : `${id} <${address}>`;
}

/** The same, with the number that a plan and its timeline call it by, where that is another name. */
export function whoInPlan(names: Names, recipient: string): string {
  const name = who(names, recipient);
  return names.idOf[recipient] === undefined ? name : `${name} (${recipient} in the plan)`;
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
