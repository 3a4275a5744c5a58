import { createHash } from 'node:crypto';
import type { Alert, AlertSink } from '@sendonce/core';
import { FUNCTION_RULE, numberRule, type Rule, type Rules } from '@sendonce/core/internal';
import { checkAdapter, OBJECT_RULE, SECRET_RULE, URL_RULE } from '../internal/options.ts';
import { webhookHeaders, webhookKey } from '../internal/standard-webhooks.ts';

export interface WebhookAlertsOptions {
  /** Where alerts are POSTed: http or https. It never shows up in an error whole, since such addresses often are secrets. */
  readonly url: string | URL;
  /** Sent with every alert, beside `content-type`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the receiver may take over one alert. 1 to 15,000 ms. @defaultValue 10_000 */
  readonly timeoutMs?: number;
  /** Signs each alert by the Standard Webhooks scheme: `whsec_` and 24 to 64 bytes of base64. @defaultValue unsigned */
  readonly secret?: string;
  /** Makes the JSON body, for receivers with a form of their own. @defaultValue `{ type: 'alert.KIND', timestamp, data: alert }` */
  readonly body?: (alert: Alert) => unknown;
}

/**
 * Posts each alert as JSON. An answer other than 2xx, none in time, or a broken connection is an error; it tries once, since the
 * notifier gives an alert that no sink took to the sinks again with the next one.
 * @throws SendonceError OPTION_INVALID for a url, time limit or secret that cannot work.
 */
export function webhookAlerts(options: WebhookAlertsOptions): AlertSink {
  checkAdapter('webhookAlerts', options, RULES);
  const { headers = {}, timeoutMs = 10_000, body: bodyOf = standardBody } = options;
  const url = new URL(options.url);
  const key = options.secret === undefined ? null : webhookKey(options.secret);

  return {
    async send(alert) {
      const body = JSON.stringify(bodyOf(alert));
      const message = { id: idOf(alert), timestamp: Math.floor(Date.now() / 1_000), body };
      const signed = key === null ? {} : webhookHeaders(key, message);
      await post(url, { 'content-type': 'application/json', ...headers, ...signed }, body, timeoutMs);
    },
    async close() {},
  };
}

const RULES: Rules = {
  url: { ...URL_RULE, required: true },
  headers: OBJECT_RULE,
  timeoutMs: numberRule({ least: 1, most: 15_000 }, ' ms'),
  secret: SECRET_RULE,
  body: FUNCTION_RULE,
} satisfies Record<keyof WebhookAlertsOptions, Rule>;

function standardBody(alert: Alert): unknown {
  return { type: `alert.${alert.kind}`, timestamp: new Date(alert.at).toISOString(), data: alert };
}

/** The same alert has the same id, should it come twice. */
function idOf(alert: Alert): string {
  return `alert_${createHash('sha256').update(JSON.stringify(alert)).digest('base64url').slice(0, 22)}`;
}

async function post(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  timeoutMs: number,
): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  let response: Response;
  try {
    // A redirect would carry the alert to somewhere that nobody configured.
    response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
  } catch (cause) {
    throw new Error(`the alert webhook at ${url.host} ${problem(cause, signal, timeoutMs)}`, { cause });
  }
  // Its body says nothing that we need; left unread, it would keep the connection.
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the alert webhook at ${url.host} answered ${response.status}`);
}

function problem(thrown: unknown, signal: AbortSignal, timeoutMs: number): string {
  if (signal.aborted) return `did not answer within ${timeoutMs} ms`;
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return `could not be reached (${typeof code === 'string' ? code : String(thrown)})`;
}
