import type { SESClientConfig, SendRawEmailCommand } from '@aws-sdk/client-ses';
import type * as Sdk from '@aws-sdk/client-ses';
import type { Provider } from '@sendonce/core';
import type { ProviderFacts } from '../internal/api/facts.ts';
import type { ApiAnswer } from '../internal/api/http-api.ts';
import { senderOf, type EmailAddress } from '../internal/email/address.ts';
import { MB } from '../internal/email/limits.ts';
import { checkAdapter } from '../internal/options.ts';
import { sesLibrary } from '../internal/ses/library.ts';
import { clientConfig, SES_RULES } from '../internal/ses/options.ts';
import { checkRegion } from '../internal/ses/region.ts';
import { SES_TAG, sesFacts, sesProvider, type RawMail } from '../internal/ses/provider.ts';

export interface SesOptions {
  /** The sender: `a@example.com`, `Name <a@example.com>`, or `{ name, address }`. A verified identity in SES. */
  readonly from: string | EmailAddress;
  /** SES tells what became of a mail only through one. @defaultValue the identity's own, if it has one */
  readonly configurationSet?: string;
  /** @defaultValue what the SDK finds: AWS_REGION, or the profile */
  readonly region?: string;
  /** Keys, or a function that gets them. @defaultValue the SDK's own chain: environment, profile, container, instance */
  readonly credentials?: NonNullable<SESClientConfig['credentials']>;
  /** @defaultValue SES of the region */
  readonly endpoint?: string | URL;
  /** Unique within the channel; renaming it changes the Message-ID of what is sent again. @defaultValue 'ses' */
  readonly name?: string;
  /** How long a request may take, signing and connecting included. 1 to 300,000 ms; the send deadline may end it earlier. @defaultValue 15_000 */
  readonly timeoutMs?: number;
}

/** After encoding: https://docs.aws.amazon.com/ses/latest/dg/quotas.html */
const MOST_BYTES = 10 * MB;

const SDK = '@aws-sdk/client-ses';

/** What is known of Amazon SES, version 1 of its API. */
export const SES: ProviderFacts = sesFacts(1, { name: 'ses', sdk: SDK });

/**
 * Sends mail through version 1 of the API of Amazon SES, one recipient per request. The packages `@aws-sdk/client-ses`, which makes and
 * signs each request, and `nodemailer`, which makes the mail, are loaded by this call. SES drops no repeats and cannot be asked for a mail
 * whose answer was lost: it waits for its events.
 * @throws SendonceError OPTION_INVALID for an option that cannot work, DRIVER_MISSING without the packages.
 */
export function ses(options: SesOptions): Provider {
  checkAdapter('ses', options, SES_RULES);
  checkRegion('ses', options.region);
  const { name = SES.name, configurationSet, timeoutMs = 15_000 } = options;
  const from = senderOf('ses: from', options.from);
  const { sdk, mime } = sesLibrary<typeof Sdk>('ses', SDK);
  return sesProvider<SendRawEmailCommand>({
    name,
    facts: SES,
    from,
    timeoutMs,
    mostBytes: MOST_BYTES,
    mime,
    client: new sdk.SESClient(clientConfig(options)),
    command: ({ from: Source, to, bytes, deliveryId }: RawMail) =>
      new sdk.SendRawEmailCommand({
        Source,
        Destinations: [to],
        RawMessage: { Data: bytes },
        Tags: [{ Name: SES_TAG, Value: deliveryId }],
        ...(configurationSet !== undefined && { ConfigurationSetName: configurationSet }),
      }),
    idIn: inside('MessageId'),
    codeIn: inside('Code'),
    reasonIn: inside('Message'),
  });
}

/** The text of the first element of this name: an answer is a small XML document of which no more is needed. */
function inside(name: string): (answer: ApiAnswer) => string | null {
  const element = new RegExp(`<${name}>([^<]+)</${name}>`);
  return ({ body }) => element.exec(body ?? '')?.[1] ?? null;
}
