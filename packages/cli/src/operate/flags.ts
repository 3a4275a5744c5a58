import { boolean, string } from '@oclif/core/flags';
import type { BaseFlags, FlagsOf } from '../flags/flags-of.ts';

const which = 'FILTER';

/** Values are words here; each command reads them, so that every mistake is worded in one place. */
export const CONFIG_FLAGS = {
  config: string({
    description: 'The config whose ledger it is. [notify.config.ts, .js or .mjs of this folder]',
    helpValue: 'FILE',
  }),
};

export const ADDRESS_FLAGS = {
  'show-addresses': boolean({ description: 'Show addresses in full; else a…@example.com.', helpGroup: 'OUTPUT' }),
};

export const FILTER_FLAGS = {
  reason: string({
    description:
      "A part of its reason or of a provider's answer, in whatever case and also as a report shows it, or exactly a provider's own code.",
    helpValue: 'TEXT',
    helpGroup: which,
  }),
  provider: string({ description: 'The provider that was tried last.', helpValue: 'NAME', helpGroup: which }),
  channel: string({ description: 'The channel, such as email or sms.', helpValue: 'NAME', helpGroup: which }),
  type: string({ description: 'The type of notification.', helpValue: 'NAME', helpGroup: which }),
  tenant: string({ description: 'The tenant.', helpValue: 'NAME', helpGroup: which }),
  since: string({
    description: 'Died at or after this: 2h (ago), or an ISO time, UTC where it names no zone.',
    helpValue: 'TIME',
    helpGroup: which,
  }),
  until: string({ description: 'Died before this.', helpValue: 'TIME', helpGroup: which }),
};

export const LIST_FLAGS = {
  ...CONFIG_FLAGS,
  ...FILTER_FLAGS,
  state: string({
    description: 'Only these; also expired. [dead,failed,parked]',
    helpValue: 'STATES',
    helpGroup: which,
  }),
  replayed: boolean({ description: 'Also those that were sent again.', helpGroup: which }),
  limit: string({ description: 'At most so many. [50; with --json all]', helpValue: 'N', helpGroup: 'OUTPUT' }),
  cursor: string({ description: 'Go on where a list ended.', helpValue: 'TEXT', helpGroup: 'OUTPUT' }),
  ...ADDRESS_FLAGS,
};

const how = 'RUN';

export const REPLAY_FLAGS = {
  ...CONFIG_FLAGS,
  ...FILTER_FLAGS,
  include: string({
    description:
      'Also those that are failed (refused for good, or could not be made: it helps only if that is mended) or parked (may have been sent: a ' +
      'possible duplicate, which is recorded). [only dead: known not sent]',
    helpValue: 'failed,parked',
    helpGroup: which,
  }),
  limit: string({ description: 'At most so many.', helpValue: 'N', helpGroup: how }),
  rate: string({ description: 'No faster than this: 50/s, 100/m.', helpValue: 'N/s', helpGroup: how }),
  'dry-run': boolean({ description: 'Show the plan and change nothing.', helpGroup: how }),
  yes: boolean({ char: 'y', description: 'Do not ask.', helpGroup: how }),
  force: boolean({
    description: 'Send even where an earlier one becomes known to be sent: certainly twice then.',
    helpGroup: how,
  }),
  note: string({ description: 'Why, kept with each new delivery.', helpValue: 'TEXT', helpGroup: 'AUDIT' }),
  by: string({ description: 'Who, kept with each new delivery. [$USER]', helpValue: 'NAME', helpGroup: 'AUDIT' }),
};

export type FilterFlags = FlagsOf<typeof FILTER_FLAGS>;
export type DeskFlags = FlagsOf<typeof CONFIG_FLAGS & typeof ADDRESS_FLAGS> & BaseFlags;
export type ListFlags = FlagsOf<typeof LIST_FLAGS> & BaseFlags;
export type ReplayFlags = FlagsOf<typeof REPLAY_FLAGS> & BaseFlags;
