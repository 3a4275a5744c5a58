/** What one attempt at one provider came to. Only `unknown` leaves open whether a message went out. */
export const OUTCOME_KINDS = ['accepted', 'rejected', 'deferred', 'not-sent', 'unknown'] as const;
export type OutcomeKind = (typeof OUTCOME_KINDS)[number];

/** What a rejection is about: this message, this destination, or this provider (auth, quota, unsupported). */
export const REJECTION_SCOPES = ['message', 'destination', 'provider'] as const;
export type RejectionScope = (typeof REJECTION_SCOPES)[number];

export type Outcome =
  /** The provider took the message and gave its own id for it. A 2xx without that id is `unknown`, reason `missing-id`. */
  | { readonly kind: 'accepted'; readonly providerMessageId: string }
  /**
   * The provider refused for good; `code` is the provider's own. Of a destination, `goneAt` is since when the provider knows it to be gone
   * (epoch ms, its clock), and null says that this is no proof of it: a full mailbox, an option of ours. @defaultValue gone, now
   */
  | {
      readonly kind: 'rejected';
      readonly scope: RejectionScope;
      readonly reason: string;
      readonly code?: string;
      readonly goneAt?: number | null;
    }
  /** The provider proved that it did not take the message now and may later (429, documented not-processed 503). */
  | { readonly kind: 'deferred'; readonly reason: string; readonly retryAfterMs?: number }
  /** Nothing left this process, or it provably did not arrive (DNS, refused, TLS, no byte written). */
  | { readonly kind: 'not-sent'; readonly reason: string }
  /** The provider may have taken the message: timeout, reset, crash after the mark, 5xx that may follow acceptance. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** True for every outcome that closes its attempt. */
export function isDefinite(outcome: Outcome | null): outcome is Exclude<Outcome, { kind: 'unknown' }> {
  return outcome !== null && outcome.kind !== 'unknown';
}
