import { parentPort, workerData } from 'node:worker_threads';
import { runSchedule } from '../schedule.ts';
import { casesOf, type CasesSource } from './cases.ts';
import { seenOf, type Seen } from './seen.ts';

/** What the thread answers: that it listens, or the nth schedule. Null: it ended by throwing. */
export type FromThread = 'ready' | { readonly n: number; readonly seen: Seen | null };

/*
 * Runs schedules of a search, one after the other, by their numbers. What is wrong in one of them is only said: whoever asked runs it again
 * and sees for himself.
 */

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a thread');
const source = workerData as CasesSource;
const caseAt = casesOf(source);
const options = { workload: source.workload ?? null, covered: true, record: false, trace: false };

/** A simulated world takes the place of the thread's own clock and chance, so only one may run at a time. */
let last: Promise<void> = Promise.resolve();

port.on('message', (n: number) => {
  last = last.then(async () => {
    const seen = await runSchedule(caseAt(n), options).then(seenOf, () => null);
    port.postMessage({ n, seen } satisfies FromThread);
  });
});
port.postMessage('ready' satisfies FromThread);
