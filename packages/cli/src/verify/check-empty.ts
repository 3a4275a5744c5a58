import type { Inbox } from '@sendonce/adapters/inboxes/memory';
import { CHANNELS, isSendonceError, SendonceError, type Destinations, type Ledger, type Queue } from '@sendonce/core';
import type { Subject, Suite } from './suite.ts';
import { thrownWords } from './thrown-words.ts';

/**
 * The laws write into a store, so it may be nobody's. Looks without receiving anything, which would hide it from its owner.
 * @throws SendonceError STORE_NOT_EMPTY
 */
export async function checkEmpty(suite: Suite, subject: Subject): Promise<void> {
  const held = await heldIn(subject).catch((thrown: unknown) => {
    if (isSendonceError(thrown)) throw thrown;
    throw new SendonceError(
      'MODULE_INVALID',
      `whether the ${suite.port} of ${suite.from} is empty cannot be told, and the laws would write into it: ${thrownWords(thrown)}`,
      { cause: thrown },
    );
  });
  if (held === null) return;
  throw new SendonceError(
    'STORE_NOT_EMPTY',
    `the ${suite.port} of ${suite.from} holds ${held}. The laws write into it, so they run on a new, empty one each: let it make one under a name, folder or schema of its own every time`,
  );
}

/** What is in there, in words; null: nothing. */
async function heldIn(subject: Subject): Promise<string | null> {
  if ('queue' in subject) return heldInQueue(subject.queue);
  if ('ledger' in subject) return heldInLedger(subject.ledger);
  return 'destinations' in subject ? heldInDestinations(subject.destinations) : heldInInbox(subject.inbox);
}

/** Whom the laws write about: of everybody nobody can be asked. */
const PEOPLE = ['ann', 'bob'] as const;

async function heldInDestinations(destinations: Destinations): Promise<string | null> {
  const tenant = 'default';
  const owners = CHANNELS.flatMap((channel) => PEOPLE.map((recipientId) => ({ tenant, channel, recipientId })));
  const registered = (await destinations.of(owners, { removed: true })).flat().length;
  if (registered > 0) return `${registered} ${registered === 1 ? 'registration' : 'registrations'}`;
  for (const channel of CHANNELS)
    for (const state of ['dead', 'suppressed'] as const)
      if ((await destinations.list({ tenant, channel, state, max: 1 })).addresses.length > 0)
        return `addresses that are ${state}`;
  return null;
}

async function heldInInbox(inbox: Inbox): Promise<string | null> {
  for (const recipientId of PEOPLE) {
    const { messages } = await inbox.list({ tenant: 'shop', recipientId, state: 'all', limit: 1 });
    if (messages.length > 0) return 'messages';
  }
  return null;
}

/** A `depth` that fails is a law's business; and what waits in a queue is no more than hints. */
async function heldInQueue(queue: Queue): Promise<string | null> {
  const depth = await queue.depth().catch(() => 0);
  return depth > 0 ? `${depth} ${depth === 1 ? 'message' : 'messages'}` : null;
}

async function heldInLedger(ledger: Ledger): Promise<string | null> {
  const { notifications, deliveries, strays } = await ledger.count();
  const sum = [...Object.values(notifications), ...Object.values(deliveries)].reduce(
    (total, each) => total + each,
    strays,
  );
  if (sum > 0) return `${sum} records`;
  // Its count may be what is wrong with it.
  const { items } = await ledger.listNotifications({}, { limit: 1 });
  return items.length > 0 ? 'notifications' : null;
}
