import { DEEPEST } from '@sendonce/core/internal';
import { escapeProblem, textProblem } from './text-problem.ts';

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[[\]{},:]/g;

/** A list, or an object with the names that it has so far. */
type Level = Set<string> | null;

/**
 * What `JSON.parse` makes of a text without a word and other than it says: a name twice, of which the last one wins, or a number that
 * is rounded; and what nobody can store. Null: nothing. `text` is JSON.
 */
export function jsonProblem(text: string): string | null {
  const levels: Level[] = [];
  let before = '';
  for (const [token] of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === '{' || token === '[') {
      if (levels.push(token === '{' ? new Set() : null) > DEEPEST) return `is nested deeper than ${DEEPEST} levels`;
    } else if (token === '}' || token === ']') levels.pop();
    else if (token.startsWith('"')) {
      const isEscaped = token.includes('\\');
      const value = isEscaped ? (JSON.parse(token) as string) : token.slice(1, -1);
      const problem = isEscaped ? escapeProblem(value) : textProblem(value);
      if (problem !== null) return problem;
      const isName = level instanceof Set && before !== ':';
      if (isName && level.has(value)) return `has the name ${JSON.stringify(value)} twice in one object`;
      if (isName) level.add(value);
    } else if (!isExact(token))
      return `has the number ${token.slice(0, 40)}, which would be rounded to ${Number(token)}: give it as a text, in quotes`;
    before = token;
  }
  return null;
}

/** The smallest number that has as many digits as any other; below it they are lost one by one, and in the end there is 0. */
const LEAST_NORMAL = 2 ** -1_022;

/**
 * Fractions are what everybody takes floating point for. What is rounded before its point, has lost its digits near 0, or is no number
 * any more, is another one, unless it says exactly what is left.
 */
function isExact(token: string): boolean {
  if (!/\d/.test(token)) return true;
  const value = Number(token);
  const size = Math.abs(value);
  if (size >= LEAST_NORMAL && size <= Number.MAX_SAFE_INTEGER) return true;
  return Number.isFinite(value) && digits(token) === digits(String(value));
}

/** A number as its digits and the place of its point, however it is written. */
function digits(token: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? [];
  const significant = (whole + fraction).replace(/^0+/, '');
  const trimmed = significant.replace(/0+$/, '');
  if (trimmed === '') return '0';
  return `${trimmed} ${Number(exponent) - fraction.length + significant.length - trimmed.length}`;
}
