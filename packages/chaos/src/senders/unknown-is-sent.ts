import { reading, realWorker, withProviders } from './parts.ts';
import type { KnownBadSender } from './sender.ts';

export const unknownIsSent: KnownBadSender = {
  name: 'unknown-is-sent',
  about: 'counts a timeout as sent, since "it usually is"',
  why: 'the request never arrived; the message is believed sent and nobody looks for it',
  instead: 'an outcome that nobody knows is unknown: look it up, or park it where a person sees it',
  caughtBy: ['lost'],
  setup: { provider: 'plain' },
  kinds: ['request-lost'],
  make: (config, options) =>
    realWorker(
      withProviders(config, (provider) =>
        reading(provider, (outcome) =>
          outcome.kind === 'unknown' ? { kind: 'accepted', providerMessageId: 'probably' } : outcome,
        ),
      ),
      options,
    ),
};
