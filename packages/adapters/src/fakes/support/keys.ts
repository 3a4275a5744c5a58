import { createHash } from 'node:crypto';
import type { FirstOfKey, Keys } from './vendor.ts';
import type { WireRequest } from './wire.ts';

interface Kept extends Omit<FirstOfKey, 'isSameBody'> {
  readonly at: number;
  readonly digest: string;
}

/** The keys that a vendor has seen, each for the vendor's window since it was first seen. */
export interface KeyMemory {
  /** What is still known of a key. */
  find(key: string, request: WireRequest, now: number): FirstOfKey | null;
  /** A second call for a key replaces what was known. */
  keep(key: string, request: WireRequest, first: Pick<FirstOfKey, 'answer' | 'accepted'>, now: number): void;
  /** Whether the answer to the first request of this key is still to come. */
  inFlight(key: string, isInFlight: boolean): void;
  clear(): void;
}

export function keyMemory({ windowMs }: Pick<Keys, 'windowMs'>): KeyMemory {
  const kept = new Map<string, Kept>();
  return {
    find(key, request, now) {
      const known = kept.get(key);
      if (known === undefined) return null;
      if (now - known.at >= windowMs) {
        kept.delete(key);
        return null;
      }
      return { ...known, isSameBody: known.digest === digestOf(request) };
    },
    keep(key, request, first, now) {
      kept.set(key, { ...first, at: now, digest: digestOf(request), isInFlight: false });
    },
    inFlight(key, isInFlight) {
      const known = kept.get(key);
      if (known !== undefined) kept.set(key, { ...known, isInFlight });
    },
    clear: () => kept.clear(),
  };
}

function digestOf({ bytes }: WireRequest): string {
  return createHash('sha256').update(bytes).digest('hex');
}
