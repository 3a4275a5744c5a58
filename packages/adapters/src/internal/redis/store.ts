import { randomUUID } from 'node:crypto';
import { SendonceError } from '@sendonce/core';
import { plain } from '../ahead/plain.ts';
import type { Wanted } from '../ahead/questions.ts';
import type { Known } from '../ahead/known.ts';
import type { Run } from '../ahead/run.ts';
import type { AheadStore, WriteOptions } from '../ahead/transact.ts';
import type { Send } from './connection.ts';
import { unavailable, whoOf } from './failures.ts';
import { foundIn, identityOf, schemaOf } from './found.ts';
import type { Memory } from './memory.ts';
import { READ } from './read-script.ts';
import type { Remembered } from './remembered.ts';
import { script, type Script } from './script.ts';
import { WRITE } from './write-script.ts';
import { writesOf, type FromHand } from './writing.ts';

export interface RedisStoreOptions {
  readonly send: Send;
  readonly name: string;
  readonly contentRetentionMs: number;
  readonly retentionMs: number;
  readonly tombstoneRetentionMs: number | null;
  /** Is told which memory the data are in, whenever they were read. */
  readonly onMemory: (identity: string) => void;
  readonly memory: Remembered;
}

export interface RedisStore extends AheadStore {
  /** As `write`, of a call that has not read: on condition that all it began with is as this process left it. */
  writeFromHand(run: Run, known: Known): Promise<boolean>;
}

/** Records that one script reads at most. */
const MOST_READ = 1_000;
const SCHEMA = '1';

/** ARGV: a name, ms. */
const RESERVE: Script = script(`
local until_, by = unpack(call('HMGET', KEYS[1], 'reservedUntil', 'reservedBy'))
if call('EXISTS', KEYS[1]) == 1 and (tonumber(until_ or 0) <= now or by == ARGV[1]) then
  call('HSET', KEYS[1], 'reservedBy', ARGV[1], 'reservedUntil', text(now + tonumber(ARGV[2])))
end
return 1
`);
const GIVE_BACK: Script = script(`
if call('HGET', KEYS[1], 'reservedBy') == ARGV[1] then call('HDEL', KEYS[1], 'reservedBy', 'reservedUntil') end
return 1
`);

/** One script that reads, and one that writes. */
export function redisStore({ send, name, onMemory, memory, ...retention }: RedisStoreOptions): RedisStore {
  let ownKey: string | null = null;

  /** Data that were emptied begin a new memory under another key; whoever knew the old one says so, once for all. */
  function isOurs({ key, hasChanged }: Memory): boolean {
    if (ownKey !== null && ownKey !== key && !hasChanged) return false;
    ownKey = key;
    return true;
  }

  async function readSome(wanted: Wanted, withoutMessages: boolean): ReturnType<AheadStore['read']> {
    const { deliveries, notifications, questions } = wanted;
    const answer = await send(READ, [
      ...[randomUUID(), withoutMessages ? '0' : '1'],
      ...[deliveries.size, ...Array.from(deliveries, plain)],
      ...[notifications.size, ...Array.from(notifications, plain)],
      ...[questions.length, ...questions.flatMap(({ kind, a, b }) => [kind, a, b])],
    ]);
    if (schemaOf(answer) !== SCHEMA)
      throw new SendonceError(
        'LEDGER_NEWER',
        `${whoOf(name)} has version ${schemaOf(answer)}, and this release knows ${SCHEMA}; use the release that wrote it, or a later one`,
      );
    const found = foundIn(answer, wanted, isOurs);
    onMemory(found.store.identityNow);
    memory.read(found.store, identityOf(answer));
    return found;
  }

  async function write(run: Run, known: Known, about: WriteOptions & FromHand): Promise<boolean> {
    let isWritten = false;
    try {
      for (const args of writesOf(run, known, { ...about, ...retention })) {
        const nowMs = Number(await send(WRITE, args));
        if (nowMs === 0) return false;
        memory.hear(nowMs);
      }
      isWritten = true;
    } finally {
      if (isWritten) memory.wrote(run, known);
      else memory.forget(run);
    }
    return isWritten;
  }

  const store: AheadStore = {
    who: whoOf(name),
    async read(wanted, { withoutMessages }) {
      let found = await readSome(firstOf(wanted), withoutMessages);
      for (const part of restOf(wanted)) {
        const { store, deliveries, notifications } = await readSome(part, withoutMessages);
        found = {
          // The first is the oldest of what the call will rest on; the fence has to be above all that was read.
          store: { ...store, gates: found.store.gates, version: found.store.version },
          deliveries: found.deliveries.concat(deliveries),
          notifications: found.notifications.concat(notifications),
          answers: found.answers,
        };
      }
      return found;
    },
    write: (run, known, about) => write(run, known, { ...about, fromHand: null }),
    async reserve(by, forMs) {
      await send(RESERVE, [by, forMs]);
    },
    async giveBack(by) {
      await send(GIVE_BACK, [by]);
    },
    isConflict: () => false,
    unavailable: (error) => unavailable(error, name),
  };
  return {
    ...store,
    writeFromHand(run, known) {
      const fromHand = { identity: memory.identity, asksOptOuts: memory.store?.hasSuppressions === true };
      return write(run, known, { speaking: [], reservedBy: null, fromHand });
    },
  };
}

function firstOf({ deliveries, notifications, questions }: Wanted): Wanted {
  return {
    deliveries: new Set([...deliveries].slice(0, MOST_READ)),
    notifications: new Set([...notifications].slice(0, MOST_READ)),
    questions,
  };
}

function* restOf({ deliveries, notifications }: Wanted): Generator<Wanted> {
  const most = Math.max(deliveries.size, notifications.size);
  for (let from = MOST_READ; from < most; from += MOST_READ)
    yield {
      deliveries: new Set([...deliveries].slice(from, from + MOST_READ)),
      notifications: new Set([...notifications].slice(from, from + MOST_READ)),
      questions: [],
    };
}
