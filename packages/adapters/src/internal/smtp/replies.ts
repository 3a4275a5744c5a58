import type { Outcome, RejectionScope } from '@sendonce/core';
import type { SmtpError } from './library.ts';

/** What a failed attempt left behind. */
export interface SmtpFailure {
  readonly error: SmtpError;
  /** Whether a byte of the message itself was handed to the connection. Until then the server cannot have it, whatever happened. */
  readonly begun: boolean;
}

/**
 * What a failure proves. The library calls a connection that was lost after the message the same as one that never came up, so its codes
 * count only together with what we know ourselves: whether the message was begun. After that, nothing but a reply to it is an answer.
 */
export function outcomeOfFailure({ error, begun }: SmtpFailure): Outcome {
  const reply = replyIn(error);
  if (begun && !(error.code === 'EMESSAGE' && reply !== null))
    return { kind: 'unknown', reason: `the message had begun, and no answer to it came (${error.message})` };
  if (reply === null) return unanswered(error);
  const { code } = reply;
  // A log-in that fails for now is this server's trouble: another provider may take its place at once.
  if (code < 500)
    return isAuth(error) ? { kind: 'not-sent', reason: error.message } : { kind: 'deferred', reason: error.message };
  const scope = scopeOf(error, reply);
  return {
    kind: 'rejected',
    scope,
    reason: error.message,
    code: reply.enhanced ?? String(code),
    ...(scope === 'destination' && MAY_PASS.test(reply.enhanced ?? '') ? { goneAt: null } : {}),
  };
}

/** True when a kept connection had ended before it was used again: then a fresh one may be tried in the same attempt. */
export function isStale({ error, begun }: SmtpFailure): boolean {
  const reply = replyIn(error);
  return !begun && (reply === null ? error.code !== 'EMESSAGE' : reply.code === 421);
}

/** True for a refusal of one message by a server that goes on listening: 421 announces that it does not. */
export function isRefusal(error: SmtpError): boolean {
  const reply = replyIn(error);
  return reply !== null && reply.code !== 421 && (error.code === 'EENVELOPE' || error.code === 'EMESSAGE');
}

interface Reply {
  readonly code: number;
  /** RFC 3463, like '5.1.1'. */
  readonly enhanced: string | null;
}

function replyIn({ response = '', responseCode = 0 }: SmtpError): Reply | null {
  if (responseCode < 400 || responseCode > 599) return null;
  return { code: responseCode, enhanced: /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] ?? null };
}

function unanswered(error: SmtpError): Outcome {
  // The library's own refusal of what is longer than the server says it takes.
  if (error.code === 'EMESSAGE') return { kind: 'rejected', scope: 'message', reason: error.message };
  if (error.code === 'EAUTH' && error.command === 'API')
    return { kind: 'rejected', scope: 'provider', reason: error.message };
  return { kind: 'not-sent', reason: error.message };
}

function isAuth({ code, command = '' }: SmtpError): boolean {
  return code === 'EAUTH' || command.startsWith('AUTH') || command === 'STARTTLS';
}

/** RFC 3463: a mailbox that is full or takes nothing so large, a network that does not lead there today. A mailbox that is disabled (5.2.1) is gone. */
const MAY_PASS = /^5\.(2\.[^1]|4\.)/;

/** Credentials and encryption that the server wants, commands that it does not know. */
const OF_PROVIDER: ReadonlySet<number> = new Set([500, 502, 503, 504, 521, 530, 534, 535, 538]);

function scopeOf(error: SmtpError, { code, enhanced }: Reply): RejectionScope {
  const { command = '' } = error;
  const stage = error.code === 'EMESSAGE' ? 'message' : command;
  if (isAuth(error) || OF_PROVIDER.has(code) || !STAGES.has(stage)) return 'provider';
  if (code === 552 && !/^5\.2\./.test(enhanced ?? '')) return 'message';
  switch (stage) {
    // The sender is part of the configuration, and so is the right to use this server.
    case 'MAIL FROM':
      return 'provider';
    case 'RCPT TO':
      return /^5\.7\./.test(enhanced ?? '') ? 'provider' : 'destination';
    default:
      return /^5\.(1\.[^78]|2\.|4\.)/.test(enhanced ?? '') ? 'destination' : 'message';
  }
}

/** Where a refusal is about one message; before them, it is about this server and us. */
const STAGES: ReadonlySet<string> = new Set(['MAIL FROM', 'RCPT TO', 'DATA', 'message']);

/** How the servers that say so name what they took: Postfix, Exim, SES, Sendmail, Exchange. */
const QUEUED_AS: readonly RegExp[] = [
  /\bqueued as ([\w.-]{4,64})/i,
  /\bid=([\w.-]{4,64})/,
  /\bInternalId=(\d{4,64})/,
  /^250 (?:2\.0\.0 )?Ok ([0-9a-f]+(?:-[0-9a-f]+)+)$/i,
  /^250 2\.0\.0 ([\w.-]{8,64}) Message accepted/i,
];

/** The server's own id in its reply to the message, where it names one. */
export function queueIdIn(response: string): string | null {
  for (const form of QUEUED_AS) {
    const id = form.exec(response)?.[1];
    if (id !== undefined) return id;
  }
  return null;
}
