import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));
const bin = fileURLToPath(new URL('../bin/notify.js', import.meta.url));

export interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Variables that would change what is printed, whoever runs the tests. */
export const QUIET = {
  NO_COLOR: undefined,
  FORCE_COLOR: undefined,
  GITHUB_ACTIONS: undefined,
  NODE_ENV: undefined,
  CI: undefined,
};

export interface NotifyOptions {
  readonly env?: object;
  /** Sends the signal once stderr says this. */
  readonly interruptOn?: RegExp;
  /** @defaultValue SIGINT */
  readonly signal?: NodeJS.Signals;
  readonly onInterrupt?: () => void;
  /** Where stdout goes: to us, to a disk without room, or into a pipe that nobody reads any more. @defaultValue piped */
  readonly stdout?: 'piped' | 'full' | 'closed';
}

/** Runs the built command line as a process of its own, with its output piped. */
export function notify(args: readonly string[], options: NotifyOptions = {}): Promise<Result> {
  const full = options.stdout === 'full' ? openSync('/dev/full', 'w') : null;
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: root,
    env: { ...process.env, ...QUIET, COLUMNS: '100', ...options.env },
    stdio: ['pipe', full ?? 'pipe', 'pipe'],
  });
  if (full !== null) closeSync(full);
  if (options.stdout === 'closed') child.stdout?.destroy();
  let stdout = '';
  let stderr = '';
  let isInterrupted = false;
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    if (isInterrupted || options.interruptOn?.test(stderr) !== true) return;
    isInterrupted = true;
    options.onInterrupt?.();
    child.kill(options.signal ?? 'SIGINT');
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}
