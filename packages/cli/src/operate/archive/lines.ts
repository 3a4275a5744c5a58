import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { DeliveryRecord, NotificationRecord } from '@sendonce/core';

export const ARCHIVE_SCHEMA = 'sendonce.archive/1';

/** How many of both are in an archive. */
export interface Sums {
  readonly notifications: number;
  readonly deliveries: number;
}

/** What a line of an archive holds: the first, those of each notification, the last. */
export type Entry =
  | { readonly kind: 'archive'; readonly schema: typeof ARCHIVE_SCHEMA; readonly before: string }
  | { readonly kind: 'notification'; readonly record: NotificationRecord }
  | { readonly kind: 'delivery'; readonly record: DeliveryRecord }
  /** `sha256`: of all bytes before this line. */
  | ({ readonly kind: 'end'; readonly sha256: string } & Sums);

export function lineOf(entry: Entry): string {
  return `${JSON.stringify(entry)}\n`;
}

/** Adds up a text, piece by piece. */
export interface Digest {
  add(text: string): void;
  /** Hexadecimal; after it nothing can be added. */
  end(): string;
}

export function digest(): Digest {
  const hash = createHash('sha256');
  return { add: (text) => void hash.update(text), end: () => hash.digest('hex') };
}

/** The lines of a file without their ends, one after the other. Only LF ends one: JSON may hold every other end. */
export async function* linesIn(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(file, { encoding: 'utf8' }) as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
