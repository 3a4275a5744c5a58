import { interrupted, type CommandError } from '../command-error.ts';
import { PROCESS_STREAMS, terminalOf, type TerminalKind } from '../terminal.ts';
import type { SimulateFlags } from './flags.ts';
import { onSignals } from './interrupt.ts';
import { CLEAR_LINE } from '../progress-line.ts';
import { runSimulate } from './run-simulate.ts';

/** Real processes take their time to end on a busy machine, ms; whoever does not wait for them presses Ctrl-C again. */
const PROCESSES_END_MS = 10_000;

/**
 * Runs `notify simulate` in the thread of the command itself: without a config only our own code is run, which hears signals in between.
 * `searchThread`: where `threads/search` was built to.
 */
export async function simulateHere(
  flags: SimulateFlags,
  kind: TerminalKind,
  searchThread: URL,
): Promise<number | CommandError> {
  const terminal = await terminalOf(kind, PROCESS_STREAMS);
  const controller = new AbortController();
  return new Promise((resolve, reject) => {
    const dispose = onSignals({
      ...(flags.real === true && { patienceMs: PROCESSES_END_MS }),
      stop: () => controller.abort(),
      end: () => {
        if (kind.watched) terminal.err(CLEAR_LINE);
        resolve(interrupted(''));
      },
    });
    runSimulate(flags, terminal, { signal: controller.signal, searchThread }).then(resolve, reject).finally(dispose);
  });
}
