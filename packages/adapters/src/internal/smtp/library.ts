import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { installed } from '../installed.ts';

/** What we use of nodemailer: one connection, and the making of MIME. Its transports and its pool decide too much by themselves. */
export interface MailLibrary {
  readonly SmtpConnection: new (options: SmtpConnectionOptions) => SmtpConnectionLike;
  readonly MailComposer: new (mail: object) => MailComposerLike;
}

export interface SmtpConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly connection: Socket;
  readonly secure: boolean;
  readonly secured: boolean;
  readonly requireTLS: boolean;
  readonly name?: string;
  readonly tls?: ConnectionOptions;
  readonly logger: false;
}

/** What an error of the library says; every field may be missing. */
export interface SmtpError extends Error {
  readonly code?: string | undefined;
  readonly command?: string | undefined;
  readonly response?: string | undefined;
  readonly responseCode?: number | undefined;
}

/** For what this side finds out, in the words of the library. */
export function smtpError(message: string, code: string): SmtpError {
  return Object.assign(new Error(message), { code });
}

export type Done<Result = unknown> = (error: SmtpError | null | undefined, result?: Result) => void;

export interface SmtpConnectionLike extends EventEmitter {
  /** The last reply, complete: after connecting, the one to EHLO. */
  readonly lastServerResponse: string | false;
  connect(done: Done): void;
  login(auth: object, done: Done): void;
  send(envelope: object, message: Readable, done: Done<{ readonly response: string }>): void;
  reset(done: Done): void;
  quit(): void;
  close(): void;
}

export interface MailComposerLike {
  compile(): { build(done: (error: Error | null, bytes: Buffer) => void): void };
}

/**
 * Loads what is installed.
 * @throws SendonceError DRIVER_MISSING when the package is not.
 */
export function mailLibrary(find: () => MailLibrary = library): MailLibrary {
  return installed(find, "smtp() needs the 'nodemailer' package, 10.1 or later; run: npm install nodemailer");
}

const load = createRequire(import.meta.url);

function library(): MailLibrary {
  return {
    SmtpConnection: load('nodemailer/lib/smtp-connection') as MailLibrary['SmtpConnection'],
    MailComposer: load('nodemailer/lib/mail-composer') as MailLibrary['MailComposer'],
  };
}
