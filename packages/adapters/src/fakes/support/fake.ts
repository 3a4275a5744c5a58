import { setTimeout } from 'node:timers/promises';
import type { HttpHandler } from 'msw';
import type { Fault } from './faults.ts';
import { handlersOf } from './handlers.ts';
import type { listenHttp2 } from './http2-server.ts';
import { keyMemory } from './keys.ts';
import { listen, type Listening } from './server.ts';
import type { Accepted, Log, Refusals, Vendor } from './vendor.ts';
import { html, type Dropped, type WireAnswer, type WireRequest } from './wire.ts';

/** What every fake can be told. */
export interface Behaviour<Code extends string = string> {
  /** The vendor's clock, epoch ms: windows of keys, rates and searches pass by it. @defaultValue Date.now */
  readonly now?: () => number;
  /** More requests that send within a second are answered as too many. @defaultValue any number is fine */
  readonly perSecond?: number;
  /** Recipients who are refused, by the code: who has bounced, opted out, or is not there. @defaultValue nobody is */
  readonly refuseTo?: Readonly<Record<string, Code>>;
  /** How long a search does not know of what was taken, ms. @defaultValue the vendor's own */
  readonly settleMs?: number;
}

/** A vendor at the wire: what it was sent, what it took of that, and how it goes wrong. */
export interface WireFake<Code extends string = string> {
  readonly name: string;
  readonly title: string;
  /**
   * For msw: `setupServer(...fake.handlers)`. They see what goes through `fetch` and `node:http`, not the providers of Sendonce.
   * @throws SendonceError DRIVER_MISSING where the package `msw` is not installed; nothing else needs it.
   */
  readonly handlers: readonly HttpHandler[];
  /** The same vendor at a free port of this host, for the `baseUrl` of any client. A second call opens another port. */
  listen(): Promise<Listening>;
  /** What was taken, in order. */
  readonly mailbox: readonly Accepted[];
  /** Every request that was read to its end, whatever was answered, in order. */
  readonly requests: readonly WireRequest[];
  /** The next `times` requests that send go wrong this way, after those that were told before. @defaultValue once */
  next(fault: Fault<Code>, times?: number): void;
  /** All requests that send, for which `next` says nothing, go wrong this way; null: none. */
  always(fault: Fault<Code> | null): void;
  /** Forgets everything: mailbox, requests, keys, faults. */
  reset(): void;
  /** The codes of `refuse`, with what the vendor says and what it means. */
  readonly refusals: Refusals<Code>;
  /** How long it knows a key, ms; null: it knows none. */
  readonly keyWindowMs: number | null;
  /** How long its search does not know of what was taken, ms; null: it cannot be asked. */
  readonly settleMs: number | null;
}

const SECOND_MS = 1_000;

/** The one mechanism of all fakes: what a vendor's tables say becomes a handle. */
export function wireFake<Code extends string>(
  vendor: Vendor<Code>,
  behaviour: Behaviour<Code>,
  open: typeof listenHttp2 = (serving) => listen(vendor.basePath ?? '', serving),
): WireFake<Code> {
  const { now = Date.now, perSecond = Infinity, refuseTo = {}, settleMs = vendor.settleMs ?? 0 } = behaviour;
  const mailbox: Accepted[] = [];
  const requests: WireRequest[] = [];
  const script: Fault<Code>[] = [];
  let recent: number[] = [];
  let standing: Fault<Code> | null = null;
  let ids = 0;
  let handlers: readonly HttpHandler[] | null = null;
  const keys = keyMemory(vendor.keys ?? { windowMs: 0 });
  const log: Log = { settled: () => mailbox.filter(({ at }) => now() - at >= settleMs), now };

  const refused = (code: Code, words?: string): WireAnswer => {
    const { status, says, code: written = code } = vendor.refusals[code];
    return vendor.refusal(written, words ?? says, status);
  };

  function throttled(retryAfterS?: number): WireAnswer {
    const answer = refused(vendor.throttles);
    if (retryAfterS === undefined) return answer;
    if (vendor.wait !== undefined) return vendor.wait(answer, retryAfterS, now());
    return { ...answer, headers: { ...answer.headers, 'retry-after': String(retryAfterS) } };
  }

  function failed(status: number): WireAnswer {
    return vendor.fails?.(status) ?? html(status, 'Server Error');
  }

  function isTooMany(): boolean {
    recent = recent.filter((at) => now() - at < SECOND_MS);
    if (recent.length >= perSecond) return true;
    if (perSecond !== Infinity) recent.push(now());
    return false;
  }

  /** What is answered without a look at the message; null: it is looked at. */
  function instead(fault: Fault<Code> | null): WireAnswer | Dropped | null {
    switch (fault?.kind) {
      case 'drop-before-accept':
        return 'dropped';
      case 'throttle':
        return throttled(fault.retryAfterS);
      case 'server-error':
        return fault.accepted === true ? null : failed(fault.status);
      case 'refuse':
        return refused(fault.code);
      case 'html-200':
        return html(200, 'Sign in to this network');
      case 'redirect':
        return { status: 307, headers: { location: 'https://elsewhere.invalid/' } };
      case 'drop-after-accept':
      case 'empty-200':
      case 'late':
      case undefined:
        return null;
    }
  }

  /** What the vendor itself answers, and the key under which it took something. */
  function judged(request: WireRequest): { readonly answer: WireAnswer; readonly key: string | null } {
    const read = vendor.read(request, log);
    if ('answer' in read) return { answer: read.answer, key: null };
    if ('refused' in read) return { answer: refused(read.refused, read.words), key: null };
    const { key, to, body } = read;
    const first = key === null || vendor.keys === undefined ? null : keys.find(key, request, now());
    const repeated = first === null ? null : (vendor.keys?.repeat(first, request) ?? null);
    if (repeated !== null) return { answer: repeated, key: null };
    const unwanted = to.map((each) => refuseTo[each]).find((code) => code !== undefined);
    if (unwanted !== undefined) return { answer: refused(unwanted), key: null };
    const id = vendor.id((ids += 1), request);
    const accepted = to.map((each) => ({ id, to: each, key, body, at: now() }));
    mailbox.push(...accepted);
    const answer = vendor.taken(accepted, request);
    if (key !== null && vendor.keys !== undefined) keys.keep(key, request, { answer, accepted }, now());
    return { answer, key };
  }

  async function serve(request: WireRequest, keepsAwake: boolean): Promise<WireAnswer | Dropped> {
    requests.push(request);
    if (!vendor.isSend(request)) return vendor.elsewhere?.(request, log) ?? vendor.notFound;
    const fault = script.shift() ?? standing;
    const early = instead(fault) ?? (isTooMany() ? throttled() : null);
    if (early !== null) return early;
    const { answer, key } = judged(request);
    switch (fault?.kind) {
      case 'drop-after-accept':
        return 'dropped';
      case 'empty-200':
        return { status: 200 };
      case 'server-error':
        return failed(fault.status);
      case 'late':
        if (key !== null) keys.inFlight(key, true);
        await setTimeout(fault.ms, undefined, { ref: keepsAwake });
        if (key !== null) keys.inFlight(key, false);
        return answer;
      default:
        return answer;
    }
  }

  return {
    name: vendor.name,
    title: vendor.title,
    // When they are asked for, and not before: what adds to a fake assigns to it, and copies nothing.
    get handlers() {
      handlers ??= vendor.origin === null ? [] : handlersOf(vendor.origin, (request) => serve(request, true));
      return handlers;
    },
    listen: () => open((request) => serve(request, false)),
    mailbox,
    requests,
    next(fault, times = 1) {
      for (let i = 0; i < times; i += 1) script.push(fault);
    },
    always: (fault) => void (standing = fault),
    reset() {
      for (const list of [mailbox, requests, script, recent]) list.length = 0;
      standing = null;
      keys.clear();
    },
    refusals: vendor.refusals,
    keyWindowMs: vendor.keys?.windowMs ?? null,
    settleMs: vendor.settleMs === undefined ? null : settleMs,
  };
}
