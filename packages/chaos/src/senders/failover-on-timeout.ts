import { reading, realWorker, withProviders } from './parts.ts';
import type { KnownBadSender } from './sender.ts';

export const failoverOnTimeout: KnownBadSender = {
  name: 'failover-on-timeout',
  about: 'goes to the next provider when one does not answer',
  why: 'the first provider accepted and only its answer was lost; the second sends the message again',
  instead:
    'fail over at once only where nothing was sent; after an unknown outcome only where the class says so, declared',
  caughtBy: ['duplicated'],
  setup: { provider: 'keyed' },
  kinds: ['reply-lost', 'slow', '5xx-after-acceptance'],
  make: (config, options) =>
    realWorker(
      withProviders(config, (provider) =>
        reading(provider, (outcome) =>
          outcome.kind === 'unknown' ? { kind: 'rejected', scope: 'provider', reason: outcome.reason } : outcome,
        ),
      ),
      options,
    ),
};
