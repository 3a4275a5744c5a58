import type { MessageContent } from '@sendonce/core';
import { hashText, mix } from '../kernel/draw.ts';

/** A hash of the content as it arrived. Key order does not matter. */
export function bodyHash(content: MessageContent): number {
  let sum = 0;
  for (const key in content) {
    const value = content[key];
    if (value === undefined) continue;
    // Adding keeps the order of keys out of it.
    sum = (sum + mix(hashText(key) ^ hashText(typeof value === 'string' ? value : JSON.stringify(value)))) >>> 0;
  }
  return sum;
}

/** The same, as the history writes it. */
export function bodyOf(content: MessageContent): string {
  return bodyHash(content).toString(36);
}
