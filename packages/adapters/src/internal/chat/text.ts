import type { MessageContent } from '@sendonce/core';
import { badMessage } from '../api/reject.ts';
import type { Rejection } from '../rejection.ts';

export interface TextLimit {
  /** As many as the vendor takes. */
  readonly most: number;
  /** What the vendor counts. Where it does not say: `characters`, so that nothing is refused that it might take. */
  readonly counts: 'characters' | 'UTF-16 units';
}

/** The text in a field of the content, exactly as it is, or why it can never be sent. */
export function textIn(content: MessageContent, field: string, { most, counts }: TextLimit): string | Rejection {
  const text = content[field];
  if (text === undefined || text === null) return badMessage(`content needs a '${field}'`);
  if (typeof text !== 'string') return badMessage(`content.${field} must be a text, got ${typeof text}`);
  if (text.trim() === '') return badMessage(`content.${field} is empty`);
  // It would arrive as a question mark, or end the text.
  if (/[\p{Cs}\0]/u.test(text)) return badMessage(`content.${field} contains NUL, or half of a character`);
  const length = counts === 'characters' ? [...text].length : text.length;
  return length <= most ? text : badMessage(`content.${field} has ${length} ${counts}, more than the ${most} allowed`);
}

/** Whether the content has something in a field. */
export function has(content: MessageContent, field: string): boolean {
  return content[field] !== undefined && content[field] !== null;
}
