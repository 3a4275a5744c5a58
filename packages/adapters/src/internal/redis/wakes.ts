import type { Bell } from '../wakes/announcing.ts';
import { listening, loss, type Line, type Listening } from '../wakes/listening.ts';
import { ringing } from '../wakes/ringing.ts';
import type { Send } from './connection.ts';
import { whoOf } from './failures.ts';
import { script } from './script.ts';

/** What listening uses of a client of `ioredis`. */
export interface RedisListenerLike {
  readonly status: string;
  connect(): Promise<unknown>;
  subscribe(...channels: string[]): Promise<unknown>;
  ping(): Promise<unknown>;
  /** Ends the connection for good. */
  disconnect(): void;
  on(event: string, listener: (about?: unknown) => void): unknown;
}

export interface RedisWakes {
  /**
   * Makes a connection to the same server: `() => client.duplicate()`. Each worker opens one, and closes it; a process without a worker
   * opens none.
   */
  readonly client: () => RedisListenerLike;
}

/** ARGV channel. A script, so that a Cluster sends it where the others go. */
const PUBLISH = script(`call('PUBLISH', ARGV[1], '1')`);

export function redisBell(
  { client }: RedisWakes,
  { send, name, warn }: Pick<Listening, 'warn'> & { readonly send: Send; readonly name: string },
): Bell {
  const channel = `{${name}}:wakes`;
  return {
    ...ringing(() => send(PUBLISH, [channel])),
    listen: listening({ connect: (onWake) => lineOf(client(), channel, onWake), who: whoOf(name), warn }),
  };
}

function lineOf(client: RedisListenerLike, channel: string, onWake: () => void): Line {
  const { lost, lose } = loss();
  let problem: unknown = null;
  client.on('message', onWake);
  client.on('error', (error) => (problem = error));
  // It would connect again by itself, and say nothing of what it has not heard.
  client.on('close', () => lose(problem ?? new Error('the connection has ended')));
  return {
    lost,
    async open() {
      if (client.status === 'wait') await client.connect();
      await client.subscribe(channel);
    },
    ask: () => client.ping(),
    close: () => client.disconnect(),
  };
}
