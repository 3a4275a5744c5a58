/** Of both, so that whoever dies in the middle is known to have died after so long, ms. */
const SHORT = { leaseMs: 5_000, dispatchMs: 5_000, sendMarginMs: 1_000, keyMarginMs: 10_000 };
const bullmq = (options) => ({ servers: ['redis'], load: () => import('../peers/bullmq.js'), options });
const ours = (servers, options) => ({ servers, load: () => import('../peers/ours.js'), options });

/** Who is killed, in the order of the tables. `keyed`: its provider honours the idempotency key that it is given. */
export const ROWS = {
  BullMQ: bullmq({}),
  'BullMQ, keyed provider, 5 attempts': bullmq({ keyed: true, attempts: 5 }),
  'BullMQ + SET NX, 5 attempts': bullmq({ dedup: true, attempts: 5 }),
  'BullMQ + SET NX, 5 attempts, locks of 5 s': bullmq({ dedup: true, attempts: 5, lockMs: 5_000 }),
  'pg-boss': { servers: ['postgres'], load: () => import('../peers/pg-boss.js'), options: {} },
  'graphile-worker': { servers: ['postgres'], load: () => import('../peers/graphile-worker.js'), options: {} },
  'sqs-consumer + SET NX': {
    servers: ['redis', 'sqs'],
    load: () => import('../peers/sqs-consumer.js'),
    options: { dedup: true },
  },
  'Sendonce on Redis, keyed provider': ours(['redis'], { ledger: 'redis', keyed: true, worker: SHORT }),
  'Sendonce on Redis, plain provider': ours(['redis'], { ledger: 'redis', keyed: false, worker: SHORT }),
  'Sendonce on PostgreSQL, keyed provider': ours(['postgres'], { ledger: 'postgres', keyed: true, worker: SHORT }),
  'Sendonce on PostgreSQL, plain provider': ours(['postgres'], { ledger: 'postgres', keyed: false, worker: SHORT }),
  'Sendonce on SQS + Redis, keyed provider': ours(['redis', 'sqs'], {
    ledger: 'redis',
    queue: 'sqs',
    keyed: true,
    worker: SHORT,
  }),
  'Sendonce on SQS + Redis, plain provider': ours(['redis', 'sqs'], {
    ledger: 'redis',
    queue: 'sqs',
    keyed: false,
    worker: SHORT,
  }),
  'Sendonce on Redis, keyed provider, default settings': ours(['redis'], { ledger: 'redis', keyed: true }),
};

/** What else goes wrong, as shares of the requests. */
export const SCENARIOS = {
  'a kill': {},
  'a kill, and 5 % of the acks dropped': { dropped: 0.05 },
  'a kill, and 5 % refused with 503': { refused: 0.05 },
};
