import { isAmqp, isBare, isRedis, isSqs, masked } from '../real/address.ts';
import { bareAddress, flagError } from './flag-error.ts';

/** What `--queue` asks for. `simulated`: the harness's own. */
export type QueueChoice =
  | { readonly kind: 'none' | 'simulated' }
  /** A server, for real processes. */
  | { readonly kind: 'server'; readonly address: string };

/** Reads `--queue` and `--no-queue`; null: neither is given. @throws SendonceError `FLAG_INVALID` */
export function parseQueue(text: string | undefined, isNone: boolean): QueueChoice | null {
  if (isNone) return { kind: 'none' };
  if (text === undefined) return null;
  if (text === 'none' || text === 'simulated') return { kind: text };
  if (text === 'redis:' || text === 'amqp:' || isRedis(text) || isSqs(text) || isAmqp(text))
    return { kind: 'server', address: text };
  throw isBare(text) ? bareAddress('queue', text, FORMS) : flagError('queue', masked(text), FORMS);
}

const FORMS =
  'simulated, none, or with --real a server, such as redis://127.0.0.1:6379, sqs+http://127.0.0.1:4566 or amqp://127.0.0.1:5672; or redis: or amqp: alone, for one that the run starts itself';
