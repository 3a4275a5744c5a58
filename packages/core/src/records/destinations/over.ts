import { CHANNELS } from '../../model/classes.ts';
import { SendonceError } from '../../model/errors.ts';
import type { Destination, DestinationAddress, DestinationOwner, Destinations } from '../../ports/destinations.ts';
import { checkItem, checkItems, FIELDS, refuse, withOwnData } from './checks.ts';
import {
  addressKey,
  Documents,
  healthOf,
  markOf,
  ownerKey,
  type AddressDocument,
  type Registration,
} from './documents.ts';
import { healthOfAddress, report, suppress } from './judging.ts';
import { active, forget, register, remove } from './registering.ts';
import type { DestinationStore } from './store.ts';

/** Tries of a call before it is made in halves, and of one item before it is given up: whenever one fails, somebody else's succeeded. */
const TRIES_TOGETHER = 5;
const TRIES_ALONE = 100;
/** Items that are written all or none. */
const MOST_TOGETHER = 1_000;

/** What a change has to read before it is decided. */
type Need<Item> = (item: Item, documents: Documents) => Iterable<string>;

/**
 * Destinations over any store of documents with a write on condition: read, decide here, write where nothing changed meanwhile, else
 * again. One document for each owner and one for each address; every decision is made here, the same one over every store.
 */
export function destinationsOver(store: DestinationStore): Destinations {
  /** Part by part: no store is kept busy by one call, and what was decided before is written before what follows is read. */
  async function changing<Item, Verdict>(
    items: readonly Item[],
    needs: readonly Need<Item>[],
    decide: (documents: Documents, item: Item) => Verdict,
  ): Promise<readonly Verdict[]> {
    const verdicts: Verdict[] = [];
    for (let at = 0; at < items.length; at += MOST_TOGETHER)
      verdicts.push(...(await changingPart(items.slice(at, at + MOST_TOGETHER), needs, decide)));
    return verdicts;
  }

  async function changingPart<Item, Verdict>(
    items: readonly Item[],
    needs: readonly Need<Item>[],
    decide: (documents: Documents, item: Item) => Verdict,
  ): Promise<readonly Verdict[]> {
    const tries = items.length === 1 ? TRIES_ALONE : TRIES_TOGETHER;
    for (let tried = 0; tried < tries; tried += 1) {
      const documents = await loaded(items, needs);
      const verdicts = items.map((item) => decide(documents, item));
      const changes = documents.changes();
      if (changes.length === 0 || (await store.write(changes))) return verdicts;
    }
    if (items.length === 1)
      throw new SendonceError(
        'DESTINATIONS_UNAVAILABLE',
        `destinations: others changed the same destination ${TRIES_ALONE} times in a row; the call may be repeated`,
      );
    const half = Math.ceil(items.length / 2);
    const first = await changingPart(items.slice(0, half), needs, decide);
    return [...first, ...(await changingPart(items.slice(half), needs, decide))];
  }

  async function loaded<Item>(items: readonly Item[], needs: readonly Need<Item>[]): Promise<Documents> {
    const documents = new Documents(store);
    for (const need of needs) await documents.load(items.flatMap((item) => [...need(item, documents)]));
    return documents;
  }

  return {
    async register(requests) {
      checkItems('register', requests, FIELDS.register);
      return changing(requests.map(withOwnData), [ownerAndAddress, whatTheyNeed], register);
    },
    async remove(requests) {
      checkItems('remove', requests, FIELDS.remove);
      for (const [at, { id, to }] of requests.entries())
        if ((id === undefined) === (to === undefined)) refuse(`remove: item ${at}: give either an id or an address`);
      return changing(requests, [(item) => [ownerKey(item)], whatTheyNeed], remove);
    },
    async of(owners, { removed = false } = {}) {
      checkItems('of', owners, FIELDS.owner);
      const documents = await loaded(owners, [(item) => [ownerKey(item)], addressesOf(removed)]);
      return owners.map((owner) => {
        const document = documents.owner(owner);
        const shown = removed ? document.registrations : active(document);
        return shown.map((each) => destinationOf(each, documents.address({ ...owner, to: each.to })));
      });
    },
    async report(evidence) {
      checkItems('report', evidence, FIELDS.evidence);
      return changing(evidence, [addressAlone], report);
    },
    async suppress(requests) {
      checkItems('suppress', requests, FIELDS.suppression);
      return changing(requests, [addressAlone], suppress);
    },
    async health(addresses) {
      checkItems('health', addresses, FIELDS.address);
      const documents = await loaded(addresses, [addressAlone]);
      return addresses.map((each) => healthOfAddress(documents.address(each)));
    },
    async list(request) {
      checkItem('list', request, FIELDS.list);
      const { tenant, channel, state, after = '', max = 100 } = request;
      const found = await store.scan({ mark: markOf(state, tenant, channel)!, after, max });
      return {
        addresses: found.map(({ text }) => healthOfAddress(JSON.parse(text) as AddressDocument)),
        next: found.length < max ? null : (found.at(-1)?.key ?? null),
      };
    },
    async forget(recipients) {
      checkItems('forget', recipients, FIELDS.recipient);
      const channels = (each: Pick<DestinationOwner, 'tenant' | 'recipientId'>): DestinationOwner[] =>
        CHANNELS.map((channel) => ({ ...each, channel }));
      const counts = await changing(
        recipients,
        [
          (each) => channels(each).map(ownerKey),
          (each, documents) => channels(each).flatMap((owner) => [...addressesOf(true)(owner, documents)]),
        ],
        (documents, each) => channels(each).reduce((sum, owner) => sum + forget(documents, owner), 0),
      );
      return counts;
    },
    close: () => store.close(),
  };
}

const addressAlone = (item: DestinationAddress): readonly string[] => [addressKey(item)];

const ownerAndAddress = (item: DestinationOwner & DestinationAddress): readonly string[] => [
  ownerKey(item),
  addressKey(item),
];

function addressesOf(removed: boolean): Need<DestinationOwner> {
  return (owner, documents) => {
    const document = documents.owner(owner);
    const all = removed ? document.registrations : active(document);
    return all.map(({ to }) => addressKey({ ...owner, to }));
  };
}

/** The addresses that its owner has, of which one may have to go, and whoever has the address now. */
const whatTheyNeed: Need<DestinationOwner & { readonly to?: string }> = (item, documents) => {
  const keys = [...addressesOf(false)(item, documents)];
  const holder = item.to === undefined ? null : documents.address({ ...item, to: item.to }).owner;
  if (holder !== null) keys.push(ownerKey({ ...item, recipientId: holder }));
  return keys;
};

function destinationOf(registration: Registration, document: AddressDocument): Destination {
  return { ...registration, health: healthOf(document) };
}
