import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** The keys of a report that every run has, in their order. */
export const KEYS: readonly string[] =
  `schema verdict mode seed recipients workers schedules input merged invalid requested once recovered resent assumed parked failed
  dead expired suppressed cancelled unsettled duplicated lost phantom kills faults violations virtualMs wallMs traceHash`.split(
    /\s+/,
  );
const ENDS = KEYS.slice(KEYS.indexOf('once'), KEYS.indexOf('phantom'));

export type Json = Readonly<Record<string, unknown>>;

export function json(text: string): Json {
  return JSON.parse(text) as Json;
}

/** How many recipients of a report have an end. */
export function ended(result: Json): number {
  return ENDS.reduce((sum, end) => sum + Number(result[end]), 0);
}

/** A folder for the files of one test file, removed after it. */
export function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'notify-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}
