import { spawn, type ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import type { KeeperAsked, KeeperNews, KeeperOrders, Program } from './orders.ts';

const TAIL = 2_000;

/**
 * The whole life of a process that keeps a server of the run: it starts it, ends it and starts it again as it is told, and when whoever
 * tells it is gone, so is the server, with its folder.
 */
export function runKeeper(): void {
  // The end of a terminal, which everybody in it hears of, is left to the run itself.
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(signal, () => {});
  let orders: KeeperOrders | null = null;
  let helpers: readonly ChildProcess[] = [];
  let server: ChildProcess | null = null;

  async function start({ programs, folder }: KeeperOrders): Promise<void> {
    orders = { programs, folder };
    helpers = programs.slice(0, -1).map(spawned);
    await startServer();
  }

  async function startServer(): Promise<void> {
    const program = orders?.programs.at(-1);
    if (program === undefined) throw new Error('it was not told what to keep');
    server = spawned(program);
    await ready(server, program);
  }

  async function end(): Promise<void> {
    if (server !== null) await ended(server, orders?.programs.at(-1)?.end ?? 'SIGKILL');
  }

  async function leave(): Promise<void> {
    await end();
    for (const helper of helpers) await ended(helper, 'SIGKILL');
    if (orders !== null) await rm(orders.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  process.on('message', (message: KeeperOrders | KeeperAsked) => {
    const work = message === 'end' ? end() : message === 'start' ? startServer() : start(message);
    work.then(
      () => tell({ kind: 'done' }),
      (error: unknown) => tell({ kind: 'failed', said: (error as Error).message }),
    );
  });
  process.once('disconnect', () => void leave().finally(() => process.exit(0)));
}

function tell(news: KeeperNews): void {
  process.send?.(news);
}

function spawned({ command, args, env }: Program): ChildProcess {
  // In a group of its own: some servers are started by a script, which must not leave them behind.
  return spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    detached: true,
  });
}

/** Rejects when it ends before, with what it printed last. */
function ready(child: ChildProcess, program: Program): Promise<void> {
  let said = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      said = (said + chunk.toString()).slice(-TAIL);
      if (program.ready !== null && said.includes(program.ready)) resolve();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      reject(new Error(`${program.command} ended with ${signal ?? String(code)}: ${said.trim()}`)),
    );
  });
}

async function ended(child: ChildProcess, signal: Program['end']): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  process.kill(signal === 'SIGKILL' ? -child.pid : child.pid, signal);
  await exit;
}
