import { grouped } from '../flags/parse-values.ts';
import { span } from './words.ts';

const WIDTH = 20;

/** How far something is, in words: `[#####.....]`, and `, 400/s, 3 s left`, which is empty at the end: no pace is left then. */
export function progressOf(done: number, all: number, wallMs: number): { readonly bar: string; readonly pace: string } {
  const filled = all === 0 ? 0 : Math.floor((done / all) * WIDTH);
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}]`;
  if (done >= all) return { bar, pace: '' };
  const rate = wallMs > 0 ? (done / wallMs) * 1_000 : 0;
  const left = rate > 0 ? `, ${span(((all - done) / rate) * 1_000)} left` : '';
  return { bar, pace: `, ${grouped(Math.round(rate))}/s${left}` };
}
