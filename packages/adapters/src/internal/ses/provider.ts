import type { Outcome, OutgoingMessage, Provider } from '@sendonce/core';
import { BODY_MS, outcomeOf, type ApiAnswer } from '../api/http-api.ts';
import type { ProviderFacts } from '../api/facts.ts';
import { deadlineOf } from '../deadline.ts';
import { wireAddress, type EmailAddress } from '../email/address.ts';
import { base64Length, tooLong } from '../email/limits.ts';
import { mailOf, type Mail } from '../email/mail.ts';
import type { Rejection } from '../rejection.ts';
import { mimeOf } from '../smtp/mime.ts';
import type { SesLibrary } from './library.ts';
import { isUnverified, quotaWaitMs, SES_OUTCOMES } from './outcomes.ts';
import { signedOnce, type SdkClient } from './signed-once.ts';

/** In which our delivery id travels, and comes back in the events of a configuration set. */
export const SES_TAG = 'sendonce_delivery';

/** What is known of SES, whichever version of its API; `sdk` is the package that speaks it. */
export function sesFacts(
  version: 1 | 2,
  { name, sdk }: { readonly name: string; readonly sdk: string },
): ProviderFacts {
  return {
    name,
    title: `Amazon SES, API version ${version}`,
    channels: ['email'],
    needs: `${sdk} nodemailer`,
    capabilities: {
      idempotency: { kind: 'none' },
      lookup: 'none',
      correlation: { field: `mail.tags.${SES_TAG}`, maxBytes: 256 },
      coalesce: false,
    },
    id: "SES's MessageId",
    outcomes: SES_OUTCOMES,
  };
}

/** One mail as SES takes it: its own bytes, and whom it is from and to. */
export interface RawMail {
  readonly from: string;
  readonly to: string;
  readonly bytes: Buffer;
  readonly deliveryId: string;
}

/** What is one version's own. */
export interface SesApi<Command> {
  readonly name: string;
  readonly facts: ProviderFacts;
  readonly from: EmailAddress;
  readonly timeoutMs: number;
  readonly mostBytes: number;
  readonly mime: SesLibrary<unknown>['mime'];
  readonly client: SdkClient<Command>;
  command(mail: RawMail): Command;
  idIn(answer: ApiAnswer): string | null;
  codeIn(answer: ApiAnswer): string | null;
  reasonIn(answer: ApiAnswer): string | null;
}

/** A provider that sends through SES: the SDK makes and signs each request, and it leaves once, on a connection of its own. */
export function sesProvider<Command>(api: SesApi<Command>): Provider {
  const { name, facts, client, timeoutMs, mostBytes } = api;
  let isClosed = false;
  return {
    name,
    capabilities: { ...facts.capabilities, lookup: 'none' },
    check(message) {
      const mail = checkedMail(api, message, 'checked');
      return 'kind' in mail ? mail : null;
    },
    async send(message, context): Promise<Outcome> {
      const deadline = deadlineOf(context);
      if (isClosed) return { kind: 'not-sent', reason: `the provider '${name}' is closed` };
      if (deadline.leftMs() <= 0) return { kind: 'not-sent', reason: 'the send deadline passed before the first byte' };
      const mail = checkedMail(api, message, context.key);
      if ('kind' in mail) return mail;
      const bytes = await mimeOf(mail, api.mime).catch((error: Error) => error);
      if (bytes instanceof Error)
        return { kind: 'rejected', scope: 'message', reason: `the mail could not be made: ${bytes.message}` };
      const long = tooLong('the mail', bytes.length, mostBytes);
      if (long !== null) return long;
      const { deliveryId } = mail;
      const command = api.command({
        from: wireAddress(mail.from.address),
        to: wireAddress(mail.to),
        bytes,
        deliveryId,
      });
      const result = await signedOnce(client, command, { deadline, timeoutMs, bodyMs: BODY_MS });
      if (result.kind !== 'answered') return { kind: result.kind, reason: result.reason };
      return outcomeOf(answersOf(api), result);
    },
    async close() {
      isClosed = true;
      client.destroy();
    },
  };
}

function answersOf<Command>(api: SesApi<Command>): Parameters<typeof outcomeOf>[0] {
  return {
    idIn: (answer) => api.idIn(answer),
    codeIn: (answer) => api.codeIn(answer),
    reasonIn: (answer) => api.reasonIn(answer),
    scopeIn: (answer) => (isUnverified(api.codeIn(answer), api.reasonIn(answer)) ? 'provider' : null),
    waitIn: (answer) => quotaWaitMs(api.reasonIn(answer)),
    table: SES_OUTCOMES,
  };
}

/** Headers with which SES is told things by SMTP. */
const COMMANDS = /^x-ses-/i;

function checkedMail<Command>(
  { from, mostBytes }: SesApi<Command>,
  message: OutgoingMessage,
  key: string,
): Mail | Rejection {
  const mail = mailOf(message, key, from, { commands: COMMANDS, asciiOnly: 'SES' });
  if ('kind' in mail) return mail;
  const { text, html, attachments } = mail;
  const length = Buffer.byteLength(text ?? '') + Buffer.byteLength(html ?? '') + base64Length(attachments);
  return tooLong('the mail', length, mostBytes) ?? mail;
}
