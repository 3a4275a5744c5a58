import { randomBytes } from 'node:crypto';
import type { ItemResult, Queue, ReceivedWake } from '@sendonce/core';
import { numberRule, type Rule, type Rules } from '@sendonce/core/internal';
import { checkAdapter } from '../internal/options.ts';
import {
  checkBatch,
  OK,
  ON_UNREADABLE_RULE,
  STALE,
  tell,
  TIMEOUT_RULE,
  type OnUnreadable,
} from '../internal/queue/answers.ts';
import { Bell } from '../internal/redis-queue/bell.ts';
import { CLIENT_RULE, type RedisClientLike } from '../internal/redis-queue/client.ts';
import { RedisConnection } from '../internal/redis-queue/connection.ts';
import { ACK, DEPTH, ENQUEUE, HIDE, RECEIVE } from '../internal/redis-queue/scripts.ts';

export type { UnreadableMessage } from '../internal/queue/answers.ts';
export type { RedisClientLike } from '../internal/redis-queue/client.ts';

export interface RedisQueueOptions {
  /** A client of `ioredis` (a single server, Sentinel, or Cluster). The queue makes its own connections from it and closes only those. */
  readonly client: RedisClientLike;
  /** Which queue: letters, digits, `_`, `.`, `:` and `-`, 1 to 100. Queues of one name are one. @defaultValue 'wakes' */
  readonly name?: string;
  /** How long a received wake stays hidden, 1 to 86,400,000 ms. @defaultValue 30_000 */
  readonly visibilityMs?: number;
  /** The most wakes it holds, 1 to 100,000,000; more are refused, and the ledger brings their work back. @defaultValue 1_000_000 */
  readonly maxWakes?: number;
  /** How long a call may take, connecting included, 1 to 600,000 ms. @defaultValue 5_000 */
  readonly timeoutMs?: number;
  /** Is told of what somebody else put into the queue. @defaultValue nobody is */
  readonly onUnreadable?: OnUnreadable;
}

const MAX_DELAY_MS = 24 * 60 * 60 * 1_000;
const MAX_BATCH = 1_000;
/** Whoever waits looks this often, should the bell not be heard, ms. */
const LOOK_MS = 1_000;

/**
 * A queue in Redis: one sorted set, one script for each call, whatever the size of the batch. Nothing is opened before the first call;
 * `close` may be called twice. Any call may reach Redis twice, or without its reply coming back: at worst its wakes come again after
 * `visibilityMs`.
 * @throws SendonceError OPTION_INVALID here; QUEUE_UNAVAILABLE from any call, within `timeoutMs`.
 */
export function redisQueue(options: RedisQueueOptions): Queue {
  checkAdapter('redisQueue', options, RULES);
  const { client, name = 'wakes', visibilityMs = 30_000, maxWakes = 1_000_000, timeoutMs = 5_000 } = options;
  const [wakes, receives, unreadable, channel] = ['wakes', 'receives', 'unreadable', 'bell'].map(
    (part) => `{sendonce:${name}}:${part}`,
  ) as [string, string, string, string];
  const connection = new RedisConnection({ client, name, timeoutMs });
  const bell = new Bell({ client, name, timeoutMs }, channel);
  const refused: ItemResult = { ok: false, error: `the queue '${name}' holds ${maxWakes} wakes, its most` };
  let isClosed = false;

  async function take(max: number): Promise<{ readonly taken: readonly ReceivedWake[]; readonly nextMs: number }> {
    const answer = await connection.run(RECEIVE, [wakes, receives, unreadable], [max, visibilityMs]);
    const [nextMs, strangers, entries] = answer as [number, string[], (string | number)[]];
    tell(options.onUnreadable, strangers, `moved to the sorted set '${unreadable}'`);
    return { taken: wakesOf(entries), nextMs: nextMs < 0 ? Infinity : nextMs };
  }

  async function hide(batch: readonly ReceivedWake[], ms: number, ring: string): Promise<readonly ItemResult[]> {
    checkBatch(batch, MAX_BATCH);
    if (batch.length === 0) return [];
    return resultsOf(await connection.run(HIDE, [wakes, receives], [ring, Math.ceil(ms), ...batch.flatMap(heldBy)]));
  }

  return {
    capabilities: { maxDelayMs: MAX_DELAY_MS, maxBatch: MAX_BATCH, visibilityMs, durable: true },
    async enqueue(batch, { delayMs = 0 } = {}) {
      checkBatch(batch, MAX_BATCH);
      if (batch.length === 0) return [];
      const delay = cut(delayMs);
      const unique = randomBytes(9).toString('base64url');
      const members = batch.map(({ id }, i) => `${unique}-${i.toString(36)}.${delay}.${id}`);
      const stored = (await connection.run(ENQUEUE, [wakes], [channel, delay, maxWakes, ...members])) as number;
      return batch.map((_, i) => (i < stored ? OK : refused));
    },
    async receive({ max, waitMs, signal }) {
      const untilMs = performance.now() + waitMs;
      for (;;) {
        if (isClosed || signal?.aborted === true) return [];
        const rings = bell.count;
        const { taken, nextMs } = await take(Math.min(max, MAX_BATCH));
        const leftMs = untilMs - performance.now();
        if (taken.length > 0 || leftMs <= 0) return taken;
        await bell.wait(rings, Math.max(1, Math.min(leftMs, nextMs, LOOK_MS)), signal);
      }
    },
    async ack(batch) {
      checkBatch(batch, MAX_BATCH);
      if (batch.length === 0) return [];
      return resultsOf(await connection.run(ACK, [wakes, receives], batch.flatMap(heldBy)));
    },
    release: (batch, { delayMs }) => hide(batch, cut(delayMs), channel),
    extend: (batch, { leaseMs }) => hide(batch, leaseMs, ''),
    depth: async () => (await connection.run(DEPTH, [wakes], [])) as number,
    async close() {
      isClosed = true;
      connection.close();
      bell.close();
    },
  };
}

function wakesOf(entries: readonly (string | number)[]): readonly ReceivedWake[] {
  const taken: ReceivedWake[] = [];
  for (let i = 0; i < entries.length; i += 3) {
    const [member, receives, ageMs] = [String(entries[i]), Number(entries[i + 1]), Number(entries[i + 2])];
    const id = member.slice(member.indexOf('.', member.indexOf('.') + 1) + 1);
    taken.push({ id, receipt: `${receives}.${member}`, receives, ageMs });
  }
  return taken;
}

/** The member that a receipt holds, and the count under which it does. */
function heldBy({ receipt }: ReceivedWake): [member: string, receives: string] {
  const at = receipt.indexOf('.');
  return [receipt.slice(at + 1), receipt.slice(0, Math.max(at, 0))];
}

function resultsOf(answer: unknown): readonly ItemResult[] {
  return (answer as number[]).map((held) => (held === 1 ? OK : STALE));
}

function cut(delayMs: number): number {
  return Math.ceil(Math.min(Math.max(delayMs, 0), MAX_DELAY_MS));
}

const NAME_RULE: Rule = {
  must: "a text of 1 to 100 letters, digits, '_', '.', ':' or '-'",
  fits: (value) => typeof value === 'string' && /^[\w.:-]{1,100}$/.test(value),
};

const RULES: Rules = {
  client: CLIENT_RULE,
  name: NAME_RULE,
  visibilityMs: numberRule({ least: 1, most: MAX_DELAY_MS, whole: true }, ' ms'),
  maxWakes: numberRule({ least: 1, most: 100_000_000, whole: true }),
  timeoutMs: TIMEOUT_RULE,
  onUnreadable: ON_UNREADABLE_RULE,
} satisfies Record<keyof RedisQueueOptions, Rule>;
