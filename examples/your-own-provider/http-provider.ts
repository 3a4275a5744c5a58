import type { Outcome, OutgoingMessage, Provider } from '@sendonce/core';

export interface HttpProviderOptions {
  /** Part of the idempotency key: renaming it forgets what was sent under the old name. */
  readonly name: string;
  readonly url: string;
  readonly token: string;
}

// #region provider
/** A provider behind a plain HTTP API that takes idempotency keys for a day. */
export function httpProvider({ name, url, token }: HttpProviderOptions): Provider {
  return {
    name,
    capabilities: {
      idempotency: { kind: 'key', windowMs: 24 * 60 * 60 * 1_000 },
      lookup: 'none',
      correlation: { field: 'reference', maxBytes: 64 },
      coalesce: false,
    },
    async send(message, { key, signal }) {
      if (signal.aborted) return { kind: 'not-sent', reason: 'the deadline passed before the first byte' };
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      };
      try {
        const response = await fetch(url, { method: 'POST', headers, body: bodyOf(message), signal });
        return outcomeOf(response.status, await response.text(), response.headers.get('retry-after'));
      } catch (error) {
        return outcomeOfError(error);
      }
    },
    async close() {},
  };
}
// #endregion

/** A function of the message alone: the same message makes the same bytes on every attempt. */
function bodyOf({ deliveryId, to, content }: OutgoingMessage): string {
  return JSON.stringify({ reference: deliveryId, to, subject: content.subject ?? '', text: content.text ?? '' });
}

// #region outcomes
/** What each answer proves. Whatever proves nothing is `unknown`. */
export function outcomeOf(status: number, body: string, retryAfter: string | null): Outcome {
  const reason = `HTTP ${status}: ${body.slice(0, 200)}`;
  if (status >= 200 && status < 300) {
    const providerMessageId = idIn(body);
    return providerMessageId === null
      ? { kind: 'unknown', reason: 'missing-id' }
      : { kind: 'accepted', providerMessageId };
  }
  if (status === 429) return { kind: 'deferred', reason, ...retryAfterMs(retryAfter) };
  if (status === 401 || status === 403) return { kind: 'rejected', scope: 'provider', reason, code: String(status) };
  if (status === 410) return { kind: 'rejected', scope: 'destination', reason, code: String(status) };
  // A request that was cut off (408), or one with this key that is still under way (409), may yet be taken.
  if (status === 408 || status === 409) return { kind: 'unknown', reason };
  if (status >= 400 && status < 500) return { kind: 'rejected', scope: 'message', reason, code: String(status) };
  // A gateway may answer 5xx after the service behind it took the message.
  return { kind: 'unknown', reason };
}

/** Only errors from before the first byte prove that nothing was sent. */
export function outcomeOfError(error: unknown): Outcome {
  const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined;
  const code = cause?.code ?? '';
  const isNotSent = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT'].includes(code);
  return { kind: isNotSent ? 'not-sent' : 'unknown', reason: code === '' ? String(error) : code };
}
// #endregion

function idIn(body: string): string | null {
  try {
    const parsed = JSON.parse(body) as { id?: unknown } | null;
    return typeof parsed?.id === 'string' && parsed.id !== '' ? parsed.id : null;
  } catch {
    return null;
  }
}

/** Seconds, as most APIs write it; anything else is left to the retry policy. */
function retryAfterMs(header: string | null): { readonly retryAfterMs?: number } {
  const seconds = Number(header ?? NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? { retryAfterMs: seconds * 1_000 } : {};
}
