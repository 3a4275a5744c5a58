import type { Inbox, InboxChanges, InboxOwner } from '../inbox.ts';
import { tokenWithin } from '../tokens.ts';

export interface LiveOptions {
  readonly heartbeatMs: number;
  readonly retryMs: number;
}

/** What may wait for a client that reads slowly, bytes; one part of changes more. */
const MOST_WAITING_BYTES = 65_536;
/** Heartbeats in a row without anything read, after which a client is given up: it resumes where it was when it comes again. */
const MOST_STALLED = 2;

export const LIVE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // nginx would keep events until it has a bufferful.
  'x-accel-buffering': 'no',
};

/** How long until a browser comes again to what could not be opened now. It comes to an answer of 200 alone. */
const BUSY_RETRY_MS = 60_000;

/** In place of a stream, where there are too many or the store is out of reach: a browser tries again by itself. */
export function comeAgain(retryMs: number = BUSY_RETRY_MS): Response {
  return new Response(`retry: ${retryMs}\n\n`, { headers: LIVE_HEADERS });
}

/**
 * Server-sent events of one inbox: a `message` for each that came in or was changed, as it is now; `unread`, the count; `reset`, when what
 * the client shows is to be listed again. Each has an id by which a client that comes again goes on.
 */
export function liveBody(
  inbox: Pick<Inbox, 'watch'>,
  owner: InboxOwner,
  {
    since,
    unread,
    signal,
    over,
    heartbeatMs,
    retryMs,
  }: LiveOptions & {
    readonly since: string;
    /** Told at once: a client that comes again may have missed the count after its last message. */
    readonly unread: number;
    readonly signal: AbortSignal;
    /** Called once, when the stream is over, however it ended. */
    readonly over: () => void;
  },
): ReadableStream<Uint8Array> {
  const stop = new AbortController();
  const encoder = new TextEncoder();
  const changes = inbox.watch({ ...owner, since, signal: stop.signal })[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | undefined;
  let stalled = 0;

  function end(): void {
    if (stop.signal.aborted) return;
    stop.abort();
    clearInterval(timer);
    // Where it waits for room, nobody else would end it.
    void changes.return?.().catch(() => undefined);
    signal.removeEventListener('abort', end);
    over();
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const say = (text: string): void => controller.enqueue(encoder.encode(text));
        say(`retry: ${retryMs}\n\n${frame('unread', since, { unread })}`);
        timer = setInterval(() => {
          stalled = (controller.desiredSize ?? 0) > 0 ? 0 : stalled + 1;
          if (stalled === 0) say(':\n\n');
          if (stalled < MOST_STALLED) return;
          end();
          controller.error(new Error('the client does not read what it is sent'));
        }, heartbeatMs);
        signal.addEventListener('abort', end);
        if (signal.aborted) end();
      },
      /** Asked only when there is room: a slow client costs no memory. */
      async pull(controller) {
        try {
          const next: IteratorResult<InboxChanges, unknown> = await changes.next();
          if (next.done !== true) return controller.enqueue(encoder.encode(framesOf(next.value)));
        } catch {
          // The store is out of reach. The client comes again, and goes on from the last that it got.
        }
        const wasOver = stop.signal.aborted;
        end();
        if (!wasOver || signal.aborted) controller.close();
      },
      cancel: end,
    },
    { highWaterMark: MOST_WAITING_BYTES, size: (part) => part?.byteLength ?? 0 },
  );
}

function framesOf({ changes, since, unread, isReset, isMore }: InboxChanges): string {
  if (isReset) return frame('reset', since, { unread });
  const messages = changes.map((message) => frame('message', tokenWithin(since, message.change), message));
  // The count is ahead while there is more to come.
  return messages.join('') + (isMore ? '' : frame('unread', since, { unread }));
}

/** JSON has no line break of its own. */
function frame(event: 'message' | 'unread' | 'reset', id: string, data: unknown): string {
  return `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}
