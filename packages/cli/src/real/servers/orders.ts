/** A program that a keeper runs. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** Beside the environment of the run. */
  readonly env: Readonly<Record<string, string>>;
  /** What it prints once it can be used; null: it is not waited for. */
  readonly ready: string | null;
  /** How it is ended, as a crash would. SIGKILL goes to all that it started. */
  readonly end: 'SIGKILL' | 'SIGQUIT';
}

/** The first message to a keeper. */
export interface KeeperOrders {
  /** In this order; the last one is the server itself. */
  readonly programs: readonly Program[];
  /** All that they write; removed with them. */
  readonly folder: string;
}

/** Later messages: end the server, or start it. Each is answered once it is so. */
export type KeeperAsked = 'end' | 'start';

export type KeeperNews = { readonly kind: 'done' } | { readonly kind: 'failed'; readonly said: string };
