import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keep } from './keep.ts';
import type { OwnServer } from './own-server.ts';
import { freePort, programAt, inFolder, type Wanted } from './programs.ts';

/** Those in PATH want to be root or the package's own user; the ones that they call do not. */
const FOLDERS = ['/usr/lib/rabbitmq/bin', '/opt/rabbitmq/sbin'];

/**
 * A RabbitMQ node with a port mapper of its own, for nobody but the user who runs it. Starting it takes seconds.
 * @throws SendonceError `FLAG_INVALID` where there is none
 */
export async function ownRabbitmq(flag: Wanted['flag']): Promise<OwnServer> {
  const wanted = { flag, value: 'amqp:', aptPackage: 'rabbitmq-server' };
  const command = programAt({ ...wanted, program: 'rabbitmq-server', folders: FOLDERS });
  const epmd = programAt({ ...wanted, program: 'epmd' });
  return inFolder('a RabbitMQ of the run', async (folder) => {
    const inside = (name: string): string => join(folder, name);
    for (const name of ['home', 'data', 'log']) mkdirSync(inside(name));
    writeFileSync(inside('plugins'), '[].');
    writeFileSync(inside('env.conf'), '');
    const [port, epmdPort, distPort] = await Promise.all([freePort(), freePort(), freePort()]);
    const env = {
      HOME: inside('home'),
      ERL_EPMD_PORT: String(epmdPort),
      ERL_EPMD_ADDRESS: '127.0.0.1',
      RABBITMQ_NODENAME: `sendonce${port}@localhost`,
      RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
      RABBITMQ_NODE_PORT: String(port),
      RABBITMQ_DIST_PORT: String(distPort),
      RABBITMQ_MNESIA_BASE: inside('data'),
      RABBITMQ_LOG_BASE: inside('log'),
      RABBITMQ_LOGS: '-',
      RABBITMQ_ENABLED_PLUGINS_FILE: inside('plugins'),
      RABBITMQ_CONFIG_FILE: inside('rabbitmq'),
      RABBITMQ_ADVANCED_CONFIG_FILE: inside('advanced'),
      RABBITMQ_CONF_ENV_FILE: inside('env.conf'),
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+sbwt none -kernel inet_dist_use_interface {127,0,0,1}',
    };
    const mapper = { command: epmd, args: ['-port', String(epmdPort), '-address', '127.0.0.1'], env: {} };
    const kept = await keep({
      folder,
      programs: [
        { ...mapper, ready: null, end: 'SIGKILL' },
        { command, args: [], env, ready: 'Server startup complete', end: 'SIGKILL' },
      ],
    });
    return {
      address: `amqp://guest:guest@127.0.0.1:${port}`,
      async restart() {
        await kept.end();
        await kept.start();
      },
      // Its queue is emptied instead.
      wipe: null,
      close: () => kept.close(),
    };
  });
}
