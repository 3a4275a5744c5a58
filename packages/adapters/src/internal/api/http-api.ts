import type { LookupFunction } from 'node:net';
import type { Outcome, OutgoingMessage, Provider } from '@sendonce/core';
import { deadlineOf, type Deadline } from '../deadline.ts';
import { post, type HttpAnswer, type HttpLimits, type HttpPost, type HttpResult } from '../http/post.ts';
import { NotPublic } from '../http/public-addresses.ts';
import { retryAfter } from '../http/retry-after.ts';
import type { Rejection } from '../rejection.ts';
import { outcomeBy, type OutcomeRow } from './outcome-table.ts';

/** An answer, and what its JSON says; undefined where it is none. */
export interface ApiAnswer extends HttpAnswer {
  readonly json: unknown;
}

/** What is one vendor's own. Everything that is the same for all that speak HTTP is in `httpApi`. */
export interface HttpApi extends Pick<Provider, 'name' | 'capabilities'> {
  /** How long all of a request may take, ms. */
  readonly timeoutMs: number;
  /** The request for a message, or why it can never be sent. Pure: the same message and key make the same bytes. */
  request(message: OutgoingMessage, key: string): HttpPost | Rejection;
  /** What is sent along and is no part of the message: credentials that have to be fetched or signed. @defaultValue nothing */
  authorize?(deadline: Deadline, request: HttpPost): Promise<Readonly<Record<string, string>> | Outcome>;
  /** Resolves the name of a host; what it refuses with `NotPublic` is about the destination. @defaultValue Node's own */
  readonly lookup?: LookupFunction;
  /** Hears each answer, and the headers that were sent, before it is judged: credentials that were refused are not to be kept. @defaultValue nobody does */
  onAnswer?(answer: ApiAnswer, headers: Readonly<Record<string, string>>): void;
  /** Sends a request, once. @defaultValue HTTP/1.1, with a connection of its own */
  readonly exchange?: (call: HttpPost, limits: HttpLimits) => Promise<HttpResult>;
  /** Gives up what is kept between sends; called once. @defaultValue nothing is */
  close?(): void;
  /** The vendor's id for the message in an answer of 2xx. Null: it gave none, and acceptance is not proven. */
  idIn(answer: ApiAnswer): string | null;
  /** Whether an answer of 2xx says that it failed: then the table decides. @defaultValue never */
  isRefusal?(answer: ApiAnswer): boolean;
  /** The vendor's own code in a refusal, and its words. */
  codeIn(answer: ApiAnswer): string | null;
  reasonIn(answer: ApiAnswer): string | null;
  /** An outcome that no table can tell: what depends on more than status and code. @defaultValue none */
  special?(answer: ApiAnswer): Outcome | null;
  readonly table: readonly OutcomeRow[];
}

/** What comes after the status is only waited for as long as this, ms: an id is in it, or a reason. */
const BODY_MS = 5_000;

/** A provider behind a plain HTTP API: at most one whole request per attempt, and an outcome for every way in which it can end. */
export function httpApi(api: HttpApi): Provider {
  const { name, capabilities, timeoutMs, exchange = post } = api;
  let isClosed = false;
  return {
    name,
    capabilities,
    check(message) {
      const made = api.request(message, 'checked');
      return 'kind' in made ? made : null;
    },
    async send(message, context): Promise<Outcome> {
      const deadline = deadlineOf(context);
      if (isClosed) return { kind: 'not-sent', reason: `the provider '${name}' is closed` };
      if (deadline.leftMs() <= 0) return { kind: 'not-sent', reason: 'the send deadline passed before the first byte' };
      const made = api.request(message, context.key);
      if ('kind' in made) return made;
      const authorized = (await api.authorize?.(deadline, made)) ?? {};
      if (isOutcome(authorized)) return authorized;
      const headers = { ...made.headers, ...authorized };
      const lookup = api.lookup === undefined ? {} : { lookup: api.lookup };
      const result = await exchange({ ...made, headers }, { deadline, timeoutMs, bodyMs: BODY_MS, ...lookup });
      if (result.kind === 'not-sent' && result.cause instanceof NotPublic)
        return { kind: 'rejected', scope: 'destination', reason: result.cause.message };
      if (result.kind !== 'answered') return { kind: result.kind, reason: result.reason };
      const answer: ApiAnswer = { ...result, json: jsonIn(result.body) };
      api.onAnswer?.(answer, headers);
      return outcomeOf(api, answer);
    },
    async close() {
      if (!isClosed) api.close?.();
      isClosed = true;
    },
  };
}

function isOutcome(given: Readonly<Record<string, string>> | Outcome): given is Outcome {
  return 'kind' in given;
}

function outcomeOf(api: HttpApi, answer: ApiAnswer): Outcome {
  const special = api.special?.(answer) ?? null;
  if (special !== null) return special;
  if (answer.status >= 200 && answer.status < 300 && api.isRefusal?.(answer) !== true) {
    const providerMessageId = api.idIn(answer);
    if (providerMessageId !== null) return { kind: 'accepted', providerMessageId };
    return { kind: 'unknown', reason: 'missing-id' };
  }
  return outcomeBy(api.table, {
    status: answer.status,
    code: api.codeIn(answer),
    reason: reasonOf(api, answer),
    ...retryAfter(answer.headers, Date.now()),
  });
}

const LONGEST_REASON = 200;

function reasonOf(api: HttpApi, answer: ApiAnswer): string {
  const said = (api.reasonIn(answer) ?? answer.body ?? '').trim().slice(0, LONGEST_REASON);
  const code = api.codeIn(answer);
  const which = code === null ? `HTTP ${answer.status}` : `HTTP ${answer.status} (${code})`;
  return said === '' ? which : `${which}: ${said}`;
}

function jsonIn(body: string | null): unknown {
  try {
    return body === null ? undefined : JSON.parse(body);
  } catch {
    return undefined;
  }
}
