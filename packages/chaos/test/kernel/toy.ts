import { hashText } from '../../src/kernel/draw.ts';
import { Kernel, type RunEnd } from '../../src/kernel/kernel.ts';
import { processClock } from '../../src/kernel/clock.ts';
import { processRandom } from '../../src/kernel/random.ts';
import { begin, newProcess, type Life, type Process } from '../../src/kernel/process.ts';
import type { Site } from '../../src/kernel/site.ts';
import { Wire } from '../../src/kernel/wire.ts';

/** A site that keeps what arrived; its answer is what `apply` makes of the arguments. */
export function toySite<Args, Result>(
  op: string,
  apply: (args: Args) => Result | Promise<Result>,
  over: Partial<Site<Args, Result>> = {},
): Site<Args, Result> {
  return {
    op,
    index: 0,
    hash: hashText(op),
    peer: 'ledger',
    requestMs: [1, 3],
    replyMs: [1, 3],
    awaited: true,
    apply,
    lost: () => ({ kind: 'error', error: new Error(`${op}: no answer`) }),
    timeoutMs: () => 5_000,
    patienceMs: () => Infinity,
    ...over,
  };
}

/** A kernel, its wire, and a way to start processes in it. */
export function toyWorld(seed = 1) {
  const kernel = new Kernel(seed);
  const wire = new Wire(kernel);
  const run = (until: () => boolean = () => false, lastMs = 10_000_000): Promise<RunEnd> =>
    kernel.run({ until, lastMs: () => lastMs, mostEvents: () => 1_000_000 });
  const at = (ms: number, action: () => void, rank = 0): void =>
    kernel.schedule(ms, { rank, cancelled: false, instant: null, fire: action });
  const start = (name: string, main: (life: Life) => Promise<void>, process: Process = newProcess(name)): Process => {
    at(0, () => void main(begin(process)), process.hash);
    return process;
  };
  return {
    kernel,
    wire,
    run,
    at,
    start,
    clock: (life: Life) => processClock(kernel, life),
    random: (life: Life) => processRandom(kernel, life),
  };
}
