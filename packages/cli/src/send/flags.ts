import { boolean, string } from '@oclif/core/flags';
import type { BaseFlags, FlagsOf } from '../flags/flags-of.ts';
import { CONFIG_FLAGS } from '../operate/flags.ts';

const what = 'WHAT';
const who = 'WHO';

/** Values are words here; `parseSend` reads them, so that every mistake is worded in one place. */
export const SEND_FLAGS = {
  ...CONFIG_FLAGS,
  data: string({
    description: 'A notification for each row: .csv, .ndjson or .jsonl, or - for stdin.',
    helpValue: 'FILE',
    helpGroup: what,
  }),
  'data-json': string({ description: 'One notification, with this data.', helpValue: 'JSON', helpGroup: what }),
  format: string({ description: 'What stdin is: ndjson or csv. [ndjson]', helpValue: 'NAME', helpGroup: what }),
  key: string({
    description: 'The key of the one notification. [what key(data) of its type says]',
    helpValue: 'KEY',
    helpGroup: what,
  }),
  'key-column': string({
    description: "The field of a row that holds its key. [what key(data) of the type says, else 'key']",
    helpValue: 'NAME',
    helpGroup: what,
  }),
  tenant: string({ description: 'The tenant. [default]', helpValue: 'NAME', helpGroup: what }),
  'recipients-file': string({
    description: 'Who gets it, instead of what route(data) of the type says: .csv, .ndjson or .jsonl.',
    helpValue: 'FILE',
    helpGroup: who,
  }),
  json: boolean({ description: 'Print a JSON object a line, one for each row.', helpGroup: 'OUTPUT' }),
};

export type SendFlags = FlagsOf<typeof SEND_FLAGS> & BaseFlags;
