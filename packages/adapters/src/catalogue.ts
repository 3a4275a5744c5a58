import type { ProviderFacts } from './internal/api/facts.ts';
import { LINE } from './providers/line.ts';
import { POSTMARK } from './providers/postmark.ts';
import { RESEND } from './providers/resend.ts';
import { TWILIO } from './providers/twilio.ts';
import { WHATSAPP_CLOUD } from './providers/whatsapp-cloud.ts';

export { promiseOf } from './internal/api/promise.ts';
export type { ProviderFacts } from './internal/api/facts.ts';
export type { OutcomeRow, Verdict } from './internal/api/outcome-table.ts';

/** The providers there are, by name. Loads no vendor's package. */
export const PROVIDERS: readonly ProviderFacts[] = [RESEND, POSTMARK, TWILIO, LINE, WHATSAPP_CLOUD];
