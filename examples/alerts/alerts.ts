import type { Alert, AlertSink } from '@sendonce/core';
import { consoleAlerts } from '@sendonce/adapters/alerts/console';
import { webhookAlerts } from '@sendonce/adapters/alerts/webhook';

// #region sinks
/** Goes into the config as `alerts`. Every sink gets every alert. */
export function sinks(url: string, secret: string): readonly AlertSink[] {
  return [consoleAlerts(), webhookAlerts({ url, secret, timeoutMs: 5_000 })];
}
// #endregion

// #region chat
/** Most chat services take a JSON object with a text. */
export function chat(url: string): AlertSink {
  return webhookAlerts({ url, body: ({ summary, next }) => ({ text: `${summary}. Next: \`${next}\`` }) });
}
// #endregion

// #region own
/** Wakes somebody, but not for a failover: that message is on its way already. */
export function pager(wake: (text: string) => Promise<void>): AlertSink {
  return {
    async send({ kind, summary, next }: Alert) {
      if (kind !== 'failover') await wake(`${summary} (${next})`);
    },
    async close() {},
  };
}
// #endregion
