import { Worker } from 'node:worker_threads';
import { SendonceError } from '@sendonce/core';
import { commandError, interrupted, type CommandError } from '../command-error.ts';
import { PROCESS_STREAMS, type TerminalKind } from '../terminal.ts';
import type { ThreadMessage, ThreadStart } from '../threads/messages.ts';
import { LOADING, NOTHING, Running, runningMemory } from '../threads/running.ts';
import type { SimulateFlags } from './flags.ts';
import { onSignals } from './interrupt.ts';
import { CLEAR_LINE } from '../progress-line.ts';

/** No function of a config takes this long, nor does loading it, ms. */
const STUCK_AFTER_MS = 60_000;

export interface InThread {
  readonly flags: SimulateFlags;
  readonly terminal: TerminalKind;
  /** Where `threads/simulate` was built to. */
  readonly entry: URL;
  /** How long one function of the config may take, ms. @defaultValue 60_000 */
  readonly stuckAfterMs?: number;
  /** How long loading the config may take, its top level and its factory, ms. @defaultValue 60_000 */
  readonly loadWithinMs?: number;
}

/**
 * Runs `notify simulate` with the user's own code, which may do anything: run for ever, end the process, never answer. None of it looks
 * like a pass. Answers the exit code, or what there is to tell.
 */
export function simulateInThread(options: InThread): Promise<number | CommandError> {
  const { flags, terminal, entry, stuckAfterMs = STUCK_AFTER_MS, loadWithinMs = STUCK_AFTER_MS } = options;
  const memory = runningMemory();
  const running = new Running(memory);
  const workerData: ThreadStart = { flags, terminal, running: memory };
  const thread = new Worker(entry, { workerData });
  let names: readonly string[] = [];
  const what = (): string => nameOf(running.what, names);
  return new Promise((resolve) => {
    const end = (result: number | CommandError): void => {
      dispose();
      clearInterval(look);
      // What was cut short took its line of progress away no more.
      if (terminal.watched && typeof result !== 'number') PROCESS_STREAMS.err(CLEAR_LINE);
      resolve(result);
      void thread.terminate();
    };
    const broken = (problem: string): void =>
      end(commandError(new SendonceError('CONFIG_FILE_INVALID', `${flags.config}: ${problem}`), []));
    const dispose = onSignals({
      stop: () => thread.postMessage('stop'),
      end: () => end(interrupted(running.what === NOTHING ? '' : ` Of ${flags.config}, ${what()} was running.`)),
    });
    const look = lookForStuck(running, { stuckAfterMs, loadWithinMs }, (limitMs) =>
      broken(`${what()} has been running for ${limitMs / 1_000} s without coming to an end`),
    );
    thread.on('message', (message: ThreadMessage) => {
      switch (message.kind) {
        case 'out':
        case 'err':
          return PROCESS_STREAMS[message.kind](message.text);
        case 'names':
          names = message.names;
          return;
        case 'ended':
          return end(message.exitCode);
        case 'failed':
          return end(message.error);
      }
    });
    thread.on('error', (error) => end(commandError(error, [])));
    thread.on('exit', (code) =>
      broken(
        running.hasExited
          ? `${what()} ended the process (process.exit(${code})): a simulation has to come to its own end`
          : `${what()} waits for something that never comes: its promise does not settle`,
      ),
    );
  });
}

/** Calls back, with the limit, when the thread has come round to nothing else for too long, or has been loading the config for as long. */
function lookForStuck(
  running: Running,
  { stuckAfterMs, loadWithinMs }: { readonly stuckAfterMs: number; readonly loadWithinMs: number },
  found: (limitMs: number) => void,
): NodeJS.Timeout {
  let ticks = -1;
  let since = performance.now();
  let wasLoading = false;
  return setInterval(
    () => {
      const isLoading = running.what === LOADING;
      const isMoving = running.what === NOTHING || (!isLoading && running.ticks !== ticks) || isLoading !== wasLoading;
      if (isMoving) since = performance.now();
      ticks = running.ticks;
      wasLoading = isLoading;
      const limitMs = isLoading ? loadWithinMs : stuckAfterMs;
      if (performance.now() - since >= limitMs) found(limitMs);
    },
    Math.min(1_000, stuckAfterMs / 4, loadWithinMs / 4),
  );
}

function nameOf(what: number, names: readonly string[]): string {
  if (what === NOTHING) return 'its own code';
  return what === LOADING ? 'its top level' : (names[what - LOADING - 1] ?? 'its own code');
}
