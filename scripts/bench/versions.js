import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const PACKAGES = [
  'bullmq',
  'pg-boss',
  'graphile-worker',
  'sqs-consumer',
  'ioredis',
  'pg',
  'fauxqs',
  '@aws-sdk/client-sqs',
];

/** One sentence: the packages and servers of this machine. */
export function versions() {
  const packages = PACKAGES.map((name) => {
    const file = new URL(`../../node_modules/${name}/package.json`, import.meta.url);
    return `${name} ${JSON.parse(readFileSync(file, 'utf8')).version}`;
  });
  return `${[...packages, `Redis ${said('redis-server')}`, `PostgreSQL ${said('psql')}`].join(', ')}.`;
}

function said(program) {
  const { stdout = '' } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return /\d+\.\d+(\.\d+)?/.exec(stdout ?? '')?.[0] ?? 'of unknown version';
}
