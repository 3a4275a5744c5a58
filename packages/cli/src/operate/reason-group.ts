import { masks } from './mask.ts';

const HIDING = masks(false);

/** A reason without what makes each of its kind different (addresses, numbers, ids), to count it by. */
export function reasonGroup(reason: string | null): string {
  if (reason === null) return '(no reason)';
  return HIDING.text(reason)
    .replace(/\b(?=[\w-]*\d)[\w-]{16,}\b/g, '…')
    .replace(/\d{5,}/g, '…');
}
