import type { ProviderFacts } from './internal/api/facts.ts';
import { INFOBIP } from './providers/infobip.ts';
import { LINE } from './providers/line.ts';
import { POSTMARK } from './providers/postmark.ts';
import { RESEND } from './providers/resend.ts';
import { SLACK } from './providers/slack.ts';
import { TWILIO } from './providers/twilio.ts';
import { VONAGE } from './providers/vonage.ts';
import { WHATSAPP_CLOUD } from './providers/whatsapp-cloud.ts';

export { promiseOf } from './internal/api/promise.ts';
export type { ProviderFacts } from './internal/api/facts.ts';
export type { OutcomeRow, Verdict } from './internal/api/outcome-table.ts';

/** The providers there are, by name. Loads no vendor's package. */
export const PROVIDERS: readonly ProviderFacts[] = [
  RESEND,
  POSTMARK,
  TWILIO,
  LINE,
  WHATSAPP_CLOUD,
  INFOBIP,
  VONAGE,
  SLACK,
];
