import type { Attempt, Target } from '@sendonce/core';

/*
 * Whether a stored value is what the protocol's steps can work with: what they would stumble over in the middle of a batch is found
 * here, before.
 */

/** Undefined for what is no JSON. */
export function parsed<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

export function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

/** The latest moment that a `Date` can be, epoch ms. */
const LATEST = 8_640_000_000_000_000;

/** As `isTime` in the schema: a moment in epoch ms. */
export function isMoment(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LATEST;
}

export function isMomentOrNull(value: unknown): value is number | null {
  return value === null || isMoment(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isTarget(target: unknown): target is Target {
  if (typeof target !== 'object' || target === null) return false;
  const { to, recipientId, channel } = target as Record<string, unknown>;
  return isText(to) && isText(recipientId) && isText(channel);
}

export function isAttempt(attempt: unknown): attempt is Attempt {
  if (typeof attempt !== 'object' || attempt === null) return false;
  const { n, provider, key, fence, markedAt, sendDeadline, outcome } = attempt as Record<string, unknown>;
  if (!isNumber(n) || !isNumber(fence) || !isNumber(markedAt) || !isNumber(sendDeadline)) return false;
  if (!isText(provider) || !isText(key)) return false;
  return outcome === null || (typeof outcome === 'object' && isText((outcome as { kind?: unknown }).kind));
}
