import type { WorkerOptions } from '@sendonce/core';
import { flagError } from '../flags/flag-error.ts';
import { parseCount } from '../flags/parse-values.ts';
import { parseStates } from '../operate/letter-filter.ts';
import type { WorkerFlags } from './flags.ts';

const STAGES = ['decide', 'deliver'] as const satisfies WorkerOptions['stages'];

/** Where to answer whether all is well. */
export interface Listening {
  readonly host: string;
  readonly port: number;
}

export interface WorkerRequest {
  /** What the flags say; the rest is the config's. */
  readonly options: WorkerOptions;
  readonly health: Listening | null;
}

/** @throws SendonceError FLAG_INVALID */
export function parseWorker(flags: WorkerFlags): WorkerRequest {
  const { concurrency, stages, name, 'health-port': port, 'health-host': host } = flags;
  if (name?.trim() === '') throw flagError('name', name, 'a text');
  if (host?.trim() === '') throw flagError('health-host', host, 'an address of this host, such as 127.0.0.1');
  if (host !== undefined && port === undefined) throw flagError('health-host', host, '--health-port beside it');
  return {
    options: {
      ...(concurrency === undefined ? {} : { concurrency: parseCount('concurrency', concurrency, 1, 10_000) }),
      ...(stages === undefined ? {} : { stages: parseStates('stages', stages, STAGES) }),
      ...(name === undefined ? {} : { name: name.trim() }),
    },
    health:
      port === undefined
        ? null
        : { host: host?.trim() ?? '127.0.0.1', port: parseCount('health-port', port, 0, 65_535) },
  };
}
