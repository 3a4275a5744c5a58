import { FUNCTION_RULE, type Rule } from '@sendonce/core/internal';
import { inboxOn, POLL_RULE } from '../internal/inbox/inbox-on.ts';
import type { Inbox, InboxOptions } from '../internal/inbox/inbox.ts';
import { memoryStore } from '../internal/inbox/memory-store.ts';
import { checkAdapter } from '../internal/options.ts';

export type * from '../internal/inbox/inbox.ts';

export interface MemoryInboxOptions extends InboxOptions {
  /** Epoch ms. @defaultValue Date.now */
  readonly now?: () => number;
}

/** Inboxes in this process alone, gone with it: for tests, and to try things out. @throws SendonceError OPTION_INVALID */
export function memoryInbox(options: MemoryInboxOptions = {}): Inbox {
  checkAdapter('memoryInbox', options, RULES);
  const { now = Date.now, pollMs } = options;
  return inboxOn(memoryStore(now), { pollMs });
}

const RULES: Record<keyof MemoryInboxOptions, Rule> = { now: FUNCTION_RULE, pollMs: POLL_RULE };
