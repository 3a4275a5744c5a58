import { isSendonceError, kindOf, type Ledger } from '@sendonce/core';
import { commandError, EXIT } from '../../command-error.ts';
import { wordsLine } from '../../progress-line.ts';
import { onSignals } from '../../simulate/interrupt.ts';
import { grouped } from '../../flags/parse-values.ts';
import { atDesk, type Desk } from '../desk.ts';
import type { ReplayFlags } from '../flags.ts';
import { missing } from '../find-record.ts';
import { carryOut } from './carry-out.ts';
import { confirm } from './confirm.ts';
import { makePlan, NO_SUCH_DELIVERY, type Planned } from './make-plan.ts';
import { planText } from './plan-words.ts';
import type { ReplayReport, ReplayResult, ReplayStatus } from './report.ts';
import { parseRequest, type ReplayRequest } from './request.ts';
import { progressText, refusedCount, resultText } from './result-words.ts';

/** Beyond those of every command: some of what was chosen cannot be sent again. */
export const SOME_REFUSED = 4;

const EXIT_CODES: Readonly<Record<Exclude<ReplayStatus, 'failed'>, number>> = {
  'nothing-to-do': EXIT.pass,
  planned: EXIT.pass,
  'not-confirmed': EXIT.usage,
  done: EXIT.pass,
  refused: SOME_REFUSED,
  interrupted: EXIT.interrupted,
};
/** Longer than a batch takes that waits for a lock. A second Ctrl-C ends at once, ms. */
const PATIENCE_MS = 30_000;

export interface ReplayInput {
  readonly flags: ReplayFlags;
  readonly ids: readonly string[];
  /** The command as it was given, to be given again. */
  readonly again: string;
}

/** Runs `notify replay-dlq`; answers its exit code. @throws SendonceError FLAG_INVALID, CONFIG_FILE_INVALID, LEDGER_UNAVAILABLE, ... */
export function runReplay({ flags, ids, again }: ReplayInput): Promise<number> {
  const asked = parseRequest(flags, ids, Date.now());
  const controller = new AbortController();
  return atDesk(flags, async (desk) => {
    const dispose = onSignals({
      stop: () => controller.abort(),
      end: () => process.exit(EXIT.interrupted),
      patienceMs: PATIENCE_MS,
    });
    try {
      return await replay(desk, asked, { again, signal: controller.signal });
    } finally {
      dispose();
    }
  });
}

interface Run {
  readonly again: string;
  readonly signal: AbortSignal;
}

async function replay(desk: Desk, asked: ReplayRequest, run: Run): Promise<number> {
  const { terminal, isJson, config, command, ledger } = desk;
  const planned = await plan(desk, asked, run.signal);
  const decided = (status: ReplayStatus, more: Partial<ReplayReport> = {}): ReplayReport =>
    reportOf(asked, planned, status, { ledger: ledger.capabilities.file, ...more });
  if (run.signal.aborted) {
    // What was read so far is no plan.
    terminal.err('Stopped before the plan was made: nothing was sent.\n');
    return end(desk, decided('interrupted'));
  }
  if (!isJson) terminal.out(planText(decided('planned'), config, terminal.paint));
  const status = await decide(desk, asked, planned, run.signal);
  if (status !== 'go') return end(desk, decided(status));
  const { result, error } = await act(desk, asked, planned, run.signal);
  const report = decided(statusOf(result, error, run.signal), {
    result,
    error: error === null ? null : commandError(error, []).json.error,
  });
  if (!isJson) terminal.out(`\n${resultText(report, { again: run.again, status: command('status') }, terminal.paint)}`);
  return end(desk, report, error);
}

async function plan({ ledger, now, terminal }: Desk, asked: ReplayRequest, signal: AbortSignal): Promise<Planned> {
  const line = wordsLine(terminal);
  const begun = performance.now();
  try {
    const read = (seen: number): void =>
      line.tell(performance.now() - begun, () => `${grouped(seen)} dead letters read ...`);
    const planned = await makePlan(ledger, asked, { now, signal, read });
    await checkNamed(ledger, asked, planned);
    return planned;
  } finally {
    line.clear();
  }
}

/** Of several, those that are not there are told beside the rest. @throws SendonceError DELIVERY_NOT_FOUND, LEDGER_CORRUPT: none of them is there to be read */
async function checkNamed(ledger: Ledger, { ids }: ReplayRequest, { plan: { refused } }: Planned): Promise<void> {
  const named = new Set(ids);
  const absent = refused.find(({ reason }) => reason === NO_SUCH_DELIVERY);
  const [first] = named;
  if (first !== undefined && absent?.count === named.size) await missing(ledger, kindOf(first), first);
}

/** Whether to go on after the plan, and if not, why. */
async function decide(
  { terminal }: Desk,
  { isDryRun, isConfirmed }: ReplayRequest,
  { plan: { chosen, refused } }: Planned,
  signal: AbortSignal,
): Promise<'go' | ReplayStatus> {
  if (isDryRun) return 'planned';
  if (chosen === 0) return refused.length > 0 ? 'refused' : 'nothing-to-do';
  if (isConfirmed) return 'go';
  const answer = await confirm(`\nSend ${chosen === 1 ? 'it' : `these ${grouped(chosen)}`} again? [y/N] `, signal);
  if (answer === 'no-terminal')
    terminal.err('Nothing was sent: there is no terminal to ask. Say --yes to do this, or --dry-run to look only.\n');
  if (answer === 'no') terminal.err('Nothing was sent.\n');
  return answer === 'yes' ? 'go' : signal.aborted ? 'interrupted' : 'not-confirmed';
}

/** Carries it out as far as it goes. */
async function act(
  { ledger, notifier, now, terminal }: Desk,
  asked: ReplayRequest,
  planned: Planned,
  signal: AbortSignal,
): Promise<{ readonly result: ReplayResult; readonly error: unknown }> {
  const line = wordsLine(terminal);
  const begun = performance.now();
  let result: ReplayResult = { replayed: 0, elsewhere: 0, refused: [], possibleDuplicates: 0 };
  const told = (now: ReplayResult): void => {
    result = now;
    const wallMs = performance.now() - begun;
    line.tell(wallMs, () => progressText(now, planned.plan, wallMs));
  };
  try {
    await carryOut(asked, planned, { ledger, notifier, now, signal, told });
    return { result, error: null };
  } catch (error) {
    return { result, error };
  } finally {
    line.clear();
  }
}

function statusOf(result: ReplayResult, error: unknown, signal: AbortSignal): ReplayStatus {
  if (error !== null) return 'failed';
  if (signal.aborted) return 'interrupted';
  return refusedCount(result) > 0 ? 'refused' : 'done';
}

function reportOf(
  { terms, filter, ids, limit }: ReplayRequest,
  { plan }: Planned,
  status: ReplayStatus,
  more: Partial<ReplayReport>,
): ReplayReport {
  const { by, why: note, force, states } = terms;
  return {
    schema: 'sendonce.replay/1',
    status,
    ledger: null,
    by,
    note,
    force,
    states,
    filter,
    ids,
    limit,
    plan,
    result: null,
    error: null,
    ...more,
  };
}

function end({ terminal, isJson }: Desk, report: ReplayReport, error: unknown = null): number {
  if (isJson) terminal.out(`${JSON.stringify(report, null, 2)}\n`);
  if (report.status !== 'failed') return EXIT_CODES[report.status];
  const told = commandError(error, []);
  // Under --json the one object holds it; what is not of ours needs its stack.
  if (!isJson || !isSendonceError(error)) terminal.err(told.text);
  return told.exitCode;
}
