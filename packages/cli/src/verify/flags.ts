import { string } from '@oclif/core/flags';
import type { BaseFlags, FlagsOf } from '../flags/flags-of.ts';

const what = 'ADAPTER';
const how = 'RUN';

/** The flags of `notify verify`. Values are words here; `run-verify.ts` reads them, so that every mistake is worded in one place. */
export const VERIFY_FLAGS = {
  queue: string({
    description:
      'A module whose default export makes a new, empty queue, once for each law; or redis://..., sqs+http://..., amqp://..., where names of its own are used and removed.',
    helpValue: 'FILE|ADDRESS',
    helpGroup: what,
  }),
  ledger: string({
    description:
      'The same for a ledger; or sqlite: for files in a temporary folder, postgres://... for schemas that are made and dropped, redis://...',
    helpValue: 'FILE|ADDRESS',
    helpGroup: what,
  }),
  destinations: string({
    description: 'A module whose default export makes a new, empty store of destinations.',
    helpValue: 'FILE',
    helpGroup: what,
  }),
  inbox: string({
    description: 'A module whose default export makes a new, empty in-app inbox.',
    helpValue: 'FILE',
    helpGroup: what,
  }),
  config: string({
    description:
      'A config: what its export `verify` makes ({ queue, ledger, destinations, inbox }, each a function), else the queue and the ledger of the ' +
      'config, where they keep nothing. [where nothing else is named: notify.config.ts, .js or .mjs of this folder]',
    helpValue: 'FILE',
    helpGroup: what,
  }),
  law: string({ description: 'Only the laws with this text.', helpValue: 'TEXT', helpGroup: how }),
  limit: string({
    description: 'How long the adapter may take over one law, beside the time that the law itself lets pass. [10s]',
    helpValue: 'TIME',
    helpGroup: how,
  }),
  'at-once': string({ description: 'How many laws run side by side, 1 to 64. [8]', helpValue: 'N', helpGroup: how }),
  walks: string({
    description: 'How many random histories a ledger is led along, 0 to 1,000. [3]',
    helpValue: 'N',
    helpGroup: how,
  }),
};

export type VerifyFlags = FlagsOf<typeof VERIFY_FLAGS> & BaseFlags;
