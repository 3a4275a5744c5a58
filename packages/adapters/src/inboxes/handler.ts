import { FUNCTION_RULE, isFields, numberRule, type Rule } from '@sendonce/core/internal';
import { failed, empty, json, refused } from '../internal/inbox/http/answers.ts';
import { comeAgain, LIVE_HEADERS, liveBody } from '../internal/inbox/http/live.ts';
import { ROUTES, TooLong } from '../internal/inbox/http/routes.ts';
import { ownerIn } from '../internal/inbox/checks.ts';
import type { Inbox, InboxOwner } from '../internal/inbox/inbox.ts';
import { nameOf, type Owner } from '../internal/inbox/store.ts';
import { readToken } from '../internal/inbox/tokens.ts';
import { checkAdapter } from '../internal/options.ts';
import { reasonIn } from '../internal/retrying.ts';

export { nodeListener } from '../internal/inbox/http/node-listener.ts';
export type * from '../internal/inbox/inbox.ts';

export interface InboxHandlerOptions {
  readonly inbox: Inbox;
  /** Whose inbox a request is about: from the session, never from what the caller says. Null: 401. What it throws is a 500. */
  readonly who: (request: Request) => InboxOwner | null | Promise<InboxOwner | null>;
  /** Where it is mounted. @defaultValue '/inbox' */
  readonly path?: string;
  /** How often a stream is kept awake, 10 to 600,000 ms: more often than anything in between gives it up. @defaultValue 15_000 */
  readonly heartbeatMs?: number;
  /** How long a browser waits before it comes again, 1 to 600,000 ms. @defaultValue 2_000 */
  readonly retryMs?: number;
  /** Streams of one recipient in this process, 1 to 1,000: one for each tab. A browser that opens more is told to come again in a minute. @defaultValue 20 */
  readonly maxStreams?: number;
  /** Is told what became a 500 or a 503. What it throws stops nothing. @defaultValue nobody is */
  readonly onError?: (error: unknown) => void;
}

/**
 * Answers the requests of a page that shows an inbox: `GET /` (list), `GET /unread`, `POST /read`, `/unread`, `/archive`, `/unarchive`, and
 * `GET /live` (server-sent events), below `path`. A POST has to be `application/json`, which no page of another site can send without
 * being asked first. Never rejects.
 * @throws SendonceError OPTION_INVALID
 */
export function inboxHandler(options: InboxHandlerOptions): (request: Request) => Promise<Response> {
  checkAdapter('inboxHandler', options, RULES);
  const { inbox, who, heartbeatMs = 15_000, retryMs = 2_000, maxStreams = 20 } = options;
  const base = (options.path ?? '/inbox').replace(/\/+$/, '');
  const streams = new Map<string, number>();

  async function live(request: Request, owner: Owner): Promise<Response> {
    const given = request.headers.get('last-event-id') ?? new URL(request.url).searchParams.get('since');
    if (given !== null) readToken('since', given);
    if (request.method === 'HEAD') return new Response(null, { headers: LIVE_HEADERS });
    const name = nameOf(owner);
    const open = streams.get(name) ?? 0;
    if (open >= maxStreams) return comeAgain();
    streams.set(name, open + 1);
    const over = (): void => {
      const left = (streams.get(name) ?? 1) - 1;
      if (left > 0) streams.set(name, left);
      else streams.delete(name);
    };
    try {
      const { unread, since } = await inbox.unread(owner);
      const { signal } = request;
      const stream = { since: given ?? since, unread, signal, over, heartbeatMs, retryMs };
      return new Response(liveBody(inbox, owner, stream), { headers: LIVE_HEADERS });
    } catch (error) {
      over();
      tell(error);
      return comeAgain(retryMs);
    }
  }

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const route = pathname === base ? '' : pathname.startsWith(`${base}/`) ? pathname.slice(base.length + 1) : null;
    const isLive = route === 'live';
    const methods = isLive ? { GET: live } : route !== null && Object.hasOwn(ROUTES, route) ? ROUTES[route] : undefined;
    if (route === null || methods === undefined) return empty(404);
    if (!Object.hasOwn(methods, method)) return empty(405, { allow: allowed(Object.keys(methods)) });
    if (method === 'POST' && !/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? ''))
      return refused(415, 'OPTION_INVALID', 'the body must be application/json');
    const owner = ownerOf(await who(request));
    if (owner === null) return empty(401);
    if (isLive) return live(request, owner);
    const act = ROUTES[route]?.[method as 'GET' | 'POST'];
    return act === undefined ? empty(404) : json(200, await act(inbox, owner, request));
  }

  function tell(error: unknown): void {
    try {
      options.onError?.(error);
    } catch {
      // It is the application's; there is nobody here to tell.
    }
  }

  return async (request) => {
    try {
      const made = await answer(request);
      return request.method === 'HEAD' ? new Response(null, made) : made;
    } catch (error) {
      if (error instanceof TooLong) return refused(413, 'OPTION_INVALID', error.message);
      const made = failed(error);
      if (made.status >= 500) tell(error);
      return made;
    }
  };
}

/** No more of what the application says than whose it is. A mistake of its own is no mistake of the caller's. */
function ownerOf(said: InboxOwner | null): Owner | null {
  if (said === null) return null;
  try {
    return ownerIn('inboxHandler: who', said);
  } catch (error) {
    throw new TypeError(reasonIn(error), { cause: error });
  }
}

function allowed(methods: readonly string[]): string {
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
}

const RULES: Record<keyof InboxHandlerOptions, Rule> = {
  inbox: {
    must: 'an inbox: postgresInbox(...), sqliteInbox(...), redisInbox(...)',
    fits: (value) => isFields(value) && typeof value['watch'] === 'function',
    required: true,
    hidden: true,
  },
  who: { ...FUNCTION_RULE, required: true },
  path: { must: "a path that begins with '/'", fits: (value) => typeof value === 'string' && value.startsWith('/') },
  heartbeatMs: numberRule({ least: 10, most: 600_000 }, ' ms'),
  retryMs: numberRule({ least: 1, most: 600_000, whole: true }, ' ms'),
  maxStreams: numberRule({ least: 1, most: 1_000, whole: true }),
  onError: FUNCTION_RULE,
};
