import { existsSync } from 'node:fs';
import { SendonceError } from '@sendonce/core';
import { EXIT } from '../../command-error.ts';
import { flagError } from '../../flags/flag-error.ts';
import { wordsLine } from '../../progress-line.ts';
import { onSignals } from '../../simulate/interrupt.ts';
import { answering } from '../answering.ts';
import { atDesk, type Desk } from '../desk.ts';
import { parseMoment } from '../parse-moment.ts';
import { parseRate } from '../parse-rate.ts';
import { confirm } from '../replay/confirm.ts';
import { archiveText, forgetQuestion, forgettingText, laterText, writingText } from './archive-words.ts';
import type { ArchiveFlags } from './flags.ts';
import { forgetArchived, LEAST_AGE_MS, type Forgotten } from './forget-archived.ts';
import { readArchive } from './read-archive.ts';
import type { ArchiveReport } from './report.ts';
import { sinkOf, type Sink } from './sink.ts';
import { writeArchive } from './write-archive.ts';

/** Longer than a batch takes. A second Ctrl-C ends at once, ms. */
const PATIENCE_MS = 30_000;

const EXIT_CODES: Readonly<Record<ArchiveReport['status'], number>> = {
  counted: EXIT.pass,
  written: EXIT.pass,
  forgotten: EXIT.pass,
  'not-confirmed': EXIT.usage,
  interrupted: EXIT.interrupted,
};

/** What was asked for, apart from when. */
interface Asked {
  readonly to: string | null;
  readonly forgets: boolean;
  readonly isDryRun: boolean;
  readonly isConfirmed: boolean;
  readonly rate: number | null;
}

interface Run extends Asked {
  /** Epoch ms. */
  readonly before: number;
  readonly signal: AbortSignal;
}

/**
 * Runs `notify archive`: writes what has been over for long, and with --forget has the ledger forget it, once it is on the disk.
 * @throws SendonceError FLAG_INVALID, OUTPUT_FAILED, LEDGER_UNAVAILABLE and the like.
 */
export async function runArchive(flags: ArchiveFlags): Promise<number> {
  const asked = askedOf(flags);
  const stop = new AbortController();
  return atDesk(flags, async (desk) => {
    const take = onSignals({
      stop: () => stop.abort(),
      end: () => process.exit(EXIT.interrupted),
      ...(asked.forgets && { patienceMs: PATIENCE_MS }),
    });
    try {
      const run = { ...asked, before: beforeOf(flags, desk, asked), signal: stop.signal };
      const report = await archive(desk, run, flags);
      if (report !== null) return tell(desk, report);
      desk.terminal.err('Interrupted: there is no archive, and the ledger is as it was. Run the same command again.\n');
      return EXIT.interrupted;
    } finally {
      take();
    }
  });
}

/** @throws SendonceError FLAG_INVALID */
function askedOf(flags: ArchiveFlags): Asked {
  const { to, forget: forgets = false, yes: isConfirmed = false, 'dry-run': isDryRun = false, rate } = flags;
  if (forgets && to === undefined)
    throw new SendonceError('FLAG_INVALID', '--forget needs --to FILE: nothing is forgotten that is not in a file');
  if (!forgets && (isConfirmed || rate !== undefined))
    throw new SendonceError('FLAG_INVALID', `--${isConfirmed ? 'yes' : 'rate'} is for --forget, which was not given`);
  if (flags.json === true && to === undefined && !isDryRun)
    throw new SendonceError('FLAG_INVALID', '--json needs --to FILE: without it stdout is the archive itself');
  return { to: to ?? null, forgets, isDryRun, isConfirmed, rate: rate === undefined ? null : parseRate('rate', rate) };
}

/** @throws SendonceError FLAG_INVALID */
function beforeOf({ before = '30d' }: ArchiveFlags, { now }: Desk, { forgets }: Asked): number {
  const at = parseMoment('before', before, now());
  if (forgets && !isOldEnough(at, now()))
    throw flagError('before', before, `at least 1d ago with --forget: ${WHY_OLD}`);
  return at;
}

const WHY_OLD = 'before that, providers still tell what became of it, and queues still hold wakes';

function isOldEnough(before: number, now: number): boolean {
  return before <= now - LEAST_AGE_MS;
}

/** An earlier archive may be of yesterday. @throws SendonceError FLAG_INVALID */
function checkAge(before: string, now: number, file: string): void {
  if (isOldEnough(Date.parse(before), now)) return;
  throw flagError(
    'to',
    file,
    `an archive of what was over at least 1d ago, and this one is of what was over before ${before}: ${WHY_OLD}`,
  );
}

async function archive(desk: Desk, run: Run, flags: ArchiveFlags): Promise<ArchiveReport | null> {
  const { to, forgets, isDryRun, signal } = run;
  const { unreadable } = await answering('count', desk.ledger.count());
  const isEarlier = forgets && to !== null && existsSync(to);
  const made = isEarlier ? await earlier(to) : await write(desk, run, await sinkOf(flags, desk.terminal));
  if (made === null) return null;
  const report: ArchiveReport = {
    ...{ schema: 'sendonce.archived/1', status: isDryRun ? 'counted' : 'written', isEarlier, file: to },
    ...made,
    sha256: isDryRun && !isEarlier ? null : made.sha256,
    ...{ left: made.held.reduce((sum, { count }) => sum + count, 0), unreadable, forgotten: null },
  };
  if (isDryRun || !forgets || to === null || report.notifications === 0) return report;
  checkAge(report.before, desk.now(), to);
  if (!isEarlier) await checkWritten(to, report);
  const decided = await decide(desk, run, report);
  if (decided !== 'forgotten') return { ...report, status: decided };
  const forgotten = await forget(desk, run, to, report);
  return { ...report, status: signal.aborted ? 'interrupted' : 'forgotten', forgotten };
}

type Made = Pick<ArchiveReport, 'before' | 'notifications' | 'deliveries' | 'deadLetters' | 'held'> & {
  readonly sha256: string;
};

/** An archive that an earlier run made whole. */
async function earlier(file: string): Promise<Made> {
  return { ...(await readArchive(file)), deadLetters: null, held: [] };
}

async function write(desk: Desk, { before, forgets, signal }: Run, sink: Sink): Promise<Made | null> {
  const line = wordsLine(desk.terminal);
  const begun = performance.now();
  try {
    const written = await writeArchive(desk, sink, {
      ...{ before, forgets, signal },
      told: (sums) => line.tell(performance.now() - begun, () => writingText(sums)),
    });
    await (written === null ? sink.abandon() : sink.finish());
    return written;
  } catch (thrown) {
    await sink.abandon();
    throw thrown;
  } finally {
    line.clear();
  }
}

/** As the disk gives it back, it is what was written. @throws SendonceError OUTPUT_FAILED */
async function checkWritten(file: string, { sha256 }: ArchiveReport): Promise<void> {
  const read = await readArchive(file);
  if (read.sha256 !== sha256)
    throw new SendonceError(
      'OUTPUT_FAILED',
      `${file} was read back otherwise than it was written; nothing was forgotten`,
    );
}

async function decide(
  { terminal }: Desk,
  { isConfirmed, signal }: Run,
  report: ArchiveReport,
): Promise<'forgotten' | 'not-confirmed' | 'interrupted'> {
  if (isConfirmed) return 'forgotten';
  const answer = await confirm(forgetQuestion(report), signal);
  if (answer === 'no-terminal') terminal.err('There is no terminal to ask: say --yes, or --dry-run to look only.\n');
  return answer === 'yes' ? 'forgotten' : signal.aborted ? 'interrupted' : 'not-confirmed';
}

async function forget(
  { ledger, now, terminal }: Desk,
  { rate, signal }: Run,
  file: string,
  report: ArchiveReport,
): Promise<Forgotten> {
  const line = wordsLine(terminal);
  const begun = performance.now();
  let last: Forgotten | null = null;
  try {
    return await forgetArchived(file, {
      ...{ ledger, now, rate, signal, before: Date.parse(report.before) },
      told(result) {
        last = result;
        const wallMs = performance.now() - begun;
        line.tell(wallMs, () => forgettingText(result, report, wallMs));
      },
    });
  } catch (thrown) {
    line.clear();
    terminal.err(laterText(last, report));
    throw thrown;
  } finally {
    line.clear();
  }
}

function tell({ terminal, isJson, command }: Desk, report: ArchiveReport): number {
  if (isJson) terminal.out(`${JSON.stringify(report, null, 2)}\n`);
  else {
    // Where stdout is the archive, words do not belong there.
    const say = report.file === null && report.status !== 'counted' ? terminal.err : terminal.out;
    say(archiveText(report, command));
  }
  return EXIT_CODES[report.status];
}
