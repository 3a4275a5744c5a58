import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { whenOver, type Deadline } from '../deadline.ts';
import { openSocket } from '../open-socket.ts';
import { smtpError, type Done, type MailLibrary, type SmtpConnectionLike, type SmtpError } from './library.ts';
import { MessageStream } from './message-stream.ts';
import { isRefusal, type SmtpFailure } from './replies.ts';

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly requireTls: boolean;
  readonly auth: { readonly user: string; readonly pass: string } | null;
  readonly tls: ConnectionOptions;
  /** What we call ourselves in EHLO; null: this host's name. */
  readonly clientName: string | null;
}

export interface Envelope {
  readonly from: string;
  readonly to: string;
}

export type Transfer =
  { readonly kind: 'taken'; readonly response: string } | ({ readonly kind: 'failed' } & SmtpFailure);

/** How long a server gets to answer a QUIT. */
const QUIT_MS = 1_000;

/**
 * One connection to the server, logged in: opened, used for one message after another, closed. Once `isDead` it stays so. We open the
 * socket ourselves and hand it to the library: what fails before is certain, and what has to end at once is destroyed by us.
 */
export class SmtpSession {
  readonly #socket: Socket;
  readonly #connection: SmtpConnectionLike;
  #takesUtf8 = false;
  #isDead = false;
  #needsReset = false;
  #sent = 0;
  /** Fails whatever is asked at the moment. */
  #fail: (error: SmtpError) => void = () => undefined;
  #died: () => void = () => undefined;

  private constructor(socket: Socket, connection: SmtpConnectionLike) {
    this.#socket = socket;
    this.#connection = connection;
    connection.on('error', (error: SmtpError) => this.#end(error));
    // What ended it may be told after the end, by the answer to what was asked: let that speak first.
    connection.on('end', () => setImmediate(() => this.#end(smtpError('the connection was closed', 'ECONNECTION'))));
  }

  /** Rejects with the reason; nothing of any message has left then. */
  static async open(server: SmtpServer, library: MailLibrary, deadline: Deadline): Promise<SmtpSession> {
    const { host, port, secure, requireTls, auth, tls, clientName } = server;
    const socket = await openSocket({ host, port, tls: secure ? tls : null }, deadline.startMs(), deadline.signal);
    const connection = new library.SmtpConnection({
      host,
      port,
      connection: socket,
      secure,
      secured: secure,
      requireTLS: requireTls,
      tls,
      logger: false,
      ...(clientName === null ? {} : { name: clientName }),
    });
    const session = new SmtpSession(socket, connection);
    try {
      await session.#ask(deadline, (done) => connection.connect(done));
      session.#takesUtf8 = /^250[ -]SMTPUTF8\b/im.test(String(connection.lastServerResponse));
      if (auth !== null) await session.#ask(deadline, (done) => connection.login({ ...auth }, done));
      return session;
    } catch (error) {
      session.destroy();
      throw error;
    }
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** How many messages it was given. */
  get sent(): number {
    return this.#sent;
  }

  /** Whether the server takes addresses with letters beyond ASCII before the @. */
  get takesUtf8(): boolean {
    return this.#takesUtf8;
  }

  /** Called when the connection ends, at once if it has. */
  onDeath(died: () => void): void {
    this.#died = died;
    if (this.#isDead) died();
  }

  /** Hands over one message, once. Never rejects. After a failure without a reply the session is dead. */
  async transfer(envelope: Envelope, bytes: Buffer, deadline: Deadline): Promise<Transfer> {
    this.#sent += 1;
    const message = new MessageStream(bytes, deadline);
    try {
      if (this.#needsReset) await this.#reset(deadline);
      const { response } = await this.#hand(envelope, bytes.length, message, deadline);
      if (!message.ended) throw smtpError(`answered before the message was complete: ${response}`, 'EPROTOCOL');
      return { kind: 'taken', response };
    } catch (thrown) {
      const error = thrown as SmtpError;
      const { begun, ended } = message;
      // A refused message leaves the connection as good as it was. After anything else the next reply might still be to this one.
      if (isRefusal(error) && (ended || !begun)) this.#needsReset = true;
      else this.destroy();
      return { kind: 'failed', error, begun };
    } finally {
      message.destroy();
    }
  }

  async #reset(deadline: Deadline): Promise<void> {
    await this.#ask(deadline, (done) => this.#connection.reset(done)).catch((error: Error) => {
      // Whatever it answered: it is about this connection, not about the message.
      throw smtpError(`the kept connection could not be used again (${error.message})`, 'ECONNECTION');
    });
    this.#needsReset = false;
  }

  async #hand(envelope: Envelope, size: number, message: MessageStream, deadline: Deadline): Promise<Taken> {
    // Until its first byte there is a certain answer to give, which has to be heard in time; then all the time is the server's.
    const stopStart = whenOver(deadline.startMs(), deadline.signal, () => {
      if (!message.begun) this.#abort(TOO_SLOW);
    });
    const stop = whenOver(deadline.leftMs(), deadline.signal, () => this.#abort('no answer before the send deadline'));
    try {
      return await this.#asked((done) => this.#connection.send({ ...envelope, size }, message, done));
    } finally {
      stopStart();
      stop();
    }
  }

  /** Says goodbye, and waits a second for the server to do so. Never rejects. */
  quit(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.destroy(), QUIT_MS);
      this.onDeath(() => {
        clearTimeout(timer);
        this.#socket.destroy();
        resolve();
      });
      if (!this.#isDead) this.#connection.quit();
    });
  }

  /** Ends it now: no byte leaves after this. */
  destroy(): void {
    this.#abort('the connection was given up');
  }

  #abort(message: string): void {
    this.#socket.destroy();
    this.#end(smtpError(message, 'ECONNECTION'));
    this.#connection.close();
  }

  #end(error: SmtpError): void {
    this.#fail(error);
    if (this.#isDead) return;
    this.#isDead = true;
    this.#died();
  }

  /** Something asked before a message: it has to be answered while "not sent" can still be heard. */
  async #ask(deadline: Deadline, start: (done: Done) => void): Promise<void> {
    const stop = whenOver(deadline.startMs(), deadline.signal, () => this.#abort(TOO_SLOW));
    try {
      await this.#asked(start);
    } finally {
      stop();
    }
  }

  #asked<Result>(start: (done: Done<Result>) => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      start((error, result) => {
        if (error) reject(error);
        else resolve(result as Result);
      });
    });
  }
}

interface Taken {
  readonly response: string;
}

const TOO_SLOW = 'the server took too long before the message';
