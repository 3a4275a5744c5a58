import type { Target } from '@sendonce/core';
import { HIDDEN, masks } from './mask.ts';

const HIDING = masks(false);

export const NO_REASON = '(no reason)';

/** A reason without what makes each of its kind different (addresses, numbers, ids), to count it by. */
export function reasonGroup(reason: string | null): string {
  if (reason === null) return NO_REASON;
  return HIDING.text(reason)
    .replace(/\b(?=[\w-]*\d)[\w-]{16,}\b/g, HIDDEN)
    .replace(/\d{5,}/g, HIDDEN);
}

/** Whether a reason has this part, in whatever case: as it is, or as any report shows it, so that what was shown can be asked for. */
export function saysReason(reason: string, part: string, target: Target): boolean {
  if (comparable(reason).includes(comparable(part))) return true;
  if (!part.includes(HIDDEN)) return false;
  const shown = [HIDING.text(reason, target), reasonGroup(reason)].map(comparable);
  // By itself it would be a part of nearly everything.
  if (part === HIDDEN) return shown.includes(HIDDEN);
  // The last one may only say that the line was too long.
  const wanted = comparable(part.endsWith(HIDDEN) ? part.slice(0, -HIDDEN.length) : part);
  return shown.some((text) => text.includes(wanted));
}

function comparable(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}
