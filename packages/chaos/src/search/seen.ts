import type { Covered } from '../coverage.ts';
import { recipientNumber } from '../faults/armed.ts';
import type { RunResult } from '../result.ts';
import type { Schedule } from '../schedule.ts';

/** What a search keeps of a schedule once it is counted: data alone, so that a thread can send it. */
export interface Seen {
  readonly result: RunResult;
  /** Null: nobody counted. */
  readonly covered: Covered | null;
  /** Requests that reached a provider, whatever became of them, and messages that were taken. */
  readonly asked: number;
  readonly messages: number;
  /** The first notification that gave up before it reached anybody. */
  readonly gaveUp: { readonly whose: string; readonly reason: string } | null;
  /** Who those are that `result.notSent` lists, in its order; null: nobody knows. */
  readonly people: readonly { readonly to: string | null; readonly id: string | null }[];
}

export function seenOf({ result, raw, covered }: Schedule): Seen {
  const [first] = raw.facts.failedNotifications;
  return {
    result,
    covered,
    asked: raw.asked,
    messages: raw.messages,
    gaveUp:
      first === undefined
        ? null
        : {
            whose: raw.publicationOf(first.notificationId) ?? first.notificationId,
            reason: first.reason ?? 'no reason given',
          },
    people: result.notSent.map(({ recipient }) => {
      const number = recipientNumber(recipient);
      if (number === null) return { to: null, id: null };
      return { to: raw.addressOf(number), id: raw.idOf(number) };
    }),
  };
}
