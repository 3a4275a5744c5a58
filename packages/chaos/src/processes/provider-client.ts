import type { Channel, LookupAnswer, Outcome, Provider, ProviderCapabilities } from '@sendonce/core';
import type { Answered, Caller } from './loopback.ts';
import type { FindRequest, SendRequest } from './provider-server.ts';

export interface HttpProviderOptions {
  readonly name: string;
  readonly channel: Channel;
  readonly capabilities: ProviderCapabilities;
  readonly worker: string;
  readonly caller: Caller;
  /** How long it waits for an answer, ms of the host's clock. */
  readonly timeoutMs: number;
}

/** The adapter for the fake provider: HTTP as a real one would speak it, and as careful with what it does not know. */
export function httpProvider(options: HttpProviderOptions): Provider {
  const { name, channel, worker, caller, timeoutMs, capabilities } = options;
  const { lookup } = capabilities;
  return {
    name,
    capabilities: {
      ...capabilities,
      lookup:
        lookup === 'none'
          ? 'none'
          : {
              ...lookup,
              async find(request, { signal }) {
                const body: FindRequest = { provider: name, channel, request };
                return foundIn(await caller.call('/lookup', body, { timeoutMs, signal }));
              },
            },
    },
    async send(message, { key, attempt, signal }) {
      const body: SendRequest = { provider: name, channel, worker, pid: process.pid, message, key, attempt };
      return outcomeOf(await caller.call('/send', body, { timeoutMs, signal }));
    },
    close: () => Promise.resolve(),
  };
}

/** What an answer to a send proves; everything else is unknown. */
export function outcomeOf(answered: Answered): Outcome {
  if (answered.kind === 'refused') return { kind: 'not-sent', reason: answered.reason };
  if (answered.kind === 'lost') return { kind: 'unknown', reason: answered.reason };
  const { status } = answered;
  const {
    id,
    reason = `status ${status}`,
    retryAfterMs,
  } = answered.body as {
    readonly id?: string;
    readonly reason?: string;
    readonly retryAfterMs?: number;
  };
  switch (status) {
    case 200:
      return id === undefined ? { kind: 'unknown', reason: 'missing-id' } : { kind: 'accepted', providerMessageId: id };
    case 401:
      return { kind: 'rejected', scope: 'provider', reason };
    case 409:
      return { kind: 'rejected', scope: 'message', reason };
    case 422:
      return { kind: 'rejected', scope: 'destination', reason };
    case 429:
      return { kind: 'deferred', reason: '429 Too Many Requests', ...(retryAfterMs !== undefined && { retryAfterMs }) };
    case 503:
      // This provider says so only where it took nothing.
      return { kind: 'not-sent', reason };
    default:
      return { kind: 'unknown', reason };
  }
}

function foundIn(answered: Answered): LookupAnswer {
  if (answered.kind === 'answered' && answered.status === 200) return answered.body as LookupAnswer;
  return { kind: 'cannot-tell', reason: answered.kind === 'answered' ? `status ${answered.status}` : answered.reason };
}
