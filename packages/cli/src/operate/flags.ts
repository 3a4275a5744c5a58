import { boolean, string } from '@oclif/core/flags';

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
    description: "A part of its reason or of a provider's answer, in whatever case, or exactly a provider's own code.",
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

/** What oclif makes of them. */
export interface FilterFlags {
  readonly reason?: string | undefined;
  readonly provider?: string | undefined;
  readonly channel?: string | undefined;
  readonly type?: string | undefined;
  readonly tenant?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}
