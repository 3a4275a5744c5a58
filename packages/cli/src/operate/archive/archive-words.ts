import type { Hold } from '@sendonce/core';
import { grouped } from '../../flags/parse-values.ts';
import { flagWords } from '../../simulate/again.ts';
import type { CommandOf } from '../desk.ts';
import { progressOf } from '../progress.ts';
import { block, plural } from '../words.ts';
import type { Forgotten } from './forget-archived.ts';
import type { Sums } from './lines.ts';
import type { ArchiveReport } from './report.ts';

/** What holds a notification, for a person. */
const HOLDS: Readonly<Record<Hold | 'other', string>> = {
  'not-over': 'not over yet',
  unsettled: 'a delivery is being sent again',
  parked: 'a delivery is parked: nobody knows whether it went out (notify dlq list --state parked)',
  recent: 'accepted, settled or changed later than that',
  unreadable: 'a delivery cannot be read',
  other: 'another notification than the one in the file: FILE is of another ledger',
  quarantine: 'the ledger has lost its memory a moment ago, and waits',
};

/** `1,200 notifications with 3,400 deliveries`. */
export function sumsText({ notifications, deliveries }: Sums): string {
  return `${plural(notifications, 'notification')} with ${plural(deliveries, 'delivery', 'deliveries')}`;
}

export function writingText(sums: Sums): string {
  return `${sumsText(sums)} written ...`;
}

export function forgetQuestion(report: ArchiveReport): string {
  const { file, deadLetters } = report;
  const lost =
    deadLetters === null || deadLetters === 0
      ? ''
      : `\n${plural(deadLetters, 'delivery', 'deliveries')} of them gave up and ${deadLetters === 1 ? 'was' : 'were'} never sent again; after this nobody can.`;
  return `${file ?? ''} is whole and on the disk.${lost}\nRemove its ${sumsText(report)} from the ledger? [y/N] `;
}

/** `[####......] 400 of 1,000 forgotten, 200/s, 3 s left`. */
export function forgettingText(result: Forgotten, { notifications }: Sums, wallMs: number): string {
  const done = handled(result);
  const { bar, pace } = progressOf(done, notifications, wallMs);
  return `${bar} ${grouped(done)} of ${plural(notifications, 'notification')} forgotten${pace}`;
}

/** The ledger failed on the way. */
export function laterText(result: Forgotten | null, { file, notifications }: ArchiveReport): string {
  const done = result === null ? 0 : handled(result);
  return `${grouped(done)} of ${plural(notifications, 'notification')} were forgotten before that. ${file} is whole: run the same command again to go on.\n`;
}

function handled({ notifications, absent, held }: Forgotten): number {
  return notifications + absent + held.reduce((sum, { count }) => sum + count, 0);
}

/** What became of it, for a person. */
export function archiveText(report: ArchiveReport, command: CommandOf): string {
  const { sha256, file, held, unreadable, left } = report;
  const lines = [
    title(report),
    '',
    ...block('over', [`before ${report.before}`]),
    ...block('file', file === null ? [] : [file]),
    ...block('sha256', sha256 === null ? [] : [`${sha256} (all but the last line)`]),
    ...block('left out', left === 0 ? [] : held.map(({ name, count }) => `${grouped(count)}  ${HOLDS[name as Hold]}`)),
    ...block(
      'unread',
      unreadable === 0
        ? []
        : [
            `${plural(unreadable, 'record')} of the ledger cannot be read, and ${unreadable === 1 ? 'is' : 'are'} in no archive`,
          ],
    ),
    ...block('stayed', stayedLines(report)),
    ...block('next', nextLines(report, command)),
  ];
  return `${lines.join('\n')}\n`;
}

function title(report: ArchiveReport): string {
  const sums = sumsText(report);
  const { status, isEarlier, forgotten, file } = report;
  const to = file === null ? '' : ` to ${file}`;
  switch (status) {
    case 'counted':
      return isEarlier
        ? `WHOLE  an earlier archive of ${sums}; nothing was forgotten`
        : `COUNTED  ${sums} would be written${to}; nothing was`;
    case 'written':
      return isEarlier ? `WHOLE  an earlier archive of ${sums}` : `WRITTEN  ${sums}`;
    case 'not-confirmed':
      return `WRITTEN  ${sums}; nothing was forgotten`;
    case 'forgotten':
      return `FORGOTTEN  ${share(forgotten, report)}; they are in the archive alone`;
    case 'interrupted':
      return `STOPPED  after the batch in flight: ${share(forgotten, report)} forgotten`;
  }
}

function share(forgotten: Forgotten | null, { notifications }: Sums): string {
  return `${grouped(forgotten?.notifications ?? 0)} of ${plural(notifications, 'notification')}`;
}

function stayedLines({ forgotten }: ArchiveReport): string[] {
  if (forgotten === null) return [];
  return [
    ...forgotten.held.map(
      ({ reason, count, ids }) => `${grouped(count)}  ${HOLDS[reason as Hold | 'other']}; the first: ${ids[0] ?? ''}`,
    ),
    ...(forgotten.absent === 0
      ? []
      : [`${grouped(forgotten.absent)}  not in the ledger any more, in the archive alone`]),
  ];
}

function nextLines(
  { status, file, before, forgotten, notifications, isEarlier }: ArchiveReport,
  command: CommandOf,
): string[] {
  const again = `archive --before ${before} ${flagWords('to', file ?? 'FILE')} --forget`;
  switch (status) {
    case 'counted':
      return [
        isEarlier ? 'without --dry-run it goes on where the earlier run was ended' : 'without --dry-run it is written',
      ];
    case 'written':
      if (notifications === 0) return ['nothing: nothing has been over for so long'];
      return [
        'nothing was removed: the ledger forgets by itself what has been over for its `retentionMs`',
        ...(file === null ? [] : [`to remove it now: ${command(again)}`]),
      ];
    case 'not-confirmed':
      return [`to go on with the same file: ${command(again)}`];
    case 'forgotten':
      return (forgotten?.held ?? []).every(({ reason }) => reason === 'other')
        ? []
        : ['what stayed has changed since, and comes into a later archive'];
    case 'interrupted':
      return [`the archive is whole; this goes on: ${command(again)}`];
  }
}
