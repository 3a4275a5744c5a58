import type { KeyObject } from 'node:crypto';
import { jsonIn } from '../api/http-api.ts';
import { at, textAt } from '../api/json-path.ts';
import { deadlineOf } from '../deadline.ts';
import { post } from '../http/post.ts';
import { jwt } from './jwt.ts';
import type { NotSent, Token } from './kept-token.ts';

/** What is used of a service account's JSON. */
export interface ServiceAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  readonly privateKey: KeyObject;
  readonly tokenUrl: URL;
}

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
/** The longest that Google takes: https://developers.google.com/identity/protocols/oauth2/service-account */
const ASSERTION_S = 3_600;
/** How long before its end a token is no longer used, ms: clocks differ, and a request takes its time. */
const EARLIER_MS = 300_000;
const TIMEOUT_MS = 10_000;

/** Asks Google for a token by a signed assertion (RFC 7523), once. Whatever goes wrong, no message was sent. Never rejects. */
export async function googleToken({ clientEmail, privateKey, tokenUrl }: ServiceAccount): Promise<Token | NotSent> {
  const now = Date.now();
  const iat = Math.floor(now / 1_000);
  const claims = { iss: clientEmail, scope: SCOPE, aud: tokenUrl.href, iat, exp: iat + ASSERTION_S };
  const assertion = jwt({ alg: 'RS256', typ: 'JWT' }, claims, privateKey);
  const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }).toString();
  const result = await post(
    { url: tokenUrl, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body },
    {
      // Not the deadline of the send that asked first: others wait for the same token.
      deadline: deadlineOf({ deadlineMs: TIMEOUT_MS, signal: new AbortController().signal }),
      timeoutMs: TIMEOUT_MS,
      bodyMs: TIMEOUT_MS,
    },
  );
  if (result.kind !== 'answered') return failed(result.reason);
  const json = jsonIn(result.body);
  const [value, seconds] = [textAt(json, 'access_token'), at(json, 'expires_in')];
  if (result.status !== 200 || value === null)
    return failed([`HTTP ${result.status}`, textAt(json, 'error'), textAt(json, 'error_description')].join(' ').trim());
  // A token that ends sooner than we stop using one is good for the sends that wait for it, and no more.
  return { value, untilMs: now + Number(seconds ?? 0) * 1_000 - EARLIER_MS };
}

function failed(reason: string): NotSent {
  return { kind: 'not-sent', reason: `no token from Google: ${reason.slice(0, 300)}` };
}
