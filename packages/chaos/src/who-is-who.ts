import { recipientNumber } from './faults/armed.ts';
import type { SimulateReport } from './report/types.ts';
import type { RunResult } from './result.ts';
import type { Schedule } from './schedule.ts';

/** Who recipients are, by number; null: nobody knows. */
export interface Register {
  addressOf(number: number): string | null;
  idOf(number: number): string | null;
}

type Names = Pick<SimulateReport, 'addressOf' | 'idOf'>;

/** Who is who in the events that are shown, and in the results of the run that failed first (`shown`) and of the minimal one. */
export function whoIsWho(told: Schedule | null, shown: Schedule | null): Names & Pick<SimulateReport, 'recipientOf'> {
  const recipientOf: Record<string, string> = {};
  const numbers = new Set<number>();
  const meet = (deliveryId: string): void => {
    const number = recipientOf[deliveryId] === undefined ? (told?.raw.recipientOf(deliveryId) ?? -1) : -1;
    if (number < 0) return;
    recipientOf[deliveryId] = `r${number}`;
    numbers.add(number);
  };
  for (const event of told?.events ?? []) {
    if (event.kind === 'provider') meet(event.deliveryId);
    else if (event.kind === 'claim') meet(event.verdict.id);
    else if ('request' in event && 'id' in event.request) meet(event.request.id);
    else if (event.kind === 'queue') meet(event.id);
  }
  const schedules = [shown, told].filter((schedule) => schedule !== null);
  for (const { result } of schedules) for (const number of numbersIn(result)) numbers.add(number);
  return {
    recipientOf,
    ...namesOf(
      numbers,
      schedules.map(({ raw }) => raw),
    ),
  };
}

/** The recipients in the lists of a result. */
export function numbersIn({ violations, notSent }: Pick<RunResult, 'violations' | 'notSent'>): readonly number[] {
  return [...violations, ...notSent].flatMap(({ recipient }) => recipientNumber(recipient ?? '') ?? []);
}

/** The first register that knows somebody has the say. */
export function namesOf(numbers: Iterable<number>, registers: readonly Register[]): Names {
  const all = [...numbers];
  const table = (of: (register: Register, number: number) => string | null): Record<string, string> =>
    Object.fromEntries(
      all.flatMap((number) => {
        const found = registers.map((register) => of(register, number)).find((name) => name !== null);
        return found === undefined || found === null ? [] : [[`r${number}`, found]];
      }),
    );
  return {
    addressOf: table((register, number) => register.addressOf(number)),
    idOf: table((register, number) => register.idOf(number)),
  };
}
