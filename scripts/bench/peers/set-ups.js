/** Who is measured, in the order of the tables: `group` is who shares servers and is compared; `load` imports it and nothing else. */
export const SET_UPS = {
  'BullMQ + SET NX': {
    group: 'Redis',
    servers: ['redis'],
    load: () => import('./bullmq.js'),
    options: { dedup: true },
  },
  'Sendonce on Redis': ours('Redis', ['redis'], { ledger: 'redis' }),
  'pg-boss, tuned': {
    group: 'PostgreSQL',
    servers: ['postgres'],
    load: () => import('./pg-boss.js'),
    options: { dedup: true, workers: 4, batchSize: 1_000 },
  },
  'graphile-worker': {
    group: 'PostgreSQL',
    servers: ['postgres'],
    load: () => import('./graphile-worker.js'),
    options: { dedup: true },
  },
  'Sendonce on PostgreSQL': ours('PostgreSQL', ['postgres'], { ledger: 'postgres' }),
  'sqs-consumer + SET NX': sqsConsumer({ dedup: true }),
  'sqs-consumer, batch handler + SET NX': sqsConsumer({ dedup: true, batch: true }),
  'Sendonce on SQS + Redis': ours('SQS + Redis', ['redis', 'sqs'], { ledger: 'redis', queue: 'sqs' }),
};

/** How many recipients a group's runs have. */
export const COUNTS = { Redis: 40_000, PostgreSQL: 20_000, 'SQS + Redis': 6_000 };

export const isOurs = (name) => name.startsWith('Sendonce');

function sqsConsumer(options) {
  return { group: 'SQS + Redis', servers: ['redis', 'sqs'], load: () => import('./sqs-consumer.js'), options };
}

function ours(group, servers, options) {
  return { group, servers, load: () => import('./ours.js'), options };
}
