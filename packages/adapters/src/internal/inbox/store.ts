import type { InboxState } from './inbox.ts';

/** An owner with nothing left out. */
export interface Owner {
  readonly tenant: string;
  readonly recipientId: string;
}

/** Whose it is, as one text. */
export function nameOf({ tenant, recipientId }: Owner): string {
  return JSON.stringify([tenant, recipientId]);
}

/** The one row of an inbox, under whose lock everything in it is changed. */
export interface Box {
  /** Never given again: an inbox that was erased and began anew is another one. */
  readonly key: string;
  /** The number of the last change. */
  readonly seq: number;
  readonly unread: number;
  /** The number of the last change that removed messages. */
  readonly removed: number;
}

export interface StoredMessage {
  readonly id: string;
  /** The number of the change that put it here: the order of the inbox. */
  readonly position: number;
  /** The number of its last change. */
  readonly change: number;
  readonly addedAt: number;
  readonly readAt: number | null;
  readonly archivedAt: number | null;
  /** JSON. */
  readonly body: string;
}

export interface Found {
  /** Null: there is no such inbox yet. */
  readonly box: Box | null;
  readonly rows: readonly StoredMessage[];
}

export interface Changed {
  readonly box: Box | null;
  readonly changed: number;
}

/** What a person can do with a message. */
export type Move = 'read' | 'unread' | 'archive' | 'unarchive';

/** What a store does; what is asked of it has been checked. Each call sees and leaves one moment of the inbox. */
export interface InboxStore {
  /** Answers the ids that were not there. */
  put(owner: Owner, items: readonly { readonly id: string; readonly body: string }[]): Promise<readonly string[]>;
  /** The newest first, from below `before`. */
  list(
    owner: Owner,
    query: { readonly before: number; readonly limit: number; readonly state: InboxState },
  ): Promise<Found>;
  box(owner: Owner): Promise<Box | null>;
  mark(owner: Owner, move: Move, ids: readonly string[]): Promise<Changed>;
  /** Marks as read what is unread up to a position, the oldest first; nothing where the inbox has another key. */
  markSeen(owner: Owner, upTo: { readonly key: string; readonly at: number; readonly most: number }): Promise<Changed>;
  /** Messages whose last change is after this one, in the order of their changes. */
  changes(owner: Owner, after: number, limit: number): Promise<Found>;
  erase(owner: Owner): Promise<number>;
  clean(request: { readonly olderThanMs: number; readonly max: number }): Promise<number>;
  close(): Promise<void>;
}

/** Where the messages are unless an option says otherwise. */
export const DEFAULT_TABLE: string = 'sendonce_inbox';
