/** Where the ledger or the queue of a real run is. */
export interface Place {
  /** As the processes of the run open it. Holds no password. */
  readonly address: string;
  /** Crashes the server and brings it back; null: it is not the run's own. */
  readonly restart: (() => Promise<void>) | null;
  /** Lets it forget what it holds; null: it cannot. */
  readonly wipe: (() => Promise<void>) | null;
  /** Takes away what the run made there. A second call does nothing. */
  remove(): Promise<void>;
}

export interface PlaceOptions {
  /** Leave what the run made. */
  readonly keep: boolean;
}

/** `remove` that does its work once, however often it is called. */
export function once(remove: () => Promise<void>): () => Promise<void> {
  let isRemoved = false;
  return async () => {
    if (isRemoved) return;
    isRemoved = true;
    await remove();
  };
}
