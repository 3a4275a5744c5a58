import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../../bin/notify.js', import.meta.url));

export const HAS_PROC = existsSync('/proc/self/stat');

export interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string }>;
}

/** Starts the built command line, for tests that do something to it while it runs. `folder`: where it makes folders of its own. */
export function start(args: readonly string[], folder: string): Started {
  const env = { ...process.env, TMPDIR: folder };
  // In a process group of its own, as in a terminal.
  const child = spawn(process.execPath, [bin, ...args], { env, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  const ended = new Promise<{ code: number | null; stdout: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, stdout }));
  });
  return { child, pid: child.pid ?? -1, ended };
}

/** Processes that were started by this one and are alive. */
export function childrenOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => statOf(pid)?.parent === parent);
}

export function isAlive(pid: number): boolean {
  const stat = statOf(pid);
  // Dead and not waited for by whoever adopted it is dead.
  return stat !== null && stat.state !== 'Z';
}

/** What it runs. */
export function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
}

function statOf(pid: number): { readonly state: string; readonly parent: number } | null {
  try {
    // The name, in brackets, may hold anything.
    const [state = '', parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return { state, parent: Number(parent) };
  } catch {
    return null;
  }
}

/** Looks again and again until it is so. @throws Error after `mostMs` */
export async function until(isSo: () => boolean, what: string, mostMs: number = 10_000): Promise<void> {
  for (let tries = 0; !isSo(); tries++) {
    if (tries > mostMs / 50) throw new Error(`not within ${mostMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** All processes that this one started, and those that they started. */
export function treeOf(parent: number): readonly number[] {
  return childrenOf(parent).flatMap((pid) => [pid, ...treeOf(pid)]);
}
