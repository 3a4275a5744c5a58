import type { LookupFunction } from 'node:net';
import type { Lookup, Outcome, OutgoingMessage, Provider, ProviderCapabilities } from '@sendonce/core';
import { deadlineOf, type Deadline } from '../deadline.ts';
import { post, type HttpAnswer, type HttpLimits, type HttpPost, type HttpResult } from '../http/post.ts';
import { NotPublic } from '../http/public-addresses.ts';
import { retryAfter } from '../http/retry-after.ts';
import type { Rejection } from '../rejection.ts';
import type { DeclaredCapabilities } from './facts.ts';
import { outcomeBy, type OutcomeRow } from './outcome-table.ts';

/** An answer, and what its JSON says; undefined where it is none. */
export interface ApiAnswer extends HttpAnswer {
  readonly json: unknown;
}

/** How a vendor's answers are read. */
export interface ApiAnswers {
  /** The vendor's id for the message in an answer of 2xx. Null: it gave none, and acceptance is not proven. */
  idIn(answer: ApiAnswer): string | null;
  /** Whether an answer of 2xx says that it failed: then the table decides. @defaultValue never */
  isRefusal?(answer: ApiAnswer): boolean;
  /** The vendor's own code in a refusal, and its words. */
  codeIn(answer: ApiAnswer): string | null;
  reasonIn(answer: ApiAnswer): string | null;
  /** What a refusal is about, where one code says several things and its words tell. Null: the table decides. @defaultValue never */
  scopeIn?(answer: ApiAnswer): Rejection['scope'] | null;
  /** An outcome that no table can tell: what depends on more than status and code. @defaultValue none */
  special?(answer: ApiAnswer): Outcome | null;
  /** How long a vendor that has its own way of saying so asks to wait, ms. @defaultValue what `Retry-After` says */
  waitIn?(answer: ApiAnswer): number | null;
  readonly table: readonly OutcomeRow[];
}

/** What is one vendor's own. Everything that is the same for all that speak HTTP is in `httpApi`. */
export interface HttpApi extends Pick<Provider, 'name'>, ApiAnswers {
  readonly capabilities: DeclaredCapabilities;
  /** Asks about a message, where `capabilities` declare a lookup. One request, which never sends. */
  find?: Lookup['find'];
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
}

/** What comes after the status is only waited for as long as this, ms: an id is in it, or a reason. */
export const BODY_MS: number = 5_000;

/** A provider behind a plain HTTP API: at most one whole request per attempt, and an outcome for every way in which it can end. */
export function httpApi(api: HttpApi): Provider {
  const { name, timeoutMs, exchange = post } = api;
  let isClosed = false;
  return {
    name,
    capabilities: capabilitiesOf(api),
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
      api.onAnswer?.({ ...result, json: jsonIn(result.body) }, headers);
      return outcomeOf(api, result);
    },
    async close() {
      if (!isClosed) api.close?.();
      isClosed = true;
    },
  };
}

function capabilitiesOf({ capabilities, find }: HttpApi): ProviderCapabilities {
  const { lookup } = capabilities;
  return { ...capabilities, lookup: lookup === 'none' || find === undefined ? 'none' : { ...lookup, find } };
}

function isOutcome(given: Readonly<Record<string, string>> | Outcome): given is Outcome {
  return 'kind' in given;
}

/** What an answer proves. */
export function outcomeOf(api: ApiAnswers, said: HttpAnswer): Outcome {
  const answer = { ...said, json: jsonIn(said.body) };
  const special = api.special?.(answer) ?? null;
  if (special !== null) return special;
  if (answer.status >= 200 && answer.status < 300 && api.isRefusal?.(answer) !== true) {
    const providerMessageId = api.idIn(answer);
    if (providerMessageId !== null) return { kind: 'accepted', providerMessageId };
    return { kind: 'unknown', reason: 'missing-id' };
  }
  const [{ status }, code, reason] = [answer, api.codeIn(answer), reasonOf(api, answer)];
  const scope = api.scopeIn?.(answer) ?? null;
  if (scope !== null) return { kind: 'rejected', scope, reason, code: code ?? String(status) };
  return outcomeBy(api.table, { status, code, reason, ...waitOf(api, answer) });
}

/** A day, as for `Retry-After`: whoever asks for more has made a mistake. */
const LONGEST_WAIT_MS = 86_400_000;

function waitOf(api: ApiAnswers, answer: ApiAnswer): { readonly retryAfterMs?: number } {
  const asked = api.waitIn?.(answer) ?? null;
  if (asked === null) return retryAfter(answer.headers, Date.now());
  return { retryAfterMs: Math.min(Math.max(asked, 0), LONGEST_WAIT_MS) };
}

const LONGEST_REASON = 200;

function reasonOf(api: ApiAnswers, answer: ApiAnswer): string {
  const said = (api.reasonIn(answer) ?? answer.body ?? '').trim().slice(0, LONGEST_REASON);
  const code = api.codeIn(answer);
  const which = code === null ? `HTTP ${answer.status}` : `HTTP ${answer.status} (${code})`;
  return said === '' ? which : `${which}: ${said}`;
}

export function jsonIn(body: string | null): unknown {
  try {
    return body === null ? undefined : JSON.parse(body);
  } catch {
    return undefined;
  }
}
