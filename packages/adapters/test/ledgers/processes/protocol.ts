import type { Ledger, NewNotification } from '@sendonce/core';

/** Where the ledger is. */
export type Place =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly schema: string }
  | { readonly kind: 'redis'; readonly port: number; readonly name: string };

/** When a child kills itself with SIGKILL: around the commit of the transaction that the next call makes, or once it has committed. */
export type CrashPoint = 'before-commit' | 'after-commit';

export type Method =
  'accept' | 'claimNotifications' | 'add' | 'claim' | 'mark' | 'settle' | 'sweep' | 'release' | 'renew' | 'reconcile';

export interface Call {
  readonly kind: 'call';
  readonly method: Method;
  readonly args: readonly unknown[];
  readonly crash: CrashPoint | null;
}

/** Claims, marks, "sends" into the mailbox and settles what is due, until nothing is. */
export interface Work {
  readonly kind: 'work';
  readonly owner: string;
  readonly mailbox: string;
  readonly ids: readonly string[];
  readonly batch: number;
  readonly dispatchMs: number;
}

/** Accepts inside a transaction of the application's, and dies around its commit. */
export interface Outbox {
  readonly kind: 'outbox';
  readonly notification: NewNotification;
  readonly dies: CrashPoint;
}

export type Order = Call | Work | Outbox;
export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: string };

export type AnswerOf<M extends Method> = Awaited<ReturnType<Ledger[M]>>;
