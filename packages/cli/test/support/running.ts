import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';
import { QUIET, root, type Result } from '../notify.ts';

const bin = fileURLToPath(new URL('../../bin/notify.js', import.meta.url));

/** A `notify` that goes on until something ends it. */
export interface Running {
  readonly pid: number;
  /** Waits for a line of stdout or stderr that fits; lines that were there before count. */
  readonly line: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly write: (text: string) => void;
  readonly endInput: () => void;
  /** Reads no more of its stdout. */
  readonly hangUp: () => void;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<Result>;
}

const all = new Set<Running>();
afterEach(async () => {
  for (const each of all) each.kill('SIGKILL');
  await Promise.all([...all].map(({ ended }) => ended));
  all.clear();
});

/** Starts the built command line; killed after the test if it is still there. */
export function running(args: readonly string[], env: NodeJS.ProcessEnv = {}): Running {
  const child = spawn(process.execPath, [bin, ...args], { cwd: root, env: { ...process.env, ...QUIET, ...env } });
  const text = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (more: string) => {
      text[name] += more;
      for (const look of waiting) look();
    });
  // Whoever was killed reads no more.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<Result>((resolve) => child.on('close', (code) => resolve({ code, ...text })));
  const line = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(text.stdout) ?? pattern.exec(text.stderr);
        if (found === null) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
      void ended.then(({ code }) =>
        reject(new Error(`ended with ${code} before ${String(pattern)}:\n${text.stdout}${text.stderr}`)),
      );
    });
  const made: Running = {
    pid: child.pid ?? 0,
    line,
    write: (more) => void child.stdin.write(more),
    endInput: () => void child.stdin.end(),
    hangUp: () => void child.stdout.destroy(),
    kill: (signal) => void child.kill(signal),
    ended,
  };
  all.add(made);
  return made;
}
