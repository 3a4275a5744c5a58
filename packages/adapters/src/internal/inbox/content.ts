import { addressProblem, type MessageContent, type OutgoingMessage } from '@sendonce/core';
import { isFields } from '@sendonce/core/internal';
import { badDestination, badMessage } from '../api/reject.ts';
import { has } from '../chat/text.ts';
import type { Rejection } from '../rejection.ts';
import { bodyOf, nameProblem } from './checks.ts';

/** What is shown of a message; one of them has to be there. */
const SHOWN = ['title', 'subject', 'text', 'html'] as const;

/** Why a message can never stand in an inbox, or null. */
export function itemProblem({ to, content }: Pick<OutgoingMessage, 'to' | 'content'>): Rejection | null {
  const about = addressProblem('in-app', to) ?? nameProblem(to.trim());
  if (about !== null) return badDestination(`the recipient's id cannot be used: ${about}`);
  const problem = contentProblem(content);
  return problem === null ? null : badMessage(problem);
}

function contentProblem(content: MessageContent): string | null {
  for (const field of SHOWN)
    if (has(content, field) && typeof content[field] !== 'string') return `content.${field} must be a text`;
  const isShown = (text: unknown): boolean => typeof text === 'string' && text.trim() !== '';
  if (!SHOWN.some((field) => isShown(content[field]))) return `content needs one of ${SHOWN.join(', ')}`;
  for (const field of ['url', 'image'])
    if (has(content, field) && !isLink(content[field]))
      return `content.${field} must be an http or https address, or a path that begins with one '/'`;
  if (has(content, 'data') && !isFields(content['data'])) return 'content.data must be an object';
  const made = bodyOf(content);
  return 'problem' in made ? made.problem : null;
}

/** It becomes a link on a page, where `javascript:` would be run, and `//host` or `/\host` would lead elsewhere without looking so. */
function isLink(given: unknown): boolean {
  if (typeof given !== 'string') return false;
  if (/^\/(?![/\\])/.test(given)) return !/[\p{Cc}]/u.test(given);
  return /^https?:\/\//i.test(given) && URL.canParse(given);
}
