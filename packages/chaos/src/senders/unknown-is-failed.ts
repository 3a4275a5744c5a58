import { reading, realWorker, withProviders } from './parts.ts';
import type { KnownBadSender } from './sender.ts';

export const unknownIsFailed: KnownBadSender = {
  name: 'unknown-is-failed',
  about: 'counts a timeout or a reset as a failure and tries again',
  why: 'the provider accepted and only its answer was lost; the retry is a second message',
  instead: 'an outcome that nobody knows is unknown: replay by key, look up, or let the class decide',
  caughtBy: ['duplicated'],
  setup: { provider: 'plain' },
  kinds: ['reply-lost', 'slow', '5xx-after-acceptance', 'missing-id'],
  make: (config, options) =>
    realWorker(
      withProviders(config, (provider) =>
        reading(provider, (outcome) =>
          outcome.kind === 'unknown' ? { kind: 'deferred', reason: outcome.reason, retryAfterMs: 1_000 } : outcome,
        ),
      ),
      options,
    ),
};
