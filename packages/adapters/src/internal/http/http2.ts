import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { whenOver, type Deadline } from '../deadline.ts';
import { problemOf } from '../open-socket.ts';
import type { HttpLimits, HttpPost, HttpResult } from './post.ts';

/** A host that is spoken to over one HTTP/2 session, which is kept. */
export interface Http2Host {
  /**
   * Sends one request, once. `not-sent` where no session is to be had, or the other side says that it did not look at the request (RFC 9113
   * 8.7); `unknown` for whatever else ends it without an answer. Never rejects.
   */
  readonly post: (call: HttpPost, limits: HttpLimits) => Promise<HttpResult>;
  close(): void;
}

/** After a pause as long as this a session is asked whether it still is one, ms: what went away in silence is not known otherwise. */
const PING_AFTER_MS = 10_000;
const PING_MS = 2_000;
const MOST_BYTES = 65_536;

interface Kept {
  readonly session: ClientHttp2Session;
  /** The last stream that the other side has looked at; Infinity until it says goodbye. */
  lastSeen: number;
  lastUsed: number;
  isGone: boolean;
  underWay: number;
  /** Who waits for a stream, in order. */
  readonly waiting: Set<() => void>;
}

export function http2Host(origin: string, pingAfterMs: number = PING_AFTER_MS): Http2Host {
  let kept: Promise<Kept> | null = null;

  async function opened(deadline: Deadline, limitMs: number): Promise<Kept> {
    const asked = kept;
    const found = await asked?.catch(() => null);
    if (found !== null && found !== undefined && (await isAlive(found, pingAfterMs))) return found;
    // Another send may have opened one while this one asked.
    if (kept === asked) kept = open(origin, limitMs, deadline.signal);
    return kept!;
  }

  return {
    async post(call, limits) {
      const { deadline, timeoutMs } = limits;
      const endsAt = performance.now() + timeoutMs;
      let used: Kept;
      try {
        used = await opened(deadline, Math.min(timeoutMs, deadline.startMs()));
      } catch (error) {
        return { kind: 'not-sent', reason: `no session with ${origin}: ${problemOf(error)}` };
      }
      const waitMs = Math.min(endsAt - performance.now(), deadline.startMs());
      if (!(await turn(used, waitMs, deadline.signal)))
        return { kind: 'not-sent', reason: `no stream of the session with ${origin} was free in time` };
      const leftMs = Math.min(endsAt - performance.now(), deadline.leftMs());
      used.lastUsed = performance.now();
      try {
        if (leftMs <= 0) return { kind: 'not-sent', reason: 'the send deadline passed before the first byte' };
        return await exchange(used, call, { ...limits, timeoutMs: leftMs });
      } finally {
        used.underWay -= 1;
        next(used);
      }
    },
    close() {
      void kept?.then(
        ({ session }) => session.close(),
        () => undefined,
      );
      kept = null;
    },
  };
}

function open(origin: string, limitMs: number, signal: AbortSignal): Promise<Kept> {
  return new Promise((resolve, reject) => {
    const session = connect(origin);
    const kept: Kept = {
      session,
      lastSeen: Infinity,
      lastUsed: performance.now(),
      isGone: false,
      underWay: 0,
      waiting: new Set(),
    };
    const fail = (error: Error): void => {
      kept.isGone = true;
      stop();
      session.destroy();
      next(kept);
      reject(error);
    };
    const stop = whenOver(limitMs, signal, () => fail(new Error('no connection in time')));
    session.on('goaway', (_code: number, lastSeen: number) => {
      kept.lastSeen = lastSeen;
      kept.isGone = true;
    });
    session.on('error', fail).on('close', () => fail(new Error('the connection was closed')));
    // How many streams there may be is in the other side's settings.
    session.on('remoteSettings', () => next(kept));
    session.once('remoteSettings', () => {
      stop();
      // What is kept for later must not keep a process from ending; a request has a timer of its own.
      session.unref();
      resolve(kept);
    });
  });
}

/** Waits until the other side allows one stream more. Here, not in the session: what waits there counts as sent. */
function turn(kept: Kept, limitMs: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const mayGo = (): void => {
      stop();
      kept.underWay += 1;
      resolve(true);
    };
    const stop = whenOver(limitMs, signal, () => {
      kept.waiting.delete(mayGo);
      resolve(false);
    });
    kept.waiting.add(mayGo);
    next(kept);
  });
}

function next(kept: Kept): void {
  // A session that is over has no limit: what is tried on it fails at once, before a byte.
  const isOver = kept.isGone || kept.session.destroyed;
  const most = isOver ? Infinity : (kept.session.remoteSettings.maxConcurrentStreams ?? Infinity);
  for (const mayGo of kept.waiting) {
    if (kept.underWay >= most) return;
    kept.waiting.delete(mayGo);
    mayGo();
  }
}

function isAlive(kept: Kept, pingAfterMs: number): Promise<boolean> {
  const { session } = kept;
  if (kept.isGone || session.closed || session.destroyed) return Promise.resolve(false);
  if (performance.now() - kept.lastUsed < pingAfterMs) return Promise.resolve(true);
  return new Promise((resolve) => {
    const answered = (isThere: boolean): void => {
      clearTimeout(timer);
      if (isThere) kept.lastUsed = performance.now();
      else session.destroy();
      resolve(isThere);
    };
    const timer = setTimeout(() => answered(false), PING_MS);
    if (!session.ping((error) => answered(error === null))) answered(false);
  });
}

function exchange(kept: Kept, { url, headers, body }: HttpPost, limits: HttpLimits): Promise<HttpResult> {
  const { deadline, timeoutMs, bodyMs } = limits;
  let stream: ClientHttp2Stream;
  try {
    stream = kept.session.request({ ':method': 'POST', ':path': `${url.pathname}${url.search}`, ...headers });
  } catch (error) {
    return Promise.resolve({ kind: 'not-sent', reason: `the session ended before the request (${problemOf(error)})` });
  }
  const began = performance.now();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let said: Omit<Extract<HttpResult, { kind: 'answered' }>, 'body'> | null = null;
    let problem = 'the stream was closed before an answer';
    const finish = (isWhole: boolean): void => {
      stop();
      if (said !== null) resolve({ ...said, body: isWhole ? Buffer.concat(chunks).toString() : null });
      else if (wasIgnored(stream, kept)) resolve({ kind: 'not-sent', reason: `refused unread: ${problem}` });
      else resolve({ kind: 'unknown', reason: problem });
      stream.close(constants.NGHTTP2_CANCEL);
    };
    const late = (): void => {
      problem = `no answer within ${Math.round(performance.now() - began)} ms`;
      finish(false);
    };
    let stop = whenOver(timeoutMs, deadline.signal, late);
    stream.on('response', ({ ':status': status = 0, ...rest }) => {
      stop();
      said = { kind: 'answered', status, headers: rest };
      stop = whenOver(Math.min(bodyMs, timeoutMs - (performance.now() - began)), deadline.signal, late);
    });
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MOST_BYTES) finish(false);
    });
    stream.on('end', () => said !== null && finish(true));
    stream.on('error', (error) => (problem = `the stream broke before an answer (${problemOf(error)})`));
    stream.on('close', () => finish(false));
    stream.end(body);
  });
}

/** Whether the other side says that it has not looked at this request: RFC 9113 8.7. */
function wasIgnored({ rstCode, id }: ClientHttp2Stream, { lastSeen }: Kept): boolean {
  return rstCode === constants.NGHTTP2_REFUSED_STREAM || (id !== undefined && id > lastSeen);
}
