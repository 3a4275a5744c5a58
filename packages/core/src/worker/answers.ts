import { reasonOf, SendonceError } from '../model/errors.ts';

/** What an answer has before it was looked at. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** What a list that a port answered has to be. */
export interface ListOf {
  /** `ledger.mark` */
  readonly call: string;
  /** As many as were asked for, or null where that is open. */
  readonly count: number | null;
  readonly isOne: (item: Fields, at: number) => boolean;
}

/**
 * A port's answer as the list that it has to be. An adapter may be anybody's: what it answers wrongly must be met where it is asked,
 * as a port that failed, and not as a broken worker somewhere behind.
 * @throws SendonceError LAW_BROKEN that says what came.
 */
export function listOf<T>(answer: readonly T[], { call, count, isOne }: ListOf): readonly T[] {
  const given: unknown = answer;
  if (!Array.isArray(given)) broken(call, `${count ?? 'any number of'} answers in a list`, reasonOf(given));
  if (count !== null && given.length !== count) broken(call, `${count} answers`, `${given.length}`);
  given.forEach((item: unknown, at) => {
    if (!isFields(item) || !isOne(item, at)) broken(call, 'an answer of its port', `${shown(item)} at place ${at}`);
  });
  return answer;
}

/** @throws SendonceError LAW_BROKEN */
export function broken(call: string, expected: string, came: string): never {
  throw new SendonceError(
    'LAW_BROKEN',
    `${call}: expected ${expected}, got ${came}. The adapter breaks its contract: run its conformance laws`,
  );
}

/** Its kind tells more than the names of its fields. */
function shown(item: unknown): string {
  return isFields(item) && isText(item['kind']) ? `kind '${item['kind']}' (${reasonOf(item)})` : reasonOf(item);
}
