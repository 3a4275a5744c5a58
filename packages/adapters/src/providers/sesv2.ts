import type { SESv2ClientConfig, SendEmailCommand } from '@aws-sdk/client-sesv2';
import type * as Sdk from '@aws-sdk/client-sesv2';
import type { Provider } from '@sendonce/core';
import type { ProviderFacts } from '../internal/api/facts.ts';
import { textAt } from '../internal/api/json-path.ts';
import type { ApiAnswer } from '../internal/api/http-api.ts';
import { senderOf, type EmailAddress } from '../internal/email/address.ts';
import { MB } from '../internal/email/limits.ts';
import { checkAdapter } from '../internal/options.ts';
import { sesLibrary } from '../internal/ses/library.ts';
import { clientConfig, SES_RULES } from '../internal/ses/options.ts';
import { checkRegion } from '../internal/ses/region.ts';
import { SES_TAG, sesFacts, sesProvider, type RawMail } from '../internal/ses/provider.ts';

export interface SesV2Options {
  /** The sender: `a@example.com`, `Name <a@example.com>`, or `{ name, address }`. A verified identity in SES. */
  readonly from: string | EmailAddress;
  /** SES tells what became of a mail only through one. @defaultValue the identity's own, if it has one */
  readonly configurationSet?: string;
  /** @defaultValue what the SDK finds: AWS_REGION, or the profile */
  readonly region?: string;
  /** Keys, or a function that gets them. @defaultValue the SDK's own chain: environment, profile, container, instance */
  readonly credentials?: NonNullable<SESv2ClientConfig['credentials']>;
  /** @defaultValue SES of the region */
  readonly endpoint?: string | URL;
  /** Unique within the channel; renaming it changes the Message-ID of what is sent again. @defaultValue 'sesv2' */
  readonly name?: string;
  /** How long a request may take, signing and connecting included. 1 to 300,000 ms; the send deadline may end it earlier. @defaultValue 15_000 */
  readonly timeoutMs?: number;
}

/** After encoding: https://docs.aws.amazon.com/ses/latest/dg/quotas.html */
const MOST_BYTES = 40 * MB;

const SDK = '@aws-sdk/client-sesv2';

/** What is known of Amazon SES, version 2 of its API. */
export const SESV2: ProviderFacts = sesFacts(2, { name: 'sesv2', sdk: SDK });

/**
 * Sends mail through version 2 of the API of Amazon SES, one recipient per request. The packages `@aws-sdk/client-sesv2`, which makes and
 * signs each request, and `nodemailer`, which makes the mail, are loaded by this call. SES drops no repeats and cannot be asked for a mail
 * whose answer was lost: it waits for its events.
 * @throws SendonceError OPTION_INVALID for an option that cannot work, DRIVER_MISSING without the packages.
 */
export function sesv2(options: SesV2Options): Provider {
  checkAdapter('sesv2', options, SES_RULES);
  checkRegion('sesv2', options.region);
  const { name = SESV2.name, configurationSet, timeoutMs = 15_000 } = options;
  const from = senderOf('sesv2: from', options.from);
  const { sdk, mime } = sesLibrary<typeof Sdk>('sesv2', SDK);
  return sesProvider<SendEmailCommand>({
    name,
    facts: SESV2,
    from,
    timeoutMs,
    mostBytes: MOST_BYTES,
    mime,
    client: new sdk.SESv2Client(clientConfig(options)),
    command: ({ to, bytes, deliveryId }: RawMail) =>
      // Without FromEmailAddress: SES would put it over the header From, whose name is then lost.
      new sdk.SendEmailCommand({
        Destination: { ToAddresses: [to] },
        Content: { Raw: { Data: bytes } },
        EmailTags: [{ Name: SES_TAG, Value: deliveryId }],
        ...(configurationSet !== undefined && { ConfigurationSetName: configurationSet }),
      }),
    idIn: ({ json }) => textAt(json, 'MessageId'),
    codeIn,
    reasonIn: ({ json }) => textAt(json, 'message') ?? textAt(json, 'Message'),
  });
}

/** The name of an error, without the shape before it and the address after it. */
function codeIn({ headers, json }: ApiAnswer): string | null {
  const given = headers['x-amzn-errortype'];
  const told = typeof given === 'string' ? given : (textAt(json, '__type') ?? textAt(json, 'code'));
  return told === null ? null : (/^(?:.*#)?([^:#]+)/.exec(told)?.[1] ?? null);
}
