import type { NotifierConfig, Provider } from '@sendonce/core';

/** The user's providers in a line, with what decides an unknown outcome: `yours: email: ses (key 24 h), smtp (neither)`. */
export function describeProviders({ channels }: Pick<NotifierConfig, 'channels'>): string {
  const parts = Object.entries(channels).map(
    ([name, channel]) =>
      `${name}: ${channel.providers.map((provider) => `${provider.name} (${abilities(provider)})`).join(', ')}`,
  );
  return `yours, simulated by what they can do; ${parts.join('; ')}`;
}

function abilities({ capabilities: { idempotency, lookup } }: Provider): string {
  const key = idempotency.kind === 'none' ? [] : [`${idempotency.kind} for ${hours(idempotency.windowMs)}`];
  const asked = lookup === 'none' ? [] : [`${lookup.kind} lookup`];
  return [...key, ...asked].join(', ') || 'no key, no lookup';
}

function hours(ms: number): string {
  if (!Number.isFinite(ms)) return 'ever';
  return ms >= 3_600_000 ? `${Math.round(ms / 3_600_000)} h` : `${Math.round(ms / 60_000)} min`;
}
