import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { WireRequest } from './wire.ts';

export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** What is wrong with a signature of version 4, or null. Without keys, whatever is signed in the right form is believed. */
export function signatureProblem(request: WireRequest, keys: AwsKeys | undefined): 'missing' | 'key' | 'wrong' | null {
  const { authorization = '' } = request.headers;
  const said =
    /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/([^,]+\/ses\/aws4_request), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      authorization,
    );
  if (said === null) return 'missing';
  const [, id = '', scope = '', signed = '', signature = ''] = said;
  if (keys === undefined) return null;
  if (id !== keys.accessKeyId) return 'key';
  const expected = signatureOf(request, { scope, signed, secret: keys.secretAccessKey });
  return timingSafeEqual(Buffer.from(expected), Buffer.from(signature)) ? null : 'wrong';
}

interface Signed {
  /** `20260301/eu-west-1/ses/aws4_request` */
  readonly scope: string;
  /** Names of headers, with `;` in between. */
  readonly signed: string;
  readonly secret: string;
}

function signatureOf({ method, url, headers, bytes }: WireRequest, { scope, signed, secret }: Signed): string {
  const query = [...url.searchParams].map(([name, value]) => `${encoded(name)}=${encoded(value)}`).sort();
  const lines = signed.split(';').map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}\n`);
  const canonical = [method, url.pathname, query.join('&'), lines.join(''), signed, sha256(bytes)].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'] ?? '', scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<Buffer | string>((sum, part) => hmac(sum, part), `AWS4${secret}`);
  return hmac(key, toSign).toString('hex');
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: Buffer | string, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest();
}
