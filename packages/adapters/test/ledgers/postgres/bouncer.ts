import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort, ownerOf } from './server.ts';

export interface Bouncer {
  /** Of a database behind it, by the name that it has here. */
  url(name: string): string;
  stop(): Promise<void>;
}

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));

/** Why there is none to test with; null: there is. On a machine that has to test everything its absence is a failure. */
export const noBouncer: string | null =
  PROGRAM !== undefined || process.env['CI'] === 'true'
    ? null
    : 'PgBouncer is not installed: apt-get install -y --no-install-recommends pgbouncer';

/** PgBouncer in transaction mode with two connections to the server; what each of them runs first, by the name of the database. */
export async function startBouncer(server: number, first: Readonly<Record<string, string>>): Promise<Bouncer> {
  if (PROGRAM === undefined) throw new Error('no PgBouncer: run apt-get install -y --no-install-recommends pgbouncer');
  const folder = mkdtempSync(join(tmpdir(), 'sendonce-bouncer-'));
  const [command = PROGRAM, ...args] = [...ownerOf(folder), PROGRAM];
  const port = await freePort();
  const databases = Object.entries(first).map(
    ([name, sql]) => `${name} = host=127.0.0.1 port=${server} dbname=postgres user=postgres connect_query='${sql}'`,
  );
  const config = join(folder, 'pgbouncer.ini');
  writeFileSync(
    config,
    [
      '[databases]',
      ...databases,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1`,
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      'default_pool_size = 2',
      'max_client_conn = 100',
      '',
    ].join('\n'),
  );
  const running = spawn(command, [...args, '-q', config], { stdio: 'ignore', cwd: folder });
  const url = (name: string): string => `postgres://postgres@127.0.0.1:${port}/${name}`;
  await answering(url(Object.keys(first)[0] ?? ''), running);
  return {
    url,
    async stop() {
      const gone = new Promise((resolve) => running.once('exit', resolve));
      running.kill('SIGKILL');
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answering(url: string, running: { readonly exitCode: number | null }): Promise<void> {
  while (running.exitCode === null) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.end();
    } catch {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  throw new Error(`PgBouncer ended with ${running.exitCode}`);
}
