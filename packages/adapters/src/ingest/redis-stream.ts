import { randomUUID } from 'node:crypto';
import type { ItemResult } from '@sendonce/core';
import { isFields, numberRule, textRule, type Rule } from '@sendonce/core/internal';
import {
  checkMessages,
  outOfReach,
  storedReason,
  type RawMessage,
  type RawMessages,
  type Rejection,
} from '../internal/ingest/raw-messages.ts';
import { connection, type Connection, type RedisStreamClientLike } from '../internal/ingest/stream-connection.ts';
import { checkAdapter } from '../internal/options.ts';
import { OK, STALE, TIMEOUT_RULE } from '../internal/queue/answers.ts';
import { inTime } from '../internal/queue/in-time.ts';

export type { RedisStreamClientLike } from '../internal/ingest/stream-connection.ts';

export interface RedisStreamMessagesOptions {
  /** `new Redis(...)`. Two connections are made from it; it is left open. */
  readonly client: RedisStreamClientLike;
  /** The stream's key, 1 to 512 characters. */
  readonly stream: string;
  /** The consumer group, 1 to 512 characters; made where there is none, from the beginning of the stream. */
  readonly group: string;
  /** The field that is the body. @defaultValue all fields, as a JSON object */
  readonly field?: string;
  /** The stream for what cannot be published, with the fields `reason`, `id` and `body`. In a Cluster it may be on another node. @defaultValue `${stream}:rejected` */
  readonly deadLetterStream?: string;
  /** How long a message that was received and not acked is left to its receiver, 100 to 43,200,000 ms: longer than a batch takes. @defaultValue 60_000 */
  readonly visibilityMs?: number;
  /** How long a call may take, 1 to 600,000 ms; a receive may wait for messages before that. @defaultValue 5_000 */
  readonly timeoutMs?: number;
}

const MAX_BATCH = 1_000;

/**
 * Messages of others in a stream of Redis 6.2 or later, read as a consumer group. What is acked stays in the stream, which its owner trims.
 * @throws SendonceError OPTION_INVALID here; QUEUE_UNAVAILABLE from any call, within `timeoutMs` (a receive: and `waitMs`).
 */
export function redisStreamMessages(options: RedisStreamMessagesOptions): RawMessages {
  checkAdapter('redisStreamMessages', options, RULES);
  const { client, stream, group, field, visibilityMs = 60_000, timeoutMs = 5_000 } = options;
  const dead = options.deadLetterStream ?? `${stream}:rejected`;
  const name = `Redis stream '${stream}'`;
  const consumer = `sendonce-${randomUUID()}`;
  let isClosed = false;
  let made: Promise<unknown> | null = null;
  // A receive that waits keeps its connection to itself.
  const [asking, waiting] = [connection(client), connection(client)];

  async function call(of: Connection, waitMs: number, command: string, ...args: (string | number)[]): Promise<unknown> {
    if (isClosed) throw outOfReach(name, 'it is closed');
    const own = of.get();
    const late = (): Error => {
      of.drop();
      return new Error(`no answer within ${timeoutMs + waitMs} ms`);
    };
    try {
      return await inTime(own.call(command, ...args), timeoutMs + waitMs, late);
    } catch (error) {
      // Somebody removed the stream: the next call makes the group again.
      if (messageOf(error).startsWith('NOGROUP')) made = null;
      throw outOfReach(name, messageOf(error), error);
    }
  }

  async function makeGroup(): Promise<void> {
    made ??= call(asking, 0, 'XGROUP', 'CREATE', stream, group, '0', 'MKSTREAM').catch((error: unknown) => {
      if (messageOf(error).includes('BUSYGROUP')) return;
      made = null;
      throw error;
    });
    await made;
  }

  /** What others have received and not acked in time, and how often. */
  async function leftBehind(max: number): Promise<readonly RawMessage[]> {
    const [, entries] = (await call(
      asking,
      0,
      'XAUTOCLAIM',
      stream,
      group,
      consumer,
      visibilityMs,
      '0-0',
      'COUNT',
      max,
    )) as [string, readonly (Entry | null)[]];
    const claimed = entries.filter((each): each is Entry => each !== null);
    if (claimed.length === 0) return [];
    const receives = await Promise.all(claimed.map(([id]) => receivesOf(id)));
    return claimed.map((entry, i) => rawOf(entry, receives[i] ?? 1, field));
  }

  async function receivesOf(id: string): Promise<number> {
    const [pending] = (await call(asking, 0, 'XPENDING', stream, group, id, id, 1)) as [
      unknown,
      unknown,
      unknown,
      number,
    ][];
    return pending?.[3] ?? 1;
  }

  async function fresh(max: number, waitMs: number, signal?: AbortSignal): Promise<readonly RawMessage[]> {
    const block = waitMs >= 1 ? ['BLOCK', Math.floor(waitMs)] : [];
    // Redis cannot be told to stop waiting, but the connection can be given up; what it had sent by then is left behind, and comes again.
    const stop = (): void => waiting.drop();
    signal?.addEventListener('abort', stop);
    try {
      const answer = await call(
        waiting,
        waitMs,
        'XREADGROUP',
        'GROUP',
        group,
        consumer,
        'COUNT',
        max,
        ...block,
        'STREAMS',
        stream,
        '>',
      );
      return entriesIn(answer).map((entry) => rawOf(entry, 1, field));
    } catch (error) {
      if (signal?.aborted === true) return [];
      throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  async function ack(batch: readonly RawMessage[]): Promise<readonly ItemResult[]> {
    return Promise.all(
      batch.map(async ({ id }) => ((await call(asking, 0, 'XACK', stream, group, id)) === 1 ? OK : STALE)),
    );
  }

  return {
    name,
    deadLetters: `the Redis stream '${dead}'`,
    maxBatch: MAX_BATCH,
    async receive({ max, waitMs, signal }) {
      if (signal?.aborted === true) return [];
      await makeGroup();
      const most = Math.min(max, MAX_BATCH);
      const old = await leftBehind(most);
      // Whoever waits for ever would not see what is left behind meanwhile.
      return old.length > 0 ? old : fresh(most, Math.min(waitMs, visibilityMs), signal);
    },
    async ack(batch) {
      checkMessages(batch, MAX_BATCH);
      return ack(batch);
    },
    async release(batch, { delayMs }) {
      checkMessages(batch, MAX_BATCH);
      // As if it had been received so long ago that its time is over in `delayMs`; a stream knows no other delay.
      const idleMs = Math.max(0, visibilityMs - Math.max(0, delayMs));
      return Promise.all(
        batch.map(async ({ id }) => {
          const args = [stream, group, consumer, 0, id, 'IDLE', Math.floor(idleMs), 'JUSTID'];
          const answer = (await call(asking, 0, 'XCLAIM', ...args)) as readonly string[];
          return answer.length === 1 ? OK : STALE;
        }),
      );
    },
    async reject(batch) {
      checkMessages(batch, MAX_BATCH);
      await Promise.all(batch.map(async (each) => call(asking, 0, 'XADD', dead, '*', ...deadFields(each))));
      return ack(batch.map(({ message }) => message));
    },
    async close() {
      isClosed = true;
      asking.drop();
      waiting.drop();
    },
  };
}

type Entry = readonly [id: string, fields: readonly string[]];

/** What one stream has, as the protocol of the client gives it: pairs of a name and entries, or the two in one list or map. */
function entriesIn(answer: unknown): readonly Entry[] {
  if (answer === null) return [];
  const streams: unknown = Array.isArray(answer) ? answer : Object.entries(answer as object);
  const [first, second] = streams as readonly unknown[];
  return (Array.isArray(first) ? (first as readonly unknown[])[1] : second) as readonly Entry[];
}

function rawOf([id, pairs]: Entry, receives: number, field: string | undefined): RawMessage {
  const fields: Record<string, string> = {};
  for (let i = 0; i + 1 < pairs.length; i += 2) fields[pairs[i]!] = pairs[i + 1]!;
  const body = field === undefined ? JSON.stringify(fields) : (fields[field] ?? '');
  return { id, receipt: id, body, attributes: fields, receives };
}

function deadFields({ message, reason }: Rejection): string[] {
  return ['reason', storedReason(reason), 'id', message.id, 'body', message.body];
}

function messageOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  const source = cause instanceof Error ? cause : error;
  return source instanceof Error ? source.message : String(source);
}

const KEY_RULE = textRule(512);
const CLIENT_RULE: Rule = {
  must: "a client of the 'ioredis' package: new Redis(...)",
  fits: (value) =>
    isFields(value) && ['duplicate', 'call', 'on', 'disconnect'].every((each) => typeof value[each] === 'function'),
  required: true,
  hidden: true,
};

const RULES = {
  client: CLIENT_RULE,
  stream: { ...KEY_RULE, required: true },
  group: { ...KEY_RULE, required: true },
  field: KEY_RULE,
  deadLetterStream: KEY_RULE,
  visibilityMs: numberRule({ least: 100, most: 43_200_000 }, ' ms'),
  timeoutMs: TIMEOUT_RULE,
} satisfies Record<keyof RedisStreamMessagesOptions, Rule>;
