import { isFields, textRule, type Rules } from '@sendonce/core/internal';
import { PROVIDER_RULES } from '../api/options.ts';
import { SENDER_RULE } from '../email/address.ts';
import { URL_RULE } from '../options.ts';
import { ONE_REQUEST } from './signed-once.ts';

/** The options of both versions. */
export const SES_RULES: Rules = {
  from: SENDER_RULE,
  configurationSet: {
    must: 'the name of a configuration set: letters, digits, _ and -, at most 64',
    fits: (value) => typeof value === 'string' && /^[\w-]{1,64}$/.test(value),
  },
  region: textRule(64),
  credentials: {
    must: 'keys, or a function that gets them',
    fits: (value) => typeof value === 'function' || isFields(value),
    hidden: true,
  },
  endpoint: URL_RULE,
  ...PROVIDER_RULES,
};

interface Given<Credentials> {
  readonly region?: string;
  readonly credentials?: Credentials;
  readonly endpoint?: string | URL;
}

/** What a client is made of; what is left out is found by the SDK. */
export function clientConfig<Credentials>({
  region,
  credentials,
  endpoint,
}: Given<Credentials>): typeof ONE_REQUEST & { region?: string; credentials?: Credentials; endpoint?: string } {
  return {
    ...ONE_REQUEST,
    ...(region !== undefined && { region }),
    ...(credentials !== undefined && { credentials }),
    ...(endpoint !== undefined && { endpoint: String(endpoint) }),
  };
}
