import type { MessageContent } from '@sendonce/core';

/** What of an inbox is listed. `inbox`: what is not archived; `unread`: of that, what is not read. */
export const INBOX_STATES = ['inbox', 'unread', 'archived', 'all'] as const;
export type InboxState = (typeof INBOX_STATES)[number];

/** Whose inbox. No call shows or changes anything of another owner's. */
export interface InboxOwner {
  /** 1 to 512 characters. @defaultValue 'default', as in `publish` */
  readonly tenant?: string;
  /** 1 to 512 characters. */
  readonly recipientId: string;
}

/** A message to put into somebody's inbox. */
export interface InboxItem extends InboxOwner {
  /** Unique within an inbox; the delivery's id. 1 to 512 characters. */
  readonly id: string;
  /** JSON, at most 32,768 bytes. */
  readonly content: MessageContent;
}

export interface PutResult {
  readonly id: string;
  /** `repeated`: it was there already, and nothing was changed, whatever its content was. */
  readonly kind: 'stored' | 'repeated';
}

/** Times are epoch ms of the store. */
export interface InboxMessage {
  readonly id: string;
  readonly content: MessageContent;
  readonly addedAt: number;
  readonly readAt: number | null;
  readonly archivedAt: number | null;
  /** Rises with each change of anything in this inbox: of two copies of a message the one with the higher number is newer. */
  readonly change: number;
}

/** What an inbox came to, at one moment. */
export interface InboxFacts {
  /** Messages that are neither read nor archived. */
  readonly unread: number;
  /** That moment: where `changes`, `watch` and `markRead({ upTo })` go on from. Opaque. */
  readonly since: string;
}

export interface InboxPage extends InboxFacts {
  /** The newest first. */
  readonly messages: readonly InboxMessage[];
  /** The cursor of the next page; null: this is the last. */
  readonly next: string | null;
}

export interface InboxQuery extends InboxOwner {
  /** The `next` of the page before: what comes in meanwhile moves nothing. @defaultValue the first page */
  readonly cursor?: string;
  /** 1 to 100. @defaultValue 20 */
  readonly limit?: number;
  /** @defaultValue 'inbox' */
  readonly state?: InboxState;
}

export interface MarkRequest extends InboxOwner {
  /** At most 1,000. What is not in this inbox, and what is so already, is passed over. */
  readonly ids: readonly string[];
}

export interface SeenRequest extends InboxOwner {
  /** A `since`: everything that had come by then, and nothing that came later. */
  readonly upTo: string;
}

export interface Marked extends InboxFacts {
  /** How many messages were changed. */
  readonly changed: number;
}

export interface ChangesRequest extends InboxOwner {
  readonly since: string;
  /** 1 to 500. @defaultValue 100 */
  readonly limit?: number;
}

/** What came in, was read, unread, archived or unarchived: each message once, as it is now. */
export interface InboxChanges extends InboxFacts {
  /** In the order of their changes. */
  readonly changes: readonly InboxMessage[];
  /** Messages were removed, or more than 1,000 changes were missed: list again; what was shown before may be gone. */
  readonly isReset: boolean;
  /** More is there already: go on from `since`. `unread` is ahead of these changes then. */
  readonly isMore: boolean;
}

export interface WatchRequest extends InboxOwner {
  /** @defaultValue now */
  readonly since?: string;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/**
 * The inboxes of all recipients, in one store that any number of processes use. Every change of an inbox takes its next number while it
 * holds the inbox's lock, so numbers become visible in their order, and a reader who has seen one has seen all before it.
 *
 * Every call throws SendonceError: OPTION_INVALID for what it cannot work with (a token of `since` or `cursor` that is none, too), and for
 * a store that fails LEDGER_UNAVAILABLE, LEDGER_LOCKED, LEDGER_FULL, LEDGER_READ_ONLY, LEDGER_CORRUPT, LEDGER_REFUSED, LEDGER_NOT_MIGRATED.
 * Every call may be repeated.
 */
export interface Inbox {
  /**
   * Stores messages that are not there yet, 1 to 1,000. A second call changes nothing. Messages of one owner are stored together or not at
   * all; those of several one owner after the other, so that a failure may leave the first ones stored.
   */
  put(items: readonly InboxItem[]): Promise<readonly PutResult[]>;
  list(query: InboxQuery): Promise<InboxPage>;
  /** Costs the same however many there are: the count is kept. */
  unread(owner: InboxOwner): Promise<InboxFacts>;
  /** A second call changes nothing, and leaves the time of the first. */
  markRead(request: MarkRequest | SeenRequest): Promise<Marked>;
  markUnread(request: MarkRequest): Promise<Marked>;
  /** What is archived does not count as unread. A second call changes nothing. */
  archive(request: MarkRequest): Promise<Marked>;
  /** As read or unread as it was. */
  unarchive(request: MarkRequest): Promise<Marked>;
  changes(request: ChangesRequest): Promise<InboxChanges>;
  /**
   * Changes as they come, until the signal aborts or the inbox is closed. However many watch an inbox in this process, the store is asked for
   * it once every `pollMs`; what this process writes is seen at once. Repeats nothing and misses nothing from `since` on.
   */
  watch(request: WatchRequest): AsyncIterable<InboxChanges>;
  /** Removes all of a recipient's messages, and what was kept of the recipient; answers how many. What is put later is a new inbox. */
  erase(owner: InboxOwner): Promise<number>;
  /**
   * Removes messages that came at least so long ago, read or not, `max` at most; answers how many. Until then a repeat of `put` is
   * recognised: keep them longer than a delivery may be repeated.
   */
  clean(request: { readonly olderThanMs: number; readonly max: number }): Promise<number>;
  /** Ends what watches. What was opened here is closed, a client that was given stays open. A second call does nothing. */
  close(): Promise<void>;
}

/** What the inboxes of every store take. */
export interface InboxOptions {
  /** How often a watched inbox is asked for what other processes did, 10 to 3,600,000 ms. @defaultValue 1_000 */
  readonly pollMs?: number;
}
