import { parseCount, parseDuration } from '../flags/parse-values.ts';
import type { VerifyFlags } from './flags.ts';

/** The flags as numbers. */
export interface Settings {
  readonly limitMs: number;
  readonly atOnce: number;
  readonly walks: number;
}

/** @throws SendonceError FLAG_INVALID */
export function settingsOf(flags: VerifyFlags): Settings {
  return {
    limitMs: parseDuration('limit', flags.limit ?? '10s'),
    atOnce: parseCount('at-once', flags['at-once'] ?? '8', 1, 64),
    walks: parseCount('walks', flags.walks ?? '3', 0, 1_000),
  };
}
