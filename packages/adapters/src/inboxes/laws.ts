export type { InboxSubject } from '../internal/inbox/laws.ts';
export { inboxLaws } from '../internal/inbox/laws.ts';
