import { boolean, string } from '@oclif/core/flags';
import type { BaseFlags, FlagsOf } from '../../flags/flags-of.ts';
import { CONFIG_FLAGS } from '../flags.ts';

export const ARCHIVE_FLAGS = {
  ...CONFIG_FLAGS,
  before: string({
    description: 'What was over before this: 30d (ago), or an ISO time, UTC where it names no zone. [30d]',
    helpValue: 'TIME',
  }),
  to: string({ description: 'A new file, NDJSON. [stdout]', helpValue: 'FILE' }),
  'dry-run': boolean({ description: 'Count, and write nothing.' }),
};

export type ArchiveFlags = FlagsOf<typeof ARCHIVE_FLAGS> & BaseFlags;
