/** Parts of each item in the lists of a write, in their order. */
export const LISTS = {
  alone: ['id', 'version'],
  changed: ['id', 'version', 's', 'work', 'watch', 'erase', 'attentionBefore', 'attention', 'k', 'm', 'story'],
  made: ['id', 'notification', 'recipient', 'f', 'c', 's', 'work', 'watch', 'erase', 'attention', 'k', 'm', 'story'],
  gone: ['id', 'version', 'notification'],
  buried: ['id', 'body', 'over'],
  notifications: ['id', 'version', 'told', 'state', 'sealed', 'work', 'body', 'opened', 'letters'],
  notificationsMade: ['id', 'state', 'sealed', 'recipients', 'work', 'body', 'data', 'opened', 'letters'],
  free: ['who'],
  learned: ['key', 'delivery'],
  taken: ['about', 'count'],
  kept: ['about', 'absent', 'message', 'messageWas', 'name', 'body'],
  pages: ['notification', 'page', 'targets', 'fingerprint', 'content'],
  lastPages: ['notification', 'page'],
  expanded: ['notification', 'page'],
  suppressions: ['who', 'what', 'note'],
  blocks: ['scope', 'value'],
  claims: ['requestId', 'until', 'ids'],
  strays: ['id'],
  sums: ['name', 'change'],
  damaged: ['id'],
  damagedNotifications: ['id'],
} as const;

export type Cell = string | number;
/** An item of a list; one that is long is joined where it is made. */
export type Item = readonly Cell[] | string;
export type Lists = Partial<Record<keyof typeof LISTS, readonly Item[]>>;

/** Stands between the parts of all items. No part has a control character but the separator of values and the end of a line. */
export const BETWEEN = '\u001f';

function joined(item: Item): string {
  return typeof item === 'string' ? item : item.join(BETWEEN);
}

/**
 * How many items each list has, and all their parts in one: a client that writes thousands of arguments, as it does with texts, spends
 * most of its time on putting them together.
 */
export function packedLists(lists: Lists): readonly (Cell | Buffer)[] {
  const counts: number[] = [];
  const items: string[] = [];
  for (const name of Object.keys(LISTS) as (keyof typeof LISTS)[]) {
    const list = lists[name] ?? [];
    counts.push(list.length);
    for (const item of list) items.push(joined(item));
  }
  return [...counts, Buffer.from(items.join(BETWEEN))];
}
