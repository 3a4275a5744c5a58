/** A document as a store keeps it: texts alone, of JSON without control characters, so that any database can. */
export interface StoredDocument {
  readonly text: string;
  /** Of this very text: what a change of it names as its condition. */
  readonly stamp: string;
}

export interface DocumentChange {
  readonly key: string;
  /** What has to be there still; null: nothing. */
  readonly was: string | null;
  /** What takes its place; null: nothing. */
  readonly document: StoredDocument | null;
  /** Under which list it is found; null: under none. */
  readonly mark: string | null;
}

/** All that a database has to do to keep destinations. Keys and marks are at most 32 characters of [A-Za-z0-9_-]. */
export interface DestinationStore {
  /** The documents of these keys, each in its place, and the time of the store's clock, epoch ms. */
  read(keys: readonly string[]): Promise<{ readonly now: number; readonly found: readonly (StoredDocument | null)[] }>;
  /** All changes, where everything is still as each of them says; else nothing, and false. Each key occurs once. */
  write(changes: readonly DocumentChange[]): Promise<boolean>;
  /** Documents under a mark with a key after this one, in the order of their keys (as bytes), `max` at most. */
  scan(request: {
    readonly mark: string;
    readonly after: string;
    readonly max: number;
  }): Promise<readonly { readonly key: string; readonly text: string }[]>;
  close(): Promise<void>;
}
