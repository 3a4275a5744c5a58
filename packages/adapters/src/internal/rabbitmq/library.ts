import { createRequire } from 'node:module';
import { installed } from '../installed.ts';

/** What we use of amqplib. Its recovery is not: it makes connections anew, but not the channels on them that a server closes. */
export interface AmqpLibrary {
  connect(url: string, socketOptions: object): Promise<AmqpConnection>;
}

export interface AmqpConnection {
  createChannel(): Promise<AmqpChannel>;
  createConfirmChannel(): Promise<AmqpChannel>;
  on(event: string, listener: (about?: unknown) => void): unknown;
  close(): Promise<void>;
}

export interface AmqpMessage {
  readonly content: Buffer;
  readonly fields: { readonly redelivered?: boolean };
  readonly properties: {
    readonly messageId?: unknown;
    readonly headers?: Readonly<Record<string, unknown>> | undefined;
  };
}

export interface AmqpChannel {
  assertQueue(name: string, options: object): Promise<unknown>;
  checkQueue(name: string): Promise<{ readonly messageCount: number }>;
  prefetch(count: number): Promise<unknown>;
  get(name: string): Promise<AmqpMessage | false>;
  consume(name: string, heard: (message: AmqpMessage | null) => void): Promise<unknown>;
  /** On a channel with confirms. */
  publish(
    exchange: string,
    routingKey: string,
    content: Buffer,
    options: object,
    confirmed: (refused: unknown) => void,
  ): boolean;
  ack(message: AmqpMessage): void;
  nack(message: AmqpMessage, allUpTo: boolean, requeue: boolean): void;
  on(event: 'return', listener: (message: AmqpMessage) => void): unknown;
  on(event: string, listener: (about?: unknown) => void): unknown;
}

/**
 * Loads what is installed.
 * @throws SendonceError DRIVER_MISSING when the package is not.
 */
export function amqpLibrary(find: () => AmqpLibrary = library): AmqpLibrary {
  return installed(find, "RabbitMQ needs the 'amqplib' package, 1.2 or later; run: npm install amqplib");
}

const load = createRequire(import.meta.url);

function library(): AmqpLibrary {
  return load('amqplib') as AmqpLibrary;
}
