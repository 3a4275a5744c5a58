import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binary, freePort, printed, start, stop } from './server-process.ts';

export interface RedisServer {
  readonly port: number;
  /** Ends it as a crash would, without a word to its clients; everything in it is gone. */
  kill(): Promise<void>;
  /** Starts it again on its port. */
  revive(): Promise<void>;
  close(): Promise<void>;
}

export interface RedisServerOptions {
  /** One node that holds all slots of a Cluster. @defaultValue false */
  readonly cluster?: boolean;
}

/** A `redis-server` of one's own on a free port, in memory alone. */
export async function redisServer({ cluster = false }: RedisServerOptions = {}): Promise<RedisServer> {
  const path = binary('redis-server', 'redis-server');
  const folder = mkdtempSync(join(tmpdir(), 'sendonce-redis-'));
  const port = await freePort();
  let child: ChildProcess;
  const run = async (): Promise<void> => {
    const alone = cluster
      ? ['--cluster-enabled', 'yes', '--cluster-port', String(await freePort()), '--cluster-announce-ip', '127.0.0.1']
      : [];
    const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder, ...alone];
    child = start(path, settings);
    await printed(child, 'Ready to accept connections');
  };
  await run();
  return {
    port,
    kill: () => stop(child),
    revive: run,
    async close() {
      await stop(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
