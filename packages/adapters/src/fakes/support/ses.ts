import { mailAddress } from './read.ts';
import { signatureProblem, type AwsKeys } from './sigv4.ts';
import type { Read, Refusals } from './vendor.ts';
import type { WireRequest } from './wire.ts';

/** What SES is told by a test, whichever version of its API. */
export interface SesAccount {
  /** The one pair of keys whose signatures are taken. @defaultValue any signature in the right form is */
  readonly credentials?: AwsKeys;
  /** Addresses and domains that are verified. @defaultValue all */
  readonly identities?: readonly string[];
  /** Whether recipients too have to be verified. @defaultValue false */
  readonly sandbox?: boolean;
  /** The configuration sets there are. @defaultValue any is taken */
  readonly configurationSets?: readonly string[];
}

/** What both versions refuse by the same name. */
export type SesCode =
  | 'MessageRejected'
  | 'MessageRejected-unverified'
  | 'Throttling'
  | 'Throttling-daily'
  | 'AccessDenied'
  | 'ExpiredToken'
  | 'InvalidClientTokenId'
  | 'SignatureDoesNotMatch'
  | 'RequestEntityTooLarge'
  | 'InternalFailure'
  | 'ServiceUnavailable';

export const SES_REFUSALS: Refusals<SesCode> = {
  MessageRejected: { status: 400, says: 'Email rejected: it contains a virus.', means: 'permanent-message' },
  'MessageRejected-unverified': {
    status: 400,
    code: 'MessageRejected',
    says: 'Email address is not verified. The following identities failed the check',
    means: 'auth-config',
  },
  Throttling: { status: 400, says: 'Maximum sending rate exceeded.', means: 'rate-limited' },
  'Throttling-daily': { status: 400, code: 'Throttling', says: 'Daily message quota exceeded.', means: 'rate-limited' },
  AccessDenied: { status: 403, says: 'User is not authorized to perform: ses:SendRawEmail', means: 'auth-config' },
  ExpiredToken: { status: 403, says: 'The security token included in the request is expired', means: 'auth-config' },
  InvalidClientTokenId: {
    status: 403,
    says: 'The security token included in the request is invalid.',
    means: 'auth-config',
  },
  SignatureDoesNotMatch: {
    status: 403,
    says: 'The request signature we calculated does not match the signature you provided.',
    means: 'auth-config',
  },
  RequestEntityTooLarge: {
    status: 413,
    says: 'Message length is more than the allowed size.',
    means: 'permanent-message',
  },
  InternalFailure: {
    status: 500,
    says: 'The request processing has failed because of an unknown error.',
    means: 'ambiguous',
  },
  ServiceUnavailable: {
    status: 503,
    says: 'The request has failed due to a temporary failure of the server.',
    means: 'ambiguous',
  },
};

export const MOST_RECIPIENTS = 50;
const TAG = /^[\w-]{1,256}$/;

/** One mail as both versions take it. */
export interface SesMail {
  readonly from: string | null;
  readonly to: readonly string[];
  readonly mime: string;
  readonly tags: readonly (readonly [name: string, value: string])[];
  readonly configurationSet: string | null;
}

/** What is wrong with who asks. */
export function refusedSigner(request: WireRequest, { credentials }: SesAccount): SesCode | null {
  const problem = signatureProblem(request, credentials);
  if (problem === null) return null;
  return problem === 'missing' ? 'AccessDenied' : problem === 'key' ? 'InvalidClientTokenId' : 'SignatureDoesNotMatch';
}

/** The mail, or what is wrong with it. `bad` and `noSuchSet` are what the version calls that. */
export function readMail<Code extends string>(
  mail: SesMail,
  account: SesAccount,
  { bad, noSuchSet, mostBytes }: { readonly bad: Code; readonly noSuchSet: Code; readonly mostBytes: number },
): Read<Code | SesCode> {
  const { from, to, mime, tags, configurationSet } = mail;
  const headers = /^([\s\S]*?)\r?\n\r?\n/.exec(mime)?.[1] ?? '';
  const sender = mailAddress(from ?? /^From: ?(.*(?:\r?\n[ \t].*)*)/im.exec(headers)?.[1]);
  if (sender === null) return { refused: bad, words: 'Missing or malformed From.' };
  if (to.length === 0 || to.length > MOST_RECIPIENTS) return { refused: bad, words: 'Recipient count is not 1 to 50.' };
  const wrong = to.find((each) => mailAddress(each) === null);
  if (wrong !== undefined) return { refused: bad, words: 'Illegal address' };
  if (!tags.flat().every((each) => TAG.test(each))) return { refused: bad, words: 'Invalid tag name or value.' };
  if (mime.length > mostBytes) return { refused: 'RequestEntityTooLarge' };
  const { identities, sandbox = false, configurationSets } = account;
  if (configurationSet !== null && configurationSets?.includes(configurationSet) === false)
    return { refused: noSuchSet, words: `Configuration set <${configurationSet}> does not exist.` };
  const unverified = [sender, ...(sandbox ? to : [])].find((each) => !isVerified(each, identities));
  if (unverified !== undefined)
    return {
      refused: 'MessageRejected-unverified',
      words: `Email address is not verified. The following identities failed the check: ${unverified}`,
    };
  const addresses = to.map((each) => mailAddress(each) ?? '');
  return { to: addresses, key: null, body: { mime, tags: Object.fromEntries(tags), configurationSet } };
}

function isVerified(address: string, identities: readonly string[] | undefined): boolean {
  return identities?.some((each) => address === each || address.endsWith(`@${each}`)) ?? true;
}
