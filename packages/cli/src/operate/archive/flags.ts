import { boolean, string } from '@oclif/core/flags';
import type { BaseFlags, FlagsOf } from '../../flags/flags-of.ts';
import { CONFIG_FLAGS } from '../flags.ts';

const FORGET = 'FORGET';

export const ARCHIVE_FLAGS = {
  ...CONFIG_FLAGS,
  before: string({
    description:
      'Only what was over before this: 30d (ago), or an ISO time, UTC where it names no zone. With --forget at least 1d ago. [30d]',
    helpValue: 'TIME',
  }),
  to: string({
    description: 'A new file, NDJSON. Only --forget takes one that is there: to go on with it. [stdout]',
    helpValue: 'FILE',
  }),
  'dry-run': boolean({ description: 'Only count: write and forget nothing.' }),
  forget: boolean({
    description:
      'Remove from the ledger what is in FILE, once FILE is written, on the disk and was read again. Their keys stay known: nothing is sent twice. Needs --to.',
    helpGroup: FORGET,
  }),
  yes: boolean({ char: 'y', description: 'Do not ask before forgetting.', helpGroup: FORGET }),
  rate: string({
    description: 'Forget no more notifications than this: 500/s, 1000/m. [as fast as it goes]',
    helpValue: 'N/s',
    helpGroup: FORGET,
  }),
};

export type ArchiveFlags = FlagsOf<typeof ARCHIVE_FLAGS> & BaseFlags;
