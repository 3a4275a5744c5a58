import { SendonceError, type NotificationRecord } from '@sendonce/core';
import { ARCHIVE_SCHEMA, digest, linesIn, type Entry, type Sums } from './lines.ts';

/** A whole archive, as it stands on the disk. */
export interface ReadArchive extends Sums {
  readonly before: string;
  readonly sha256: string;
}

/**
 * Reads all of an archive again, and adds it up.
 * @throws SendonceError OUTPUT_FAILED for a file that cannot be read, or that is no whole archive: something of it is missing or not as it was written.
 */
export async function readArchive(file: string): Promise<ReadArchive> {
  const sum = digest();
  const seen = { notifications: 0, deliveries: 0 };
  let head: Entry | null = null;
  let end: Extract<Entry, { kind: 'end' }> | null = null;
  try {
    for await (const text of linesIn(file)) {
      if (end !== null) throw new Error('there is something after its last line');
      const entry = JSON.parse(text) as Entry;
      head ??= entry;
      if (entry.kind === 'end') {
        end = entry;
        continue;
      }
      sum.add(`${text}\n`);
      if (entry.kind === 'notification') seen.notifications += 1;
      if (entry.kind === 'delivery') seen.deliveries += 1;
    }
    if (head?.kind !== 'archive' || (head.schema as string) !== ARCHIVE_SCHEMA)
      throw new Error(`its first line is not that of a ${ARCHIVE_SCHEMA}`);
    if (end === null) throw new Error('it has no last line, so it was cut short');
    const sha256 = sum.end();
    if (end.sha256 !== sha256 || end.notifications !== seen.notifications || end.deliveries !== seen.deliveries)
      throw new Error('it does not add up to what its last line says');
    return { ...seen, before: head.before, sha256 };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SendonceError(
      'OUTPUT_FAILED',
      `${file} is no whole archive: ${why}. Nothing was forgotten; name another file with --to`,
      { cause },
    );
  }
}

/** The notifications of an archive, a batch at a time. */
export async function* notificationsIn(file: string, size: number): AsyncGenerator<readonly NotificationRecord[]> {
  let batch: NotificationRecord[] = [];
  for await (const text of linesIn(file)) {
    // Most lines are deliveries, and long.
    if (!text.startsWith('{"kind":"notification"')) continue;
    const entry = JSON.parse(text) as Extract<Entry, { kind: 'notification' }>;
    batch.push(entry.record);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
