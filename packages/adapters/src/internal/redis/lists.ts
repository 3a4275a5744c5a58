/** Parts of each item in the lists of a write, in their order. */
export const LISTS = {
  alone: ['id', 'version'],
  changed: ['id', 'version', 's', 'work', 'watch', 'erase', 'attentionBefore', 'attention', 'k', 'm', 'story'],
  made: ['id', 'notification', 'recipient', 'f', 'c', 's', 'work', 'watch', 'erase', 'attention', 'k', 'm', 'story'],
  notifications: ['id', 'version', 'told', 'state', 'sealed', 'work', 'body', 'opened', 'letters'],
  notificationsMade: ['id', 'state', 'sealed', 'recipients', 'work', 'body', 'data', 'opened', 'letters'],
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
export type Lists = Partial<Record<keyof typeof LISTS, readonly (readonly Cell[])[]>>;
