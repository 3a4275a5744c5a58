import { normaliseAddress } from '../../model/address.ts';
import type { Channel } from '../../model/classes.ts';
import { fingerprint } from '../../model/keys.ts';
import type {
  DestinationAddress,
  DestinationOwner,
  Health,
  HealthState,
  KeptAboutAddress,
} from '../../ports/destinations.ts';
import type { DestinationStore, DocumentChange } from './store.ts';

/** One destination of an owner. */
export interface Registration {
  readonly id: string;
  readonly to: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly registeredAt: number;
  readonly seenAt: number;
  readonly removedAt: number | null;
}

/** All that is kept of an owner; in the order in which each was first made. */
export interface OwnerDocument {
  readonly registrations: readonly Registration[];
}

/** Why an address is not usable. */
export interface Cause {
  readonly since: number;
  readonly reason: string;
}

/** All that is kept of an address. */
export interface AddressDocument {
  readonly of: readonly [tenant: string, channel: Channel, address: string];
  readonly dead: Cause | null;
  readonly suppressed: Cause | null;
  readonly registeredAt: number | null;
  /** Active registrations that have it. */
  readonly holders: number;
  /** On push: whose it is. */
  readonly owner: string | null;
  readonly evidence: readonly KeptAboutAddress[];
}

/** Documents that are asked for at once. */
const MOST_KEYS = 5_000;

const NOBODY: OwnerDocument = { registrations: [] };

export function addressOf(channel: Channel, { to }: Pick<Registration, 'to'>): string {
  return normaliseAddress(channel, to);
}

export function ownerKey({ tenant, channel, recipientId }: DestinationOwner): string {
  return fingerprint(['owner', tenant, channel, recipientId]);
}

export function addressKey({ tenant, channel, to }: DestinationAddress): string {
  return fingerprint(['address', tenant, channel, normaliseAddress(channel, to)]);
}

export function markOf(state: HealthState, tenant: string, channel: Channel): string | null {
  return state === 'usable' ? null : fingerprint(['list', state, tenant, channel]);
}

export function healthOf({ dead, suppressed }: AddressDocument): Health {
  const cause = suppressed ?? dead;
  if (cause === null) return USABLE;
  return { state: suppressed === null ? 'dead' : 'suppressed', ...cause };
}

export const USABLE: Health = { state: 'usable', since: null, reason: null };

type Document = OwnerDocument | AddressDocument;

/** What a decision looks at and changes: documents as the store had them, and as they are now. */
export class Documents {
  readonly #store: Pick<DestinationStore, 'read'>;
  readonly #stamps = new Map<string, string | null>();
  readonly #values = new Map<string, Document | null>();
  readonly #changed = new Set<string>();
  /** The store's time at the first read, epoch ms. */
  now = 0;

  constructor(store: Pick<DestinationStore, 'read'>) {
    this.#store = store;
  }

  /** Reads those that were not read yet. */
  async load(keys: Iterable<string>): Promise<void> {
    const wanted = [...new Set(keys)].filter((key) => !this.#stamps.has(key));
    for (let at = 0; at < wanted.length; at += MOST_KEYS) await this.#read(wanted.slice(at, at + MOST_KEYS));
  }

  async #read(keys: readonly string[]): Promise<void> {
    const { now, found } = await this.#store.read(keys);
    if (this.#stamps.size === 0) this.now = now;
    for (const [at, key] of keys.entries()) {
      const stored = found[at] ?? null;
      this.#stamps.set(key, stored?.stamp ?? null);
      this.#values.set(key, stored === null ? null : (JSON.parse(stored.text) as Document));
    }
  }

  owner(of: DestinationOwner): OwnerDocument {
    return (this.#values.get(ownerKey(of)) as OwnerDocument | null | undefined) ?? NOBODY;
  }

  address(of: DestinationAddress): AddressDocument {
    const known = this.#values.get(addressKey(of)) as AddressDocument | null | undefined;
    if (known !== null && known !== undefined) return known;
    const address = normaliseAddress(of.channel, of.to);
    const nothing = { dead: null, suppressed: null, registeredAt: null, holders: 0, owner: null, evidence: [] };
    return { of: [of.tenant, of.channel, address], ...nothing };
  }

  putOwner(of: DestinationOwner, document: OwnerDocument): void {
    this.#put(ownerKey(of), document.registrations.length === 0 ? null : document);
  }

  /** An address that nobody has and nothing is known of is not kept. */
  putAddress(document: AddressDocument): void {
    const [tenant, channel, to] = document.of;
    const { holders, dead, suppressed, evidence } = document;
    const isEmpty = holders === 0 && dead === null && suppressed === null && evidence.length === 0;
    this.#put(addressKey({ tenant, channel, to }), isEmpty ? null : document);
  }

  /** Nobody has it: all that is known of it goes. */
  dropAddress({ of: [tenant, channel, to] }: AddressDocument): void {
    this.#put(addressKey({ tenant, channel, to }), null);
  }

  #put(key: string, document: Document | null): void {
    this.#values.set(key, document);
    this.#changed.add(key);
  }

  changes(): readonly DocumentChange[] {
    const changes: DocumentChange[] = [];
    // In one order everywhere, so that two that lock one record after the other never wait for each other.
    for (const key of [...this.#changed].sort()) {
      const value = this.#values.get(key) ?? null;
      const was = this.#stamps.get(key) ?? null;
      const text = value === null ? null : asciiJson(value);
      const document = text === null ? null : { text, stamp: fingerprint(text) };
      if ((document?.stamp ?? null) === was) continue;
      changes.push({ key, was, document, mark: value !== null && 'of' in value ? markIn(value) : null });
    }
    return changes;
  }
}

function markIn(document: AddressDocument): string | null {
  const [tenant, channel] = document.of;
  return markOf(healthOf(document).state, tenant, channel);
}

/** DEL and the separators of lines pass through JSON as they are, and not through every client. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
