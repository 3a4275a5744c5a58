import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const NOTIFY = fileURLToPath(new URL('../../bin/notify.js', import.meta.url));
const MOST_BYTES = 512 * 2 ** 20;
/** What a recipient takes of V8's heap for as long as the run lasts: its number in two lists. */
const HEAP_PER_RECIPIENT = 16;

/** Says on exit what the process took: at most in all, and at most in buffers. */
const WATCH = `
  const { memoryUsage } = process;
  let buffers = 0;
  setInterval(() => { buffers = Math.max(buffers, memoryUsage().arrayBuffers); }, 20).unref();
  process.on('exit', () => {
    process.stderr.write(JSON.stringify({ buffers, all: process.resourceUsage().maxRSS * 1024 }));
  });
`;

function peakOf(recipients: number): { readonly buffers: number; readonly all: number } {
  const watch = `data:text/javascript,${encodeURIComponent(WATCH)}`;
  const flags = ['--recipients', String(recipients), '--kill-at', String(recipients * 0.8), '--seed', 'memory'];
  const { stderr, status } = spawnSync(process.execPath, ['--import', watch, NOTIFY, 'simulate', ...flags], {
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  return JSON.parse(stderr.slice(stderr.lastIndexOf('{'))) as ReturnType<typeof peakOf>;
}

// The run of a million takes minutes. What grows with the recipients lies in buffers; garbage is collected as it comes.
test('a million recipients fit into 512 MB, as far as two smaller runs tell', () => {
  const [few, many] = [110_000, 160_000];
  const [less, more] = [peakOf(few), peakOf(many)];
  const each = (more.buffers - less.buffers) / (many - few) + HEAP_PER_RECIPIENT;
  const million = more.all + (1_000_000 - many) * each;
  expect(each).toBeGreaterThan(100);
  expect(million, `${Math.round(each)} bytes a recipient`).toBeLessThan(MOST_BYTES);
}, 300_000);
