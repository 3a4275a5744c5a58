import { createInterface } from 'node:readline/promises';

/** Asks on stderr, so that stdout stays the result's. Only a plain yes is a yes. */
export async function confirm(question: string, signal: AbortSignal): Promise<'yes' | 'no' | 'no-terminal'> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY) return 'no-terminal';
  const lines = createInterface({ input: stdin, output: stderr });
  // A terminal in raw mode makes no signal of Ctrl-C.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  // Ctrl-D ends the question without an answer.
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    const answer = await Promise.race([lines.question(question, { signal }), ended]);
    return /^y(es)?$/i.test(answer.trim()) ? 'yes' : 'no';
  } catch (thrown) {
    if (signal.aborted) return 'no';
    throw thrown;
  } finally {
    lines.close();
  }
}
