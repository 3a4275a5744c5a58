import { createRequire } from 'node:module';
import { SendonceError } from '@sendonce/core';

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
export function amqpLibrary(find: () => AmqpLibrary = installed): AmqpLibrary {
  try {
    return find();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    const message = "RabbitMQ needs the 'amqplib' package, 1.2 or later; run: npm install amqplib";
    throw new SendonceError('DRIVER_MISSING', message, { cause: error });
  }
}

const load = createRequire(import.meta.url);

function installed(): AmqpLibrary {
  return load('amqplib') as AmqpLibrary;
}
