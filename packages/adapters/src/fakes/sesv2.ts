import { wireFake, type Behaviour, type WireFake } from './support/fake.ts';
import { isObject, isText, jsonIn } from './support/read.ts';
import { readMail, refusedSigner, SES_REFUSALS, type SesAccount, type SesCode } from './support/ses.ts';
import type { Read, Refusals, Vendor } from './support/vendor.ts';
import { json, type WireRequest } from './support/wire.ts';

export type SesV2Code =
  | SesCode
  | ('BadRequestException' | 'MailFromDomainNotVerifiedException' | 'NotFoundException' | 'AccountSuspendedException')
  | ('SendingPausedException' | 'LimitExceededException' | 'TooManyRequestsException');

export interface FakeSesV2Options extends Behaviour<SesV2Code>, SesAccount {}

const REFUSALS: Refusals<SesV2Code> = {
  ...SES_REFUSALS,
  BadRequestException: { status: 400, says: 'The input you provided is invalid.', means: 'permanent-message' },
  MailFromDomainNotVerifiedException: {
    status: 400,
    says: 'The MAIL FROM domain is not verified.',
    means: 'auth-config',
  },
  NotFoundException: {
    status: 404,
    says: 'The resource you attempted to access does not exist.',
    means: 'auth-config',
  },
  AccountSuspendedException: { status: 400, says: 'The account is permanently restricted.', means: 'auth-config' },
  SendingPausedException: { status: 400, says: 'Sending is paused for the account.', means: 'auth-config' },
  LimitExceededException: {
    status: 400,
    says: 'There are too many instances of the resource type.',
    means: 'rate-limited',
  },
  TooManyRequestsException: {
    status: 429,
    says: 'Too many requests have been made to the operation.',
    means: 'rate-limited',
  },
};

const MOST_BYTES = 40 * 1_048_576;

/** `POST /v2/email/outbound-emails` of Amazon SES. It knows no repeats and cannot be asked for a mail. `Retry-After` it never says. */
export function fakeSesV2(options: FakeSesV2Options = {}): WireFake<SesV2Code> {
  return wireFake(vendor(options), options);
}

function vendor(options: FakeSesV2Options): Vendor<SesV2Code> {
  const refusal: Vendor<SesV2Code>['refusal'] = (code, message, status) =>
    json(status, { message }, { 'x-amzn-errortype': code });
  return {
    name: 'sesv2',
    title: 'Amazon SES, API version 2',
    origin: /^https:\/\/email\.[\w-]+\.amazonaws\.com\//,
    refusals: REFUSALS,
    throttles: 'TooManyRequestsException',
    isSend: ({ method, url }) => method === 'POST' && url.pathname === '/v2/email/outbound-emails',
    refusal,
    wait: (answer) => answer,
    read: (request) => {
      const refused = refusedSigner(request, options);
      return refused === null ? read(request, options) : { refused };
    },
    id: (nth) => `0100fake${String(nth).padStart(8, '0')}-000000`,
    taken: ([first]) => json(200, { MessageId: first?.id }),
    notFound: refusal('UnknownOperationException', 'no such operation', 404),
  };
}

function read(request: WireRequest, options: FakeSesV2Options): Read<SesV2Code> {
  const body = jsonIn(request);
  if (body === null) return { refused: 'BadRequestException', words: 'The request is no JSON.' };
  const { FromEmailAddress, Destination, Content, EmailTags = [], ConfigurationSetName } = body;
  const lists = ['ToAddresses', 'CcAddresses', 'BccAddresses'].map((name) =>
    isObject(Destination) ? (Destination[name] ?? []) : [],
  );
  const raw = isObject(Content) && isObject(Content['Raw']) ? Content['Raw']['Data'] : undefined;
  const mail = {
    from: typeof FromEmailAddress === 'string' ? FromEmailAddress : null,
    to: lists.flat().map(String),
    mime:
      typeof raw === 'string'
        ? Buffer.from(raw, 'base64').toString('latin1')
        : `From: ${String(FromEmailAddress)}\r\n\r\n${JSON.stringify(Content)}`,
    tags: (Array.isArray(EmailTags) ? EmailTags : []).map(pairOf),
    configurationSet: typeof ConfigurationSetName === 'string' ? ConfigurationSetName : null,
  };
  if (!isObject(Content)) return { refused: 'BadRequestException', words: 'Missing Content.' };
  return readMail<SesV2Code>(mail, options, {
    bad: 'BadRequestException',
    noSuchSet: 'NotFoundException',
    mostBytes: MOST_BYTES,
  });
}

function pairOf(tag: unknown): readonly [name: string, value: string] {
  const { Name, Value } = isObject(tag) ? tag : {};
  return [isText(Name) ? Name : '', isText(Value) ? Value : ''];
}
