import type { ConnectionOptions } from 'node:tls';
import type { Outcome, Provider } from '@sendonce/core';
import { BOOLEAN_RULE, numberRule, textRule, type Rule, type Rules } from '@sendonce/core/internal';
import type { ProviderFacts } from '../internal/api/facts.ts';
import { deadlineOf } from '../internal/deadline.ts';
import { needsUtf8, noUtf8, SENDER_RULE, senderOf, wireAddress, type EmailAddress } from '../internal/email/address.ts';
import { DELIVERY_HEADER, mailOf, type Mail } from '../internal/email/mail.ts';
import { checkAdapter, OBJECT_RULE, SECRET_RULE } from '../internal/options.ts';
import { mailLibrary, type SmtpError } from '../internal/smtp/library.ts';
import { mimeOf } from '../internal/smtp/mime.ts';
import { outcomeOfFailure, queueIdIn } from '../internal/smtp/replies.ts';
import { SmtpSession, type SmtpServer, type Transfer } from '../internal/smtp/session.ts';
import { Sessions } from '../internal/smtp/sessions.ts';

export interface SmtpOptions {
  readonly host: string;
  /** 1 to 65,535. @defaultValue 465 with `secure`, else 587 */
  readonly port?: number;
  /** TLS from the first byte. Without it the connection is upgraded by STARTTLS where the server offers that. @defaultValue true for port 465 */
  readonly secure?: boolean;
  /** Sends nothing unless the connection is encrypted. @defaultValue true with `auth`, but for a server on this host */
  readonly requireTls?: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
  /** The sender: `a@example.com`, `Name <a@example.com>`, or `{ name, address }`. */
  readonly from: string | EmailAddress;
  /** Unique within the channel; renaming it changes the Message-ID of what is sent again. @defaultValue 'smtp' */
  readonly name?: string;
  /** What this side calls itself in EHLO. @defaultValue the name of this host where it has a full one, else [127.0.0.1] */
  readonly clientName?: string;
  /** Beside Node's defaults: an authority of your own, for one. */
  readonly tls?: ConnectionOptions;
  /** Connections at once, 1 to 1,000; further sends wait for one within their deadline. @defaultValue 10 */
  readonly maxConnections?: number;
  /** Messages per connection, at least 1. 1 opens a connection for every message. @defaultValue 100 */
  readonly messagesPerConnection?: number;
  /** How long a connection without work is kept, 1 to 600,000 ms. Shorter than the server's own limit. @defaultValue 10_000 */
  readonly idleMs?: number;
}

/** What is known of SMTP. */
export const SMTP: ProviderFacts = {
  name: 'smtp',
  title: 'any SMTP server',
  channels: ['email'],
  needs: 'nodemailer',
  capabilities: {
    idempotency: { kind: 'none' },
    lookup: 'none',
    correlation: { field: DELIVERY_HEADER, maxBytes: 255 },
    coalesce: false,
  },
  id: "our Message-ID, and the server's queue id if it names one",
  // The replies of SMTP are no codes of a vendor: the reference has a table of its own for them.
  outcomes: [],
};

/**
 * Sends each message to an SMTP server through the `nodemailer` package, one recipient per mail, at most one complete mail per attempt.
 * SMTP knows no idempotency keys and cannot be asked: a connection that is lost after the mail began leaves the outcome unknown. The
 * Message-ID is derived from the delivery's key, so every attempt carries the same.
 * @throws SendonceError OPTION_INVALID for an option that cannot work, DRIVER_MISSING without the package.
 */
export function smtp(options: SmtpOptions): Provider {
  check(options);
  const { name = SMTP.name, maxConnections = 10, messagesPerConnection = 100, idleMs = 10_000 } = options;
  const server = serverOf(options);
  const from = senderOf('from', options.from);
  const library = mailLibrary();
  const sessions = new Sessions({
    open: (deadline) => SmtpSession.open(server, library, deadline),
    most: maxConnections,
    messages: messagesPerConnection,
    idleMs,
  });
  let isClosed = false;

  return {
    name,
    capabilities: { ...SMTP.capabilities, lookup: 'none' },
    check(message) {
      const mail = mailOf(message, 'checked', from);
      return 'kind' in mail ? mail : null;
    },
    async send(message, context): Promise<Outcome> {
      const deadline = deadlineOf(context);
      if (isClosed) return { kind: 'not-sent', reason: `the provider '${name}' is closed` };
      if (deadline.leftMs() <= 0) return { kind: 'not-sent', reason: 'the send deadline passed before the first byte' };
      const mail = mailOf(message, context.key, from);
      if ('kind' in mail) return mail;
      const bytes = await mimeOf(mail, library).catch((error: Error) => error);
      if (bytes instanceof Error)
        return { kind: 'rejected', scope: 'message', reason: `the mail could not be made: ${bytes.message}` };
      const envelope = { from: wireAddress(from.address), to: wireAddress(mail.to) };
      const isForeign = needsUtf8(from.address) || needsUtf8(mail.to);
      try {
        return await sessions.run(deadline, async (session) => {
          if (isForeign && !session.takesUtf8) return { transfer: null, result: noUtf8('the server') };
          const transfer = await session.transfer(envelope, bytes, deadline);
          return { transfer, result: outcomeOf(transfer, mail) };
        });
      } catch (error) {
        // Only getting a connection rejects: nothing has begun.
        return outcomeOfFailure({ error: error as SmtpError, begun: false });
      }
    },
    async close() {
      isClosed = true;
      await sessions.close();
    },
  };
}

/** Our Message-ID, by which every copy can be found, and what the server calls it, by which its log can. */
function outcomeOf(transfer: Transfer, { messageId }: Mail): Outcome {
  if (transfer.kind === 'failed') return outcomeOfFailure(transfer);
  const queueId = queueIdIn(transfer.response);
  return { kind: 'accepted', providerMessageId: queueId === null ? messageId : `${messageId} ${queueId}` };
}

const LOOPBACK = /^(localhost|127\.[\d.]+|::1)$/i;

const HOST_RULE: Rule = {
  must: 'the name or address of a server',
  fits: (value) => typeof value === 'string' && /^[\w.:-]{1,253}$/.test(value),
  required: true,
};
const CLIENT_RULE: Rule = {
  must: 'a host name or an address in brackets',
  fits: (value) => typeof value === 'string' && /^[\w.:[\]-]{1,253}$/.test(value),
};

const RULES: Rules = {
  host: HOST_RULE,
  port: atMost(65_535),
  secure: BOOLEAN_RULE,
  requireTls: BOOLEAN_RULE,
  auth: OBJECT_RULE,
  from: SENDER_RULE,
  name: textRule(512),
  clientName: CLIENT_RULE,
  tls: OBJECT_RULE,
  maxConnections: atMost(1_000),
  messagesPerConnection: atMost(1_000_000),
  idleMs: atMost(600_000),
} satisfies Record<keyof SmtpOptions, Rule>;

const AUTH_RULES: Rules = { user: { ...SECRET_RULE, required: true }, pass: { ...SECRET_RULE, required: true } };

function atMost(most: number): Rule {
  return numberRule({ least: 1, most, whole: true });
}

function check(options: SmtpOptions): void {
  checkAdapter('smtp', options, RULES);
  if (options.auth !== undefined) checkAdapter('smtp: auth', options.auth, AUTH_RULES);
}

function serverOf(options: SmtpOptions): SmtpServer {
  const { host, auth = null, tls = {}, clientName = null } = options;
  const { secure = options.port === 465 } = options;
  const { port = secure ? 465 : 587, requireTls = auth !== null && !LOOPBACK.test(host) } = options;
  return { host, port, secure, requireTls, auth, tls, clientName };
}
