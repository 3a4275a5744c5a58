import { wireFake, type Behaviour, type WireFake } from './support/fake.ts';
import { formIn } from './support/read.ts';
import { readMail, refusedSigner, SES_REFUSALS, type SesAccount, type SesCode } from './support/ses.ts';
import type { Read, Refusals, Vendor } from './support/vendor.ts';
import type { WireAnswer, WireRequest } from './support/wire.ts';

export type SesV1Code =
  | SesCode
  | ('InvalidParameterValue' | 'MailFromDomainNotVerifiedException' | 'ConfigurationSetDoesNotExist')
  | ('AccountSendingPausedException' | 'ConfigurationSetSendingPausedException');

export interface FakeSesOptions extends Behaviour<SesV1Code>, SesAccount {}

const REFUSALS: Refusals<SesV1Code> = {
  ...SES_REFUSALS,
  InvalidParameterValue: { status: 400, says: "Missing final '@domain'", means: 'permanent-message' },
  MailFromDomainNotVerifiedException: {
    status: 400,
    says: 'The MAIL FROM domain is not verified.',
    means: 'auth-config',
  },
  ConfigurationSetDoesNotExist: { status: 400, says: 'Configuration set does not exist.', means: 'auth-config' },
  AccountSendingPausedException: { status: 400, says: 'Sending is paused for the account.', means: 'auth-config' },
  ConfigurationSetSendingPausedException: {
    status: 400,
    says: 'Sending is paused for the configuration set.',
    means: 'auth-config',
  },
};

const MOST_BYTES = 10 * 1_048_576;

/** `SendEmail` and `SendRawEmail` of version 1 of Amazon SES: a form in, XML out. It knows no repeats. `Retry-After` it never says. */
export function fakeSes(options: FakeSesOptions = {}): WireFake<SesV1Code> {
  return wireFake(vendor(options), options);
}

function vendor(options: FakeSesOptions): Vendor<SesV1Code> {
  return {
    name: 'ses',
    title: 'Amazon SES, API version 1',
    origin: /^https:\/\/email\.[\w-]+\.amazonaws\.com\//,
    refusals: REFUSALS,
    throttles: 'Throttling',
    isSend: ({ method, url }) => method === 'POST' && url.pathname === '/',
    refusal: refusalOf,
    wait: (answer) => answer,
    read: (request) => {
      const refused = refusedSigner(request, options);
      return refused === null ? read(request, options) : { refused };
    },
    id: (nth) => `0100fake${String(nth).padStart(8, '0')}-000000`,
    taken: ([first], request) => {
      const { Action = '' } = formIn(request);
      return xml(
        200,
        `<${Action}Response xmlns="${NAMESPACE}"><${Action}Result><MessageId>${first?.id}</MessageId></${Action}Result></${Action}Response>`,
      );
    },
    notFound: refusalOf('InvalidAction', 'no such action', 404),
  };
}

const NAMESPACE = 'http://ses.amazonaws.com/doc/2010-12-01/';

function xml(status: number, body: string): WireAnswer {
  return { status, headers: { 'content-type': 'text/xml' }, body };
}

function refusalOf(code: string, words: string, status: number): WireAnswer {
  const who = status >= 500 ? 'Receiver' : 'Sender';
  const text = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return xml(
    status,
    `<ErrorResponse xmlns="${NAMESPACE}"><Error><Type>${who}</Type><Code>${code}</Code><Message>${text}</Message></Error></ErrorResponse>`,
  );
}

function read(request: WireRequest, options: FakeSesOptions): Read<SesV1Code> {
  const form = formIn(request);
  const { Action, Source } = form;
  if (Action !== 'SendRawEmail' && Action !== 'SendEmail')
    return { refused: 'InvalidParameterValue', words: 'Unknown Action' };
  const values = (pattern: RegExp): readonly string[] =>
    Object.entries(form).flatMap(([name, value]) => (pattern.test(name) ? [value] : []));
  const raw = form['RawMessage.Data'];
  const names = values(/^Tags\.member\.\d+\.Name$/);
  const mail = {
    from: Source ?? null,
    to: values(/^Destinations?\.(?:(?:To|Cc|Bcc)Addresses\.)?member\.\d+$/),
    mime:
      raw === undefined
        ? `From: ${Source}\r\n\r\n${values(/^Message\./).join('\r\n')}`
        : Buffer.from(raw, 'base64').toString('latin1'),
    tags: values(/^Tags\.member\.\d+\.Value$/).map((value, i) => [names[i] ?? '', value] as const),
    configurationSet: form['ConfigurationSetName'] ?? null,
  };
  return readMail<SesV1Code>(mail, options, {
    bad: 'InvalidParameterValue',
    noSuchSet: 'ConfigurationSetDoesNotExist',
    mostBytes: MOST_BYTES,
  });
}
