import {
  isSendonceError,
  type ErrorCode,
  type Migrations,
  type Outcome,
  type OutgoingMessage,
  type Provider,
} from '@sendonce/core';
import { isFields, textRule, type Rule } from '@sendonce/core/internal';
import type { ProviderFacts } from '../internal/api/facts.ts';
import { deadlineOf } from '../internal/deadline.ts';
import { itemProblem } from '../internal/inbox/content.ts';
import type { Inbox } from '../internal/inbox/inbox.ts';
import { checkAdapter } from '../internal/options.ts';
import { inTime } from '../internal/queue/in-time.ts';
import { reasonIn } from '../internal/retrying.ts';

export interface InAppOptions {
  /** Where messages are put: `postgresInbox(...)`, `sqliteInbox(...)`, `redisInbox(...)`. `close` leaves it open: it is the pages' too. */
  readonly inbox: Pick<Inbox, 'put'> & Partial<Migrations>;
  /** Unique within the channel. @defaultValue 'in-app' */
  readonly name?: string;
}

/** What is known of the inbox. */
export const IN_APP: ProviderFacts = {
  name: 'in-app',
  title: 'an inbox in your own SQLite, PostgreSQL or Redis',
  channels: ['in-app'],
  needs: null,
  capabilities: {
    // The id is the delivery's, so also two providers on one inbox store one message.
    idempotency: { kind: 'client-id', windowMs: Number.MAX_SAFE_INTEGER },
    lookup: 'none',
    correlation: 'none',
    coalesce: false,
  },
  id: 'our delivery id, under which it stands in the inbox',
  outcomes: [],
};

/**
 * Puts messages into the inbox of the recipient whose id is the target's `to`, in the notification's tenant. A row with a unique key: a
 * repeat is the same message, for as long as the inbox keeps it. The content is stored as JSON, at most 32,768 bytes, with a `title`,
 * `subject`, `text` or `html`; `url` and `image` are links, `data` an object, and whatever else is in it stays. An inbox that has to be
 * prepared is so by `notify migrate`, which finds it by its provider.
 * @throws SendonceError OPTION_INVALID for an option that cannot work.
 */
export function inApp(options: InAppOptions): Provider & Partial<Migrations> {
  checkAdapter('in-app', options, RULES);
  const { inbox, name = IN_APP.name } = options;
  return {
    name,
    capabilities: { ...IN_APP.capabilities, lookup: 'none' },
    check: itemProblem,
    async send(message, context) {
      const problem = itemProblem(message);
      if (problem !== null) return problem;
      const deadline = deadlineOf(context);
      if (deadline.leftMs() <= 0) return { kind: 'not-sent', reason: 'the send was given up before it began' };
      const late = (): Error => new Error('no answer in time');
      return inTime(stored(inbox, message), deadline.leftMs(), late).catch(outcomeOf);
    },
    close: () => Promise.resolve(),
    ...migrationsOf(inbox),
  };
}

function migrationsOf(inbox: Partial<Migrations>): Partial<Migrations> {
  const { migrate, migrationSql } = inbox;
  if (migrate === undefined || migrationSql === undefined) return {};
  return { migrate: () => migrate.call(inbox), migrationSql: () => migrationSql.call(inbox) };
}

async function stored(
  inbox: Pick<Inbox, 'put'>,
  { tenant, to, deliveryId, content }: OutgoingMessage,
): Promise<Outcome> {
  await inbox.put([{ ...(tenant !== undefined && { tenant }), recipientId: to.trim(), id: deliveryId, content }]);
  return { kind: 'accepted', providerMessageId: deliveryId };
}

/** The store itself said that it wrote nothing. */
const WROTE_NOTHING: readonly ErrorCode[] = [
  'OPTION_INVALID',
  'DRIVER_MISSING',
  'LEDGER_LOCKED',
  'LEDGER_FULL',
  'LEDGER_READ_ONLY',
  'LEDGER_REFUSED',
  'LEDGER_NOT_MIGRATED',
];
/** There was no connection by which anything could have been written. */
const NO_CONNECTION: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];

function outcomeOf(error: unknown): Outcome {
  const isUnwritten =
    isSendonceError(error) &&
    (WROTE_NOTHING.includes(error.code) || (isFields(error.cause) && NO_CONNECTION.includes(error.cause['code'])));
  return { kind: isUnwritten ? 'not-sent' : 'unknown', reason: reasonIn(error) };
}

const RULES: Record<keyof InAppOptions, Rule> = {
  inbox: {
    must: 'an inbox: postgresInbox(...), sqliteInbox(...), redisInbox(...)',
    fits: (value) => isFields(value) && typeof value['put'] === 'function',
    required: true,
    hidden: true,
  },
  name: textRule(512),
};
