import type { ProviderFacts } from './internal/api/facts.ts';
import { APNS } from './providers/apns.ts';
import { FCM } from './providers/fcm.ts';
import { IN_APP } from './providers/in-app.ts';
import { INFOBIP } from './providers/infobip.ts';
import { LINE } from './providers/line.ts';
import { MAILGUN } from './providers/mailgun.ts';
import { POSTMARK } from './providers/postmark.ts';
import { RESEND } from './providers/resend.ts';
import { SENDGRID } from './providers/sendgrid.ts';
import { SES } from './providers/ses.ts';
import { SESV2 } from './providers/sesv2.ts';
import { SLACK } from './providers/slack.ts';
import { SMTP } from './providers/smtp.ts';
import { TWILIO } from './providers/twilio.ts';
import { VONAGE } from './providers/vonage.ts';
import { WEB_PUSH } from './providers/web-push.ts';
import { WEBHOOK } from './providers/webhook.ts';
import { WHATSAPP_CLOUD } from './providers/whatsapp-cloud.ts';

export { isExact, promiseOf } from './internal/api/promise.ts';
export type { ProviderFacts } from './internal/api/facts.ts';
export { grouped, type OutcomeGroup } from './internal/api/grouped.ts';
export { HTTP_ROWS } from './internal/api/outcome-table.ts';
export type { OutcomeRow, Verdict } from './internal/api/outcome-table.ts';

/** The providers there are, by channel. Loads no vendor's package. */
export const PROVIDERS: readonly ProviderFacts[] = [
  ...[SMTP, RESEND, POSTMARK, MAILGUN, SENDGRID, SESV2, SES],
  ...[TWILIO, INFOBIP, VONAGE, WHATSAPP_CLOUD, LINE],
  ...[FCM, APNS, WEB_PUSH],
  ...[SLACK, IN_APP, WEBHOOK],
];
