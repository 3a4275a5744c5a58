import type { DeliveryRecord, NotificationRecord } from '@sendonce/core';
import type { SavedEpoch } from '@sendonce/core/records';
import type { Asked } from './questions.ts';

/** What is known about the whole store, with what the request that read it took along. */
export interface StoreFact {
  readonly key: string;
  readonly version: string;
  /** The memory that the data were last used in, and the one that they are in now. */
  readonly identity: string;
  readonly identityNow: string;
  readonly epoch: SavedEpoch;
  /** Rises with every opt-out and block. */
  readonly gates: string;
  readonly hasSuppressions: boolean;
  readonly hasKept: boolean;
  /** ms until asked again, by scope. */
  readonly blocks: ReadonlyMap<string, number>;
  readonly nowMs: number;
  /** One for the whole call: higher than any that the records in it carry. */
  readonly fence: number;
  /** From memory, at a moment that is reckoned: what is written by it has to prove it. */
  readonly isRecalled?: boolean;
}

/** `record` is undefined for what cannot be read. */
export interface DeliveryFact {
  readonly id: string;
  readonly version: string;
  readonly notification: string;
  readonly record: DeliveryRecord | undefined;
}
export interface NotificationFact {
  readonly id: string;
  readonly version: string;
  readonly open: number;
  readonly record: NotificationRecord | undefined;
}

/** One answer to a question (kind, a, b): a record's id in `x`, or values. */
export interface AnswerFact {
  readonly kind: Asked;
  readonly a: string;
  readonly b: string;
  readonly x: string;
  readonly y: string;
}

/** Values of an answer. */
export interface Answer {
  readonly x: string;
  readonly y: string;
}

/** What one request brought. */
export interface Found {
  readonly store: StoreFact;
  readonly deliveries: readonly DeliveryFact[];
  readonly notifications: readonly NotificationFact[];
  readonly answers: readonly AnswerFact[];
}

export function orUndefined<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    // One damaged record must not hold up the others.
    return undefined;
  }
}
