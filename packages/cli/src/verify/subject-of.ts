import type { Inbox } from '@sendonce/adapters/inboxes/memory';
import type { Destinations, Ledger, Queue } from '@sendonce/core';
import { ledgerCapabilities, type LedgerSubject, type QueueSubject } from '@sendonce/core/conformance';
import { checkPort, isFields, shown } from '@sendonce/core/internal';
import { SendonceError } from '@sendonce/core';
import { unknownAmong } from '../nearest.ts';
import { paced, wait } from './real-time.ts';
import type { PortName, Subject } from './suite.ts';

/** What the laws count in where nothing else is said, ms: half of a delay has to be longer than a busy machine stalls. */
const UNIT_MS: Readonly<Record<PortName, number>> = { queue: 200, ledger: 100, destinations: 50, inbox: 100 };

/** What is asked about one port alone. */
const ONLY: { readonly [port in PortName]?: readonly string[] } = { ledger: ['loseMemory'], inbox: ['other'] };

interface Parts {
  readonly unitMs: number;
  /** Null: its clock is its own. */
  readonly elapse: ((ms: number) => Promise<void>) | null;
  readonly loseMemory: LedgerSubject['loseMemory'];
  readonly close: () => Promise<void>;
}

/**
 * What a law is given, of what a maker made: the port alone, or `{ queue | ledger | destinations | inbox, unitMs?, elapse?, close? }`, of a
 * ledger with `loseMemory?`, of an inbox with `other?`.
 * @throws SendonceError MODULE_INVALID naming the maker and what is missing.
 */
export function subjectOf(port: PortName, given: unknown, maker: string): Subject {
  const own = isFields(given) && given[port] !== undefined ? given[port] : given;
  checkOwn(port, `what ${maker} makes`, own);
  const parts = partsOf(port, own === given ? {} : (given as Fields), own as Closing, maker);
  switch (port) {
    case 'queue':
      return queueSubject(own as Queue, parts);
    case 'ledger':
      return ledgerSubject(own as Ledger, parts);
    case 'destinations':
      return { destinations: own as Destinations, ...plain(parts) };
    case 'inbox': {
      const other = own === given ? own : ((given as Fields)['other'] ?? own);
      checkOwn(port, `'other' of what ${maker} makes`, other);
      return { inbox: own as Inbox, other: other as Inbox, ...plain(parts) };
    }
  }
}

/** @throws SendonceError MODULE_INVALID */
function checkOwn(port: PortName, what: string, own: unknown): void {
  try {
    if (port !== 'inbox') return checkPort(port, what, own);
  } catch (cause) {
    throw new SendonceError('MODULE_INVALID', (cause as Error).message, { cause });
  }
  const missing = INBOX.filter((name) => !isFields(own) || typeof own[name] !== 'function');
  if (missing.length > 0)
    throw new SendonceError(
      'MODULE_INVALID',
      `${what} is no inbox: it has no ${missing.map((name) => `${name}()`).join(', ')}`,
    );
}

const INBOX: readonly (keyof Inbox)[] = [
  ...(['put', 'list', 'unread', 'markRead', 'markUnread', 'archive', 'unarchive'] as const),
  ...(['changes', 'watch', 'erase', 'clean', 'close'] as const),
];

function plain({ unitMs, elapse, close }: Parts) {
  return { capabilities: {}, unitMs, elapse: elapse ?? wait, close };
}

type Fields = Readonly<Record<string, unknown>>;
type Closing = Pick<Queue, 'close'>;

function partsOf(port: PortName, given: Fields, own: Closing, maker: string): Parts {
  const known = [port, 'unitMs', 'elapse', 'close', ...(ONLY[port] ?? [])];
  const odd = Object.keys(given).find((name) => !known.includes(name));
  if (odd !== undefined)
    throw new SendonceError('MODULE_INVALID', `'${odd}' of what ${maker} makes is ${unknownAmong(odd, known)}`);
  const functionIn = (name: string): unknown => {
    const value = given[name];
    if (value === undefined || value === null || typeof value === 'function') return value ?? null;
    throw new SendonceError('MODULE_INVALID', `${name} of what ${maker} makes must be a function, got ${shown(value)}`);
  };
  const { unitMs = UNIT_MS[port] } = given;
  if (typeof unitMs !== 'number' || !(unitMs >= 1))
    throw new SendonceError(
      'MODULE_INVALID',
      `unitMs of what ${maker} makes must be 1 ms or more, got ${shown(unitMs)}`,
    );
  const close = functionIn('close') as (() => unknown) | null;
  return {
    unitMs,
    elapse: functionIn('elapse') as Parts['elapse'],
    loseMemory: functionIn('loseMemory') as Parts['loseMemory'],
    close: async () => {
      await own.close();
      await close?.();
    },
  };
}

function queueSubject(real: Queue, { unitMs, elapse, close }: Parts): QueueSubject {
  const { queue, elapse: waiting } = elapse === null ? paced(real) : { queue: real, elapse };
  return { queue, capabilities: { ...real.capabilities }, unitMs, elapse: waiting, close };
}

function ledgerSubject(ledger: Ledger, { unitMs, elapse, loseMemory, close }: Parts): LedgerSubject {
  const capabilities = { ...ledgerCapabilities({ ledger, loseMemory }), elapse: elapse !== null };
  return { ledger, loseMemory, capabilities, unitMs, elapse: elapse ?? wait, close };
}
