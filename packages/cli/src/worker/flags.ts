import { boolean, string } from '@oclif/core/flags';
import type { BaseFlags, FlagsOf } from '../flags/flags-of.ts';
import { CONFIG_FLAGS } from '../operate/flags.ts';

const work = 'WORK';
const health = 'HEALTH';

/** Values are words here; `parseWorker` reads them, so that every mistake is worded in one place. */
export const WORKER_FLAGS = {
  ...CONFIG_FLAGS,
  concurrency: string({
    description: 'Deliveries being sent at once. [of the config, else 50]',
    helpValue: 'N',
    helpGroup: work,
  }),
  stages: string({
    description: 'Which stages of work: decide (who gets what), deliver. [of the config, else both]',
    helpValue: 'NAMES',
    helpGroup: work,
  }),
  name: string({
    description: 'What it is called in histories and events. [worker]',
    helpValue: 'NAME',
    helpGroup: work,
  }),
  'health-port': string({
    description: 'Answer GET /healthz and /status over HTTP at this port; 0: at a free one.',
    helpValue: 'PORT',
    helpGroup: health,
  }),
  'health-host': string({
    description: 'The address to listen at; 0.0.0.0 is everybody. [127.0.0.1]',
    helpValue: 'ADDRESS',
    helpGroup: health,
  }),
  json: boolean({ description: 'Print a JSON object a line, one for each event.', helpGroup: 'OUTPUT' }),
};

export type WorkerFlags = FlagsOf<typeof WORKER_FLAGS> & BaseFlags;
