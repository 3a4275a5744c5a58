import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';

/** The binary's path. A test that needs a server fails without it, and says how to get it. */
export function binary(name: string, aptPackage: string, folders: readonly string[] = []): string {
  const found = [...folders, ...(process.env['PATH'] ?? '').split(':')]
    .map((folder) => `${folder}/${name}`)
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error(`'${name}' is not installed; run: apt-get install -y ${aptPackage}`);
  return found;
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Starts a server that ends with this process at the latest. */
export function start(path: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  // In a group of its own: some servers are started by a script, which must not leave them behind.
  const child = spawn(path, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    detached: true,
  });
  const kill = (): void => killGroup(child);
  process.once('exit', kill);
  child.once('exit', () => process.removeListener('exit', kill));
  return child;
}

/** Resolves once it has printed this; rejects when it ends before, with what it printed last. */
export async function printed(child: ChildProcess, text: string): Promise<void> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-20_000);
      if (output.includes(text)) resolve();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${output.slice(-2_000)}`)));
  });
}

/** Ends it as a crash would. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  killGroup(child);
  await exited;
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}
