/** What the store's hash says of the data: which they are, and whether a loss was noticed in them. */
export interface Memory {
  readonly key: string;
  readonly hasChanged: boolean;
}

/**
 * Whether a server still has all that it had confirmed when it was `before` (identities as the scripts make them). Another process may
 * have lost the last writes. So may the same one that was a replica in between: it took over the data of another, and began a history of
 * its own when it was promoted. A master also begins one when its first replica comes, or its last has been gone for an hour, and
 * loses nothing by that.
 */
export function isSameMemory(before: string, now: string): boolean {
  const [run, history] = before.split('/');
  const [runNow, historyNow, promoted] = now.split('/');
  return run === runNow && (history === historyNow || promoted !== 'promoted');
}
