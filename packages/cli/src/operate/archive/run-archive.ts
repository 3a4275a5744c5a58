import { SendonceError } from '@sendonce/core';
import { EXIT } from '../../command-error.ts';
import { onSignals } from '../../simulate/interrupt.ts';
import { answering } from '../answering.ts';
import { atDesk, type Desk } from '../desk.ts';
import { notificationPages } from '../pages.ts';
import { parseMoment } from '../parse-moment.ts';
import type { ArchiveFlags } from './flags.ts';
import { overBefore } from './over.ts';
import { sinkOf, type Sink } from './sink.ts';

/** What `--json` prints. */
export interface ArchiveReport {
  readonly schema: 'sendonce.archived/1';
  readonly dryRun: boolean;
  readonly before: string;
  readonly file: string | null;
  readonly notifications: number;
  readonly deliveries: number;
  /** Not over, or not for so long. */
  readonly left: number;
  /** Records of the ledger that nobody can read, which are in no archive. */
  readonly unreadable: number;
}

/**
 * Runs `notify archive`: writes what has been over for long, and removes nothing from the ledger.
 * @throws SendonceError FLAG_INVALID, OUTPUT_FAILED, LEDGER_UNAVAILABLE and the like.
 */
export async function runArchive(flags: ArchiveFlags): Promise<number> {
  if (flags.json === true && flags.to === undefined && flags['dry-run'] !== true)
    throw new SendonceError('FLAG_INVALID', '--json needs --to FILE: without it stdout is the archive itself');
  return atDesk(flags, async (desk) => {
    const before = parseMoment('before', flags.before ?? '30d', desk.now());
    const sink = await sinkOf(flags, desk.terminal);
    const stop = new AbortController();
    const take = onSignals({ stop: () => stop.abort(), end: () => process.exit(EXIT.interrupted) });
    try {
      const report = await archive(desk, sink, { before, flags, signal: stop.signal });
      if (report === null) {
        await sink.abandon();
        desk.terminal.err('Interrupted: there is no archive, and the ledger is as it was.\n');
        return EXIT.interrupted;
      }
      await sink.finish();
      tell(desk, report);
      return EXIT.pass;
    } catch (thrown) {
      await sink.abandon();
      throw thrown;
    } finally {
      take();
    }
  });
}

interface Archiving {
  readonly before: number;
  readonly flags: ArchiveFlags;
  readonly signal: AbortSignal;
}

/** Null: it was interrupted. */
async function archive(
  { ledger }: Desk,
  sink: Sink,
  { before, flags, signal }: Archiving,
): Promise<ArchiveReport | null> {
  const sums = { notifications: 0, deliveries: 0, left: 0 };
  const { unreadable } = await answering('count', ledger.count());
  const when = new Date(before).toISOString();
  await sink.write(line({ kind: 'archive', schema: 'sendonce.archive/1', before: when }));
  for await (const { items } of notificationPages(ledger))
    for (const item of items) {
      if (signal.aborted) return null;
      const over = await overBefore(ledger, item, before);
      if (over === null) {
        sums.left += 1;
        continue;
      }
      sums.notifications += 1;
      sums.deliveries += over.deliveries;
      await sink.write(line({ kind: 'notification', record: over.notification }));
      for await (const records of over.pages)
        await sink.write(records.map((record) => line({ kind: 'delivery', record })).join(''));
    }
  // A file without it was cut short.
  await sink.write(line({ kind: 'end', notifications: sums.notifications, deliveries: sums.deliveries }));
  const file = flags.to ?? null;
  return { schema: 'sendonce.archived/1', dryRun: flags['dry-run'] === true, before: when, file, ...sums, unreadable };
}

function line(entry: object): string {
  return `${JSON.stringify(entry)}\n`;
}

function tell({ terminal, isJson }: Desk, report: ArchiveReport): void {
  if (isJson) return terminal.out(`${JSON.stringify(report, null, 2)}\n`);
  const { dryRun, notifications, deliveries, left, unreadable, before, file } = report;
  const what = `${notifications} notifications with ${deliveries} deliveries, over before ${before}`;
  const words = [
    dryRun
      ? `Would write ${what}; ${left} stay.`
      : `Wrote ${what}${file === null ? '' : `, to ${file}`}; ${left} are not in it.`,
    ...(unreadable === 0 ? [] : [`Not in it: ${unreadable} records that cannot be read.`]),
    ...(dryRun ? [] : ['Nothing was removed: the ledger forgets by itself what has been over for its `retentionMs`.']),
  ];
  // Where stdout is the archive, words do not belong there.
  const say = file === null && !dryRun ? terminal.err : terminal.out;
  say(`${words.join('\n')}\n`);
}
