import type { Channel } from '../model/classes.ts';

/** Items per call at most. */
export const MOST_DESTINATIONS = 10_000;
/** Longest address, characters: a web push subscription is a JSON of some hundred. */
export const LONGEST_ADDRESS = 8_192;
/** Active registrations of one owner at most: one more takes the place of the one that was not seen for longest. */
export const MOST_PER_RECIPIENT = 100;
/** Pieces of evidence kept of one address: the newest. */
export const MOST_EVIDENCE = 10;

export const HEALTH_STATES = ['usable', 'dead', 'suppressed'] as const;
/** `suppressed` hides `dead`: once it is lifted, a dead address is dead again. */
export type HealthState = (typeof HEALTH_STATES)[number];

/** One recipient on one channel. Each text has 1 to 512 characters. */
export interface DestinationOwner {
  readonly tenant: string;
  readonly channel: Channel;
  readonly recipientId: string;
}

/** One address, whoever has it. Addresses that `normaliseAddress` makes equal are one. */
export interface DestinationAddress {
  readonly tenant: string;
  readonly channel: Channel;
  /** 1 to 8,192 characters. */
  readonly to: string;
}

export interface RegisterRequest extends DestinationOwner {
  /** Which of the recipient's destinations: the app's installation, the browser. 1 to 512 characters. */
  readonly id: string;
  /** Where to: the address or token, sent as it is given here. */
  readonly to: string;
  /** What the content function may use (locale, version of the app); at most 4,096 characters of JSON. @defaultValue {} */
  readonly data?: Readonly<Record<string, unknown>>;
}

export type RegisterVerdict =
  | {
      /** `seen`: it was there, at this address. `rotated`: it was there, at another one. */
      readonly kind: 'registered' | 'seen' | 'rotated';
      /** The address was dead, and is usable again. */
      readonly revived: boolean;
      /** The recipient that had the address until now, of channel `push`; else null. */
      readonly movedFrom: string | null;
    }
  /** The address can never work on its channel. */
  | { readonly kind: 'refused'; readonly reason: string };

/** By the id of the registration, or by the address. */
export type RemoveRequest = DestinationOwner &
  ({ readonly id: string; readonly to?: never } | { readonly to: string; readonly id?: never });

export interface RemoveVerdict {
  readonly kind: 'removed' | 'absent';
}

export interface Health {
  readonly state: HealthState;
  /** Epoch ms, store clock; null while usable. */
  readonly since: number | null;
  /** Why it is not usable, in words that name no address; null while usable. */
  readonly reason: string | null;
}

/** A registration as it is kept. Times are epoch ms of the store's clock. */
export interface Destination {
  readonly id: string;
  readonly to: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** When it got the address that it has. */
  readonly registeredAt: number;
  readonly seenAt: number;
  /** When it was removed, or its address became somebody else's; null while it is active. */
  readonly removedAt: number | null;
  readonly health: Health;
}

/** What was said about an address. */
export interface DestinationEvidence extends DestinationAddress {
  /** `dead`: it can never be reached again. `suspect`: kept for people, and changes nothing. */
  readonly kind: 'dead' | 'suspect';
  /** When it was so, epoch ms: the provider's time where it names one. */
  readonly at: number;
  readonly provider: string;
  /** The provider's words. Where they hold the address, it is cut out. */
  readonly reason: string;
}

export interface ReportVerdict {
  /**
   * `deactivated`: dead from now on. `noted`: kept, and nothing changed. `stale`: kept, and nothing changed, since the address was
   * registered again at that time or later.
   */
  readonly kind: 'deactivated' | 'noted' | 'stale';
}

export interface AddressSuppression extends DestinationAddress {
  /** False lifts it. */
  readonly suppressed: boolean;
  readonly reason: string;
  readonly by: string;
  /** When it happened where the list comes from, epoch ms. @defaultValue the store's now */
  readonly at?: number;
}

export interface SuppressionVerdict {
  readonly kind: 'suppressed' | 'lifted' | 'unchanged';
}

export interface KeptAboutAddress {
  readonly kind: 'dead' | 'suspect' | 'suppressed' | 'lifted';
  /** As it was reported, epoch ms. */
  readonly at: number;
  /** When it was written down, epoch ms, store clock. */
  readonly notedAt: number;
  /** The provider that said it, or who suppressed or lifted. */
  readonly by: string;
  readonly reason: string;
  /** False where it changed nothing. */
  readonly counted: boolean;
}

export interface AddressHealth extends Health {
  readonly tenant: string;
  readonly channel: Channel;
  /** Normalised. */
  readonly address: string;
  /** When it was last registered; null: by nobody. */
  readonly registeredAt: number | null;
  /** The newest last, ten at most. */
  readonly evidence: readonly KeptAboutAddress[];
}

export interface AddressListRequest {
  readonly tenant: string;
  readonly channel: Channel;
  readonly state: Exclude<HealthState, 'usable'>;
  /** `next` of the page before. */
  readonly after?: string;
  /** 1 to 1,000. @defaultValue 100 */
  readonly max?: number;
}

export interface AddressPage {
  readonly addresses: readonly AddressHealth[];
  /** Null: that was the last. */
  readonly next: string | null;
}

/**
 * Where recipients can be reached, and the health of each address. Every call takes up to 10,000 items, decides on one after the other and
 * answers each in its place. What fails half-way may have been done in part (of thousands, or of a call that met others); each call may
 * be repeated. Times are the store's, but for those of evidence.
 * @throws SendonceError OPTION_INVALID for what is no request, with nothing written; DESTINATIONS_UNAVAILABLE, DESTINATIONS_NOT_MIGRATED.
 */
export interface Destinations {
  /**
   * Says that a recipient can be reached there: at every start of the app. A dead address is usable again, its evidence stays; a suppressed
   * one stays suppressed. On `push` an address belongs to one registration at a time, and is taken from whoever had it; elsewhere to one
   * registration of a recipient.
   */
  register(requests: readonly RegisterRequest[]): Promise<readonly RegisterVerdict[]>;
  /** Logout. What is not there is `absent`. */
  remove(requests: readonly RemoveRequest[]): Promise<readonly RemoveVerdict[]>;
  /** The active registrations of each owner, in the order in which they were first made, with their health; with those removed last if asked. */
  of(
    owners: readonly DestinationOwner[],
    options?: { readonly removed?: boolean },
  ): Promise<readonly (readonly Destination[])[]>;
  /** Keeps evidence, also about addresses that nobody registered. The same again is `noted` and kept once. */
  report(evidence: readonly DestinationEvidence[]): Promise<readonly ReportVerdict[]>;
  suppress(requests: readonly AddressSuppression[]): Promise<readonly SuppressionVerdict[]>;
  health(addresses: readonly DestinationAddress[]): Promise<readonly AddressHealth[]>;
  /** Dead or suppressed addresses, for people. The order is the store's own, and the same on every page. */
  list(request: AddressListRequest): Promise<AddressPage>;
  /**
   * Removes all registrations of a recipient on every channel, and what is known of addresses that nobody else has, but for those that
   * are suppressed: they have to be known to stay so. Answers how many registrations there were.
   */
  forget(recipients: readonly Pick<DestinationOwner, 'tenant' | 'recipientId'>[]): Promise<readonly number[]>;
  /** A second call does nothing. */
  close(): Promise<void>;
}
