import { parentPort, workerData } from 'node:worker_threads';
import { isSendonceError, SendonceError, type NotifierConfig } from '@sendonce/core';
import { commandError } from '../command-error.ts';
import { isThrownByUser, placeOf } from '../config-file/place.ts';
import { loadConfig } from '../config-file/load-config.ts';
import { watchedConfig, type CodeWatch } from '../config-file/user-code.ts';
import { runSimulate } from '../simulate/run-simulate.ts';
import { terminalOf } from '../terminal.ts';
import type { ThreadMessage, ThreadStart } from './messages.ts';
import { LOADING, Running } from './running.ts';

/*
 * A simulation that runs the user's own code runs in a thread: whatever that code does, an endless loop included, the process itself
 * goes on hearing signals. What the code writes is not our output.
 */

const TICK_MS = 500;
/** What the user's code may say in all. */
const MOST_SAID = 100_000;
// Kept from before any simulated world replaces it.
const nextTurn = setImmediate;

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a thread');
const { flags, terminal: kind, running: memory } = workerData as ThreadStart;
const running = new Running(memory);
const say = (message: ThreadMessage): void => port.postMessage(message);
const fail = (thrown: unknown): void => say({ kind: 'failed', error: commandError(usersOr(thrown), []) });

const stop = new AbortController();
port.on('message', () => stop.abort());
// A config whose promise never settles must not be kept waiting for by us.
port.unref();
setInterval(() => running.tick(), TICK_MS).unref();
captureOutput();
markExit();

for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
  // Not here: this may be the middle of a simulated run, which may tell it better itself.
  process.on(event, (thrown: unknown) => void nextTurn(() => fail(thrown)));
}

const watch: CodeWatch = {
  names: (names) => say({ kind: 'names', names }),
  first: LOADING + 1,
  run: (what, action) => running.run(what, action),
  fail,
};
const terminal = await terminalOf(kind, {
  out: (text) => say({ kind: 'out', text }),
  err: (text) => say({ kind: 'err', text }),
});
void run();

/** Says where in the user's files it comes from; and what a config throws where nobody called it (a timer) is no fault of ours. */
function usersOr(thrown: unknown): unknown {
  const place = placeOf(thrown);
  if (isSendonceError(thrown, 'DETERMINISM_VIOLATION') && place !== null)
    return new SendonceError(thrown.code, `${thrown.message} It is at ${place}.`, { cause: thrown });
  if (isSendonceError(thrown) || place === null || !isThrownByUser(thrown)) return thrown;
  const { name, message } = thrown as Error;
  const problem = `threw ${name}: ${message}, at ${place}, where nobody waits for it`;
  return new SendonceError('CONFIG_FILE_INVALID', `${flags.config}: ${problem}`, { cause: thrown });
}

/** `console.log` and whatever else writes to a stream: shown on stderr, up to a bound. */
function captureOutput(): void {
  let left = MOST_SAID;
  const write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    if (left > 0)
      say({
        kind: 'err',
        text: text.length <= left ? text : `${text.slice(0, left)}...\nThe config writes more than is shown.\n`,
      });
    left -= text.length;
    const done = rest.find((each) => typeof each === 'function');
    if (done !== undefined) queueMicrotask(done as () => void);
    return true;
  };
  process.stdout.write = write;
  process.stderr.write = write;
}

/** In a thread this ends the thread alone; the process has to know that it was asked for. */
function markExit(): void {
  const exit = process.exit.bind(process);
  process.exit = (code) => {
    running.exit();
    return exit(code);
  };
}

async function run(): Promise<void> {
  try {
    const exitCode = await runSimulate(flags, terminal, { signal: stop.signal, loadConfig: loadWatched });
    say({ kind: 'ended', exitCode });
  } catch (thrown) {
    fail(thrown);
  }
}

async function loadWatched(file: string): Promise<NotifierConfig> {
  const config = await running.run(LOADING, () => loadConfig(file));
  return watchedConfig(file, config, watch);
}
