import { realWorker, withProviders } from './parts.ts';
import type { KnownBadSender } from './sender.ts';

export const keyPerAttempt: KnownBadSender = {
  name: 'key-per-attempt',
  about: 'makes a fresh idempotency key for each attempt',
  why: 'the provider cannot see that the retry is the same message, so it sends both',
  instead: 'one key per delivery and provider, fixed before the first attempt',
  caughtBy: ['duplicated'],
  setup: { provider: 'keyed' },
  kinds: ['reply-lost', 'slow', 'kill'],
  make: (config, options) =>
    realWorker(
      withProviders(config, (provider) => ({
        name: provider.name,
        capabilities: provider.capabilities,
        send: (message, context) => provider.send(message, { ...context, key: `${context.key}-${context.attempt}` }),
        close: () => provider.close(),
      })),
      options,
    ),
};
