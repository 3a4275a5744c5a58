import { execFile, execFileSync } from 'node:child_process';
import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keep } from './keep.ts';
import type { OwnServer } from './own-server.ts';
import { freePort, programAt, inFolder, versionsIn, type Wanted } from './programs.ts';

/** A PostgreSQL that asks nobody on this machine for a password. @throws SendonceError `FLAG_INVALID` where there is none */
export async function ownPostgres(flag: Wanted['flag']): Promise<OwnServer> {
  const wanted = { flag, value: 'postgres:', aptPackage: 'postgresql', folders: versionsIn('/usr/lib/postgresql') };
  const initdb = programAt({ ...wanted, program: 'initdb' });
  const postgres = programAt({ ...wanted, program: 'postgres' });
  return inFolder('a PostgreSQL of the run', async (folder) => {
    const data = join(folder, 'data');
    const owner = ownerOf(folder);
    const port = await freePort();
    const line = (program: string, args: readonly string[]): readonly [command: string, args: string[]] => {
      const [command = program, ...rest] = [...owner, program, ...args];
      return [command, rest];
    };
    const making = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    await promisify(execFile)(...line(initdb, making), { cwd: folder });
    const settings = [
      'listen_addresses=127.0.0.1',
      `port=${port}`,
      `unix_socket_directories=${folder}`,
      'max_connections=200',
    ];
    const [command, args] = line(postgres, ['-D', data, ...settings.flatMap((each) => ['-c', each])]);
    // SIGQUIT is its immediate shutdown: no checkpoint, so that it recovers from its log as after a crash.
    const program = { command, args, env: {}, ready: 'ready to accept connections', end: 'SIGQUIT' } as const;
    const kept = await keep({ folder, programs: [program] });
    return {
      address: `postgres://postgres@127.0.0.1:${port}/postgres`,
      async restart() {
        await kept.end();
        await kept.start();
      },
      wipe: null,
      close: () => kept.close(),
    };
  });
}

/** PostgreSQL refuses to run as root: words to begin its commands with, so that it runs as the user of its package. */
function ownerOf(folder: string): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  const [uid, gid] = ['-u', '-g'].map((which) => Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' })));
  chownSync(folder, uid ?? 0, gid ?? 0);
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
}
