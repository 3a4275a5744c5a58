import type { NotifierConfig } from '@sendonce/core';

/** The config of a process that was restarted with another one. 0: the right one. */
export function variantOf(config: NotifierConfig, variant: number): NotifierConfig {
  switch (variant) {
    case 1:
      return { ...config, worker: { ...config.worker, concurrency: 1, batch: 1 } };
    case 2:
      return withProviders(config, (providers) => [...providers].reverse());
    case 3:
      return withProviders(config, (providers) => (providers.length > 1 ? providers.slice(1) : providers));
    default:
      return config;
  }
}

type Providers = NonNullable<NotifierConfig['channels']['email']>['providers'];

function withProviders(config: NotifierConfig, change: (providers: Providers) => Providers): NotifierConfig {
  const channels = Object.fromEntries(
    Object.entries(config.channels).map(([name, channel]) => [
      name,
      { ...channel, providers: change(channel.providers) },
    ]),
  );
  return { ...config, channels };
}
