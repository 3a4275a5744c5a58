import { isDeadLetter, type DeliveryRecord } from '@sendonce/core';
import type { Desk } from '../desk.ts';
import { notificationPages } from '../pages.ts';
import { Tally, type CountOf } from '../tally.ts';
import { ARCHIVE_SCHEMA, digest, lineOf, type Entry, type Sums } from './lines.ts';
import { overBefore } from './over.ts';
import type { Sink } from './sink.ts';

export interface Writing {
  /** Epoch ms. */
  readonly before: number;
  /** What is written is to be forgotten afterwards: nothing is, that may not be. */
  readonly forgets: boolean;
  readonly signal: AbortSignal;
  /** After each page of notifications that were looked at. */
  readonly told: (written: Sums) => void;
}

export interface Written extends Sums {
  readonly before: string;
  readonly sha256: string;
  /** Deliveries that gave up, and that nobody has sent again. */
  readonly deadLetters: number;
  /** Notifications that are not in it, by what holds them. */
  readonly held: readonly CountOf[];
}

/** Writes what is over to a sink, page by page. Null: it was interrupted. */
export async function writeArchive(
  { ledger }: Pick<Desk, 'ledger'>,
  sink: Sink,
  { before, forgets, signal, told }: Writing,
): Promise<Written | null> {
  const sums = { notifications: 0, deliveries: 0, deadLetters: 0 };
  const held = new Tally();
  const sum = digest();
  const write = async (entries: readonly Entry[]): Promise<void> => {
    const text = entries.map(lineOf).join('');
    sum.add(text);
    await sink.write(text);
  };
  const when = new Date(before).toISOString();
  await write([{ kind: 'archive', schema: ARCHIVE_SCHEMA, before: when }]);
  for await (const { items } of notificationPages(ledger)) {
    for (const item of items) {
      if (signal.aborted) return null;
      const over = await overBefore(ledger, item, { before, forgets });
      if ('hold' in over) {
        held.add(over.hold);
        continue;
      }
      sums.notifications += 1;
      await write([{ kind: 'notification', record: over.notification }]);
      for await (const records of over.pages) {
        sums.deliveries += records.length;
        sums.deadLetters += records.filter(isLeft).length;
        await write(records.map((record) => ({ kind: 'delivery', record })));
      }
    }
    told(sums);
  }
  const { notifications, deliveries } = sums;
  const sha256 = sum.end();
  // A file without it was cut short.
  await sink.write(lineOf({ kind: 'end', notifications, deliveries, sha256 }));
  return { ...sums, before: when, sha256, held: held.counts };
}

function isLeft({ state, replacedBy }: DeliveryRecord): boolean {
  return isDeadLetter(state) && replacedBy === null;
}
