import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

export interface Server {
  /** Of a superuser. */
  readonly url: string;
  readonly port: number;
  stop(): void;
}

let started: Promise<Server> | null = null;
let users = 0;

/** The server of this test process: `SENDONCE_POSTGRES_URL`, else a cluster of its own in a temporary folder, stopped after the last file. */
export function server(): Promise<Server> {
  users += 1;
  afterAll(async () => {
    users -= 1;
    if (users > 0) return;
    const last = await started;
    started = null;
    last?.stop();
  });
  return (started ??= start());
}

async function start(): Promise<Server> {
  const given = process.env['SENDONCE_POSTGRES_URL'];
  if (given !== undefined) return { url: given, port: Number(new URL(given).port || 5432), stop: () => undefined };
  return startCluster();
}

/** A new cluster with fsync on. @throws when PostgreSQL is not installed, with the line that installs it. */
export async function startCluster(settings: readonly string[] = []): Promise<Server> {
  const programs = folderOfPrograms();
  const folder = mkdtempSync(join(tmpdir(), 'sendonce-pg-'));
  const owner = ownerOf(folder);
  const data = join(folder, 'data');
  const port = await freePort();
  const run = (program: string, ...args: string[]): void => {
    const [command = '', ...before] = [...owner, join(programs, program)];
    const { status, stderr } = spawnSync(command, [...before, ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
  };
  run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync');
  const options = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    `unix_socket_directories=${folder}`,
    'max_connections=200',
    ...settings,
  ];
  run(
    'pg_ctl',
    '-D',
    data,
    '-w',
    '-l',
    join(folder, 'log'),
    '-o',
    options.map((each) => `-c ${each}`).join(' '),
    'start',
  );
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    stop() {
      run('pg_ctl', '-D', data, '-m', 'immediate', 'stop');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function folderOfPrograms(): string {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const found = versions
    .map((version) => join(root, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')));
  if (found === undefined)
    throw new Error(
      'no PostgreSQL server to test with: run apt-get install -y --no-install-recommends postgresql, or set SENDONCE_POSTGRES_URL',
    );
  return found;
}

/** PostgreSQL refuses to run as root: words to begin its commands with, so that it does not. */
export function ownerOf(folder: string): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  const uid = Number(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' }));
  const gid = Number(execFileSync('id', ['-g', 'postgres'], { encoding: 'utf8' }));
  chownSync(folder, uid, gid);
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
