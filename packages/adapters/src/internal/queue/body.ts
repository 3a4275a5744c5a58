import type { Wake } from '@sendonce/core';
import { isFields } from '@sendonce/core/internal';

/** What a message of ours holds beside the id; every field may be missing. */
export interface WakeBody extends Wake {
  /** Not handed out before, by the clock of whoever enqueued it, epoch ms. */
  readonly notBefore?: number;
  /** When it was first enqueued, by that clock, epoch ms; where the service does not keep that. */
  readonly at?: number;
  /** How often it was handed out as a message before this one. */
  readonly receives?: number;
}

/** JSON, so that a person who looks into the queue can read it. An id is some 60 bytes: no service's limit is near. */
export function bodyOf(wake: WakeBody): string {
  return JSON.stringify(wake);
}

/** Null for a message that is none of ours. Fields that a later version may add are let through. */
export function wakeIn(body: string): WakeBody | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return null;
  }
  if (!isFields(parsed)) return null;
  const { id } = parsed;
  if (typeof id !== 'string' || id === '') return null;
  const numbers = NUMBERS.map((name) => [name, parsed[name]] as const).filter(([, value]) => Number.isFinite(value));
  return { id, ...(Object.fromEntries(numbers) as Omit<WakeBody, 'id'>) };
}

const NUMBERS = ['notBefore', 'at', 'receives'] as const;
