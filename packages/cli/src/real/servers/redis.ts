import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { keep } from './keep.ts';
import type { OwnServer } from './own-server.ts';
import { freePort, programAt, inFolder, type Wanted } from './programs.ts';

const LOG = 'appendonlydir';

/** A Redis with a log of what it was told, as a ledger should have one. @throws SendonceError `FLAG_INVALID` where there is none */
export async function ownRedis(flag: Wanted['flag']): Promise<OwnServer> {
  const command = programAt({ flag, value: 'redis:', program: 'redis-server', aptPackage: 'redis-server' });
  return inFolder('a Redis of the run', async (folder) => {
    const port = await freePort();
    const settings = { port, bind: '127.0.0.1', save: '', appendonly: 'yes', appenddirname: LOG, dir: folder };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const kept = await keep({
      folder,
      programs: [{ command, args, env: {}, ready: 'Ready to accept connections', end: 'SIGKILL' }],
    });
    return {
      address: `redis://127.0.0.1:${port}`,
      async restart() {
        await kept.end();
        await kept.start();
      },
      async wipe() {
        await kept.end();
        rmSync(join(folder, LOG), { recursive: true, force: true });
        await kept.start();
      },
      close: () => kept.close(),
    };
  });
}
