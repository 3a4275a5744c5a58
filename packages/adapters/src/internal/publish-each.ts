import type { PublishItem, PublishManyResult } from '@sendonce/core';
import { groupBy, isFields, type Rule } from '@sendonce/core/internal';
import { isForGood, reasonIn } from './retrying.ts';

/** The part of a notifier that is used. */
export interface PublisherLike {
  publishMany(type: string, items: readonly PublishItem[]): Promise<readonly PublishManyResult[]>;
}

export const NOTIFIER_RULE: Rule = {
  must: 'a notifier: createNotifier(config)',
  fits: (value) => isFields(value) && typeof value['publishMany'] === 'function',
  required: true,
  hidden: true,
};

export const ALERTS_RULE: Rule = {
  must: 'a list of alert sinks',
  fits: (value) => Array.isArray(value) && value.every((each) => isFields(each) && typeof each['send'] === 'function'),
};

export interface ToPublish {
  readonly type: string;
  readonly item: PublishItem;
}

/** What became of one. */
export type Published =
  | { readonly kind: 'accepted' | 'repeated' }
  /** `isForGood`: the same would be refused again. */
  | { readonly kind: 'failed'; readonly isForGood: boolean; readonly reason: string };

/** Publishes items of any types, with one call for each type; answers in their order, and never rejects. */
export async function publishEach(notifier: PublisherLike, items: readonly ToPublish[]): Promise<readonly Published[]> {
  const results = new Map<ToPublish, Published>();
  for (const group of groupBy(items, ({ type }) => type).values()) {
    const answers = await answersFor(notifier, group);
    for (const [i, each] of group.entries()) results.set(each, answers[i]!);
  }
  return items.map((each) => results.get(each)!);
}

/** A type that does not exist, or a ledger that is out of reach, is the answer for all. */
async function answersFor(notifier: PublisherLike, group: readonly ToPublish[]): Promise<readonly Published[]> {
  try {
    const items = group.map(({ item }) => item);
    const results = await notifier.publishMany(group[0]!.type, items);
    return results.map((result) => (result.kind === 'failed' ? failed(result.error) : { kind: result.kind }));
  } catch (error) {
    return group.map(() => failed(error));
  }
}

function failed(error: unknown): Published {
  return { kind: 'failed', isForGood: isForGood(error), reason: reasonIn(error) };
}
