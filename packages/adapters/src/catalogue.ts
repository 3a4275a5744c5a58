import type { ProviderFacts } from './internal/api/facts.ts';
import { MAILGUN } from './providers/mailgun.ts';
import { POSTMARK } from './providers/postmark.ts';
import { RESEND } from './providers/resend.ts';
import { SENDGRID } from './providers/sendgrid.ts';
import { SES } from './providers/ses.ts';
import { SESV2 } from './providers/sesv2.ts';
import { SMTP } from './providers/smtp.ts';
import { WEBHOOK } from './providers/webhook.ts';

export { promiseOf } from './internal/api/promise.ts';
export type { ProviderFacts } from './internal/api/facts.ts';
export type { OutcomeRow, Verdict } from './internal/api/outcome-table.ts';

/** The providers there are, by name. Loads no vendor's package. */
export const PROVIDERS: readonly ProviderFacts[] = [SMTP, WEBHOOK, RESEND, POSTMARK, MAILGUN, SENDGRID, SESV2, SES];
