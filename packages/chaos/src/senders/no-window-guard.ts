import type { Provider } from '@sendonce/core';
import { realWorker, withProviders } from './parts.ts';
import type { KnownBadSender } from './sender.ts';

export const noWindowGuard: KnownBadSender = {
  name: 'no-window-guard',
  about: 'has a stable idempotency key and trusts it for ever',
  why: 'the retry comes after the provider forgot the key (24 hours, for many), so it is a new message',
  instead: 'stop replaying before the key window closes; then the policy for "nothing can tell" applies',
  caughtBy: ['duplicated'],
  // Five minutes stand for the day that a key is usually kept: what matters is that retries go on beyond it.
  setup: { provider: 'keyed', knobs: { keyWindowMs: 300_000 } },
  kinds: ['reply-lost@provider.send', 'outage@provider.send', 'key-forgotten'],
  make: (config, options) => realWorker(withProviders(config, trustingForEver), options),
};

function trustingForEver(provider: Provider): Provider {
  const { idempotency } = provider.capabilities;
  if (idempotency.kind === 'none') return provider;
  return {
    name: provider.name,
    capabilities: { ...provider.capabilities, idempotency: { ...idempotency, windowMs: Number.MAX_SAFE_INTEGER / 2 } },
    send: (message, context) => provider.send(message, context),
    close: () => provider.close(),
  };
}
