import { CONTROL } from './address.ts';
import { Refused } from './refused.ts';

export interface Attachment {
  readonly filename: string;
  readonly content: Buffer;
  readonly contentType: string | null;
  /** For pictures in the html: `cid:` and this. */
  readonly cid: string | null;
}

/** `content.attachments`, each with its bytes inside: a path or a URL would be read again on every attempt, and might say something else. */
export function attachmentsOf(given: unknown): readonly Attachment[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) throw new Refused('content.attachments must be a list');
  return given.map((each: unknown, i) => attachmentOf(each, `content.attachments[${i}]`));
}

const KNOWN: ReadonlySet<string> = new Set(['filename', 'content', 'encoding', 'contentType', 'cid']);
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(;[ !-~]*)?$/;

function attachmentOf(given: unknown, at: string): Attachment {
  if (typeof given !== 'object' || given === null) throw new Refused(`${at} must be { filename, content }`);
  const fields = given as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(fields).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) throw new Refused(`${at} may hold ${[...KNOWN].join(', ')}, got '${unknown}'`);
  const { encoding = 'utf8' } = fields;
  const contentType = line(fields, 'contentType', at);
  if (contentType !== null && !MEDIA_TYPE.test(contentType)) throw new Refused(`${at}.contentType is no media type`);
  return {
    filename: line(fields, 'filename', at) ?? missing(at),
    content: bytes(fields['content'], encoding, at),
    contentType,
    cid: line(fields, 'cid', at),
  };
}

function line(fields: Readonly<Record<string, unknown>>, name: string, at: string): string | null {
  const value = fields[name];
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && value !== '' && !CONTROL.test(value)) return value;
  throw new Refused(`${at}.${name} must be a text without line breaks`);
}

function missing(at: string): never {
  throw new Refused(`${at} needs a filename`);
}

function bytes(content: unknown, encoding: unknown, at: string): Buffer {
  if (typeof content !== 'string') throw new Refused(`${at}.content must be a text`);
  if (encoding === 'utf8') return Buffer.from(content);
  if (encoding !== 'base64') throw new Refused(`${at}.encoding must be 'utf8' or 'base64'`);
  const decoded = Buffer.from(content, 'base64');
  // Buffer.from skips what is not base64: a document must not arrive with holes.
  if (decoded.toString('base64').replace(/=+$/, '') !== content.replace(/\s+/g, '').replace(/=+$/, ''))
    throw new Refused(`${at}.content is not base64`);
  return decoded;
}
