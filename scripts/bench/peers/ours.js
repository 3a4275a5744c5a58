import { Redis } from 'ioredis';
import pg from 'pg';
import { migrate, postgresLedger } from '@sendonce/adapters/ledgers/postgres';
import { redisLedger } from '@sendonce/adapters/ledgers/redis';
import { sqsQueue } from '@sendonce/adapters/queues/sqs';
import { createNotifier } from '@sendonce/core';
import { CONTENT } from '../sending.js';
import { queueUrl, sqsClient } from './counting.js';

const MOVING = ['queued', 'processing', 'dispatching', 'retry-scheduled', 'unknown'];
const GAVE_UP = ['parked', 'failed', 'dead', 'expired'];
const NO_KEY = { kind: 'none' };
const DAY_MS = 86_400_000;
const personOf = (id) => ({ channel: 'email', to: `someone.${id}@example.com`, name: 'Some One' });
const idOf = (to) => Number(to.split('.')[1].split('@')[0]);

/** Ours, as a user sets it up: everything through the notifier, both stages of work in the worker. */
export async function open({ addresses, concurrency, send, options = {} }) {
  const { ledger, closeLedger } = await LEDGERS[options.ledger](addresses);
  const { queues, closeQueues } =
    options.queue === 'sqs' ? await sqsQueues(addresses) : { queues: {}, closeQueues() {} };
  const notifier = createNotifier({
    ledger,
    ...queues,
    channels: { email: { providers: [providerOf(send, options)] } },
    notifications: { order: { class: 'transactional', content: () => CONTENT, retry: { schedule: [1_000] } } },
  });
  const settings = { concurrency, batch: Math.max(50, concurrency), chunk: 1_000, ...options.worker };
  const start = (stages) => {
    const stop = new AbortController();
    const running = notifier.worker({ ...settings, ...stages }).run({ signal: stop.signal });
    return () => {
      stop.abort();
      return running;
    };
  };
  const sumOf = async (states) => {
    const { deliveries } = await ledger.count();
    return states.reduce((sum, state) => sum + deliveries[state], 0);
  };
  const idsIn = async (states) => {
    const ids = [];
    for (let cursor; cursor !== null;) {
      const page = await ledger.list({ states }, { limit: 500, ...(cursor === undefined ? {} : { cursor }) });
      ids.push(...page.items.map(({ target }) => idOf(target.to)));
      cursor = page.cursor;
    }
    return ids;
  };
  const seal = (ids) =>
    notifier.publish('order', { order: 1 }, { key: `all-${ids[0]}`, recipients: ids.map(personOf) });
  const isExpanded = async () => {
    const { notifications } = await ledger.count();
    return notifications.accepted + notifications.expanding === 0;
  };
  return {
    seal,
    /** From a sealed list of recipients to a delivery for each. */
    async fanOut() {
      const stop = start({ stages: ['decide'] });
      await until(isExpanded);
      await stop();
    },
    async enqueue(ids) {
      await seal(ids);
      await this.fanOut();
    },
    async publish(ids) {
      const items = ids.map((id) => ({ data: { order: id }, key: `order-${id}`, recipients: [personOf(id)] }));
      const results = await notifier.publishMany('order', items);
      const failed = results.find(({ kind }) => kind === 'failed');
      if (failed !== undefined) throw failed.error;
    },
    work: () => start({}),
    left: () => sumOf(MOVING),
    waiting: () => idsIn(MOVING),
    gaveUp: () => idsIn(GAVE_UP),
    async close() {
      await notifier.close();
      closeQueues();
      await closeLedger();
    },
  };
}

const LEDGERS = {
  async redis({ redis: port }) {
    const client = new Redis(port, '127.0.0.1');
    // It warns about a Redis that keeps nothing on disk, which is what is wanted here for both sides.
    return { ledger: redisLedger({ client, onWarning: () => undefined }), closeLedger: () => client.disconnect() };
  },
  async postgres({ postgres: connectionString }) {
    const pool = new pg.Pool({ connectionString, max: 10 });
    pool.on('error', () => undefined);
    await migrate({ client: pool });
    return { ledger: postgresLedger({ client: pool, prepare: true }), closeLedger: () => pool.end() };
  },
};

async function sqsQueues({ sqs: port }) {
  const client = sqsClient(port);
  const [deliveries, events] = await Promise.all(['jobs', 'events'].map((name) => queueUrl(client, name)));
  const queues = {
    queue: sqsQueue({ client, queueUrl: deliveries }),
    eventsQueue: sqsQueue({ client, queueUrl: events }),
  };
  return { queues, closeQueues: () => client.destroy() };
}

/** `options.keyed`: a provider that takes an idempotency key. */
function providerOf(send, { keyed = true }) {
  return {
    name: 'bench',
    capabilities: {
      idempotency: keyed ? { kind: 'key', windowMs: DAY_MS } : NO_KEY,
      lookup: 'none',
      correlation: 'none',
      coalesce: false,
    },
    async send({ to }, { key }) {
      const refused = await send(idOf(to), key);
      return refused === 'refused'
        ? { kind: 'deferred', reason: 'not taken: 503' }
        : { kind: 'accepted', providerMessageId: `m-${key}` };
    },
    async close() {},
  };
}

async function until(isSo) {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}
