import type { ProviderFacts } from './internal/api/facts.ts';
import { APNS } from './providers/apns.ts';
import { FCM } from './providers/fcm.ts';
import { RESEND } from './providers/resend.ts';
import { WEB_PUSH } from './providers/web-push.ts';

export { promiseOf } from './internal/api/promise.ts';
export type { ProviderFacts } from './internal/api/facts.ts';
export type { OutcomeRow, Verdict } from './internal/api/outcome-table.ts';

/** The providers there are, by name. Loads no vendor's package. */
export const PROVIDERS: readonly ProviderFacts[] = [RESEND, FCM, WEB_PUSH, APNS];
