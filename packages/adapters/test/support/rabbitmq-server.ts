import { execFile, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { binary, freePort, printed, start, stop } from './server-process.ts';

export interface RabbitmqServer {
  readonly port: number;
  readonly url: string;
  /** Runs `rabbitmqctl`, on this node. */
  ctl(...args: string[]): Promise<string>;
  close(): Promise<void>;
}

const APT = 'rabbitmq-server';

/**
 * A RabbitMQ node of one's own with a port mapper of its own, all on free ports of this host and in a temporary folder, for nobody but
 * the user who runs it. Starting it takes seconds.
 */
export async function rabbitmqServer(): Promise<RabbitmqServer> {
  // Those in the PATH want to be root or the package's own user; the ones they call do not.
  const folders = ['/usr/lib/rabbitmq/bin', '/opt/rabbitmq/sbin'];
  const server = binary('rabbitmq-server', APT, folders);
  const ctl = binary('rabbitmqctl', APT, folders);
  const folder = mkdtempSync(join(tmpdir(), 'sendonce-rabbitmq-'));
  const inside = (name: string): string => join(folder, name);
  for (const name of ['home', 'mnesia', 'log']) mkdirSync(inside(name));
  writeFileSync(inside('plugins'), '[].');
  writeFileSync(inside('env.conf'), '');
  const [port, epmdPort, distPort] = await Promise.all([freePort(), freePort(), freePort()]);
  const loopback = '-kernel inet_dist_use_interface {127,0,0,1}';
  const env = {
    HOME: inside('home'),
    ERL_EPMD_PORT: String(epmdPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: `sendonce${port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distPort),
    RABBITMQ_MNESIA_BASE: inside('mnesia'),
    RABBITMQ_LOG_BASE: inside('log'),
    RABBITMQ_LOGS: '-',
    RABBITMQ_ENABLED_PLUGINS_FILE: inside('plugins'),
    RABBITMQ_CONFIG_FILE: inside('rabbitmq'),
    RABBITMQ_ADVANCED_CONFIG_FILE: inside('advanced'),
    RABBITMQ_CONF_ENV_FILE: inside('env.conf'),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: `+S 2:2 +sbwt none ${loopback}`,
  };
  const epmd: ChildProcess = start(binary('epmd', APT), ['-port', String(epmdPort), '-address', '127.0.0.1']);
  const node = start(server, [], env);
  const close = async (): Promise<void> => {
    await Promise.all([stop(node), stop(epmd)]);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await printed(node, 'Server startup complete');
  } catch (error) {
    await close();
    throw error;
  }
  return {
    port,
    url: `amqp://guest:guest@127.0.0.1:${port}`,
    ctl: async (...args) => (await promisify(execFile)(ctl, args, { env: { ...process.env, ...env } })).stdout,
    close,
  };
}
