import { createHash } from 'node:crypto';
import type { Provider } from '@sendonce/core';
import { describe, expect, test, vi } from 'vitest';
import { SES_OUTCOMES } from '../../../src/internal/ses/outcomes.ts';
import { LETTERS, outcomeOf, requestsOf, SENDER, testApiMail } from './api-mail.ts';
import { testApiProvider } from './api-provider.ts';
import { answer, fakeHttp, type ReceivedRequest } from './fake-http.ts';
import { contextOf, outgoing } from './sending.ts';

export interface SesCase {
  readonly name: string;
  readonly make: (options: object) => Provider;
  readonly taken: (id: string) => string;
  readonly refusal: (code: string, words?: string) => string;
  readonly megabytes: number;
  readonly mostMegabytes: number;
  /** What a request says beside the mail, and the mail. */
  readonly read: (request: ReceivedRequest) => { readonly fields: object; readonly mime: string };
  readonly fields: (tag: string, to: string) => object;
}

const ID = '010f0191e5a4b3c2-0000';
const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret' };

/** What both versions show: the SDK signs, and exactly one request leaves. */
export function testSes({ name, make, taken, refusal, megabytes, mostMegabytes, read, fields }: SesCase): void {
  const options = { from: SENDER, region: 'eu-west-1', credentials };
  const at = (endpoint: string): Provider => make({ ...options, endpoint });

  testApiProvider({
    name,
    make: at,
    message: outgoing({ content: { subject: LETTERS, text: 'Hello.', headers: { 'X-Order': '7', 'X-Also': '8' } } }),
    taken: { status: 200, body: taken(ID) },
    id: ID,
    refusal: (code) => refusal(code),
    table: SES_OUTCOMES,
    varying: ['authorization', 'x-amz-date', 'amz-sdk-invocation-id'],
  });

  testApiMail({
    name,
    make: at,
    taken: taken(ID),
    megabytes,
    command: 'X-SES-Configuration-Set',
    tooLong: { text: 'x'.repeat(mostMegabytes * 1_048_576 + 1) },
  });

  describe(`${name}: a mail`, () => {
    test('is one signed request with tag and MIME, the name of the sender in it', async () => {
      const attachments = [
        { filename: 'ü.pdf', content: 'JVBERg==', encoding: 'base64', contentType: 'application/pdf' },
      ];
      const content = {
        subject: LETTERS,
        text: LETTERS,
        html: `<p>${LETTERS}`,
        headers: { 'X-Order': '7' },
        attachments,
      };
      const given = { ...options, configurationSet: 'events' };
      const complaints = vi.spyOn(console, 'warn');
      const [request] = await requestsOf((endpoint) => make({ ...given, endpoint }), content, taken(ID));
      expect(complaints).not.toHaveBeenCalled();
      complaints.mockRestore();
      expect(request?.headers['authorization']).toMatch(/^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-west-1\/ses\//);
      // What was signed is what came.
      const digest = createHash('sha256').update(request!.bytes).digest('hex');
      expect(request?.headers['x-amz-content-sha256']).toBe(digest);
      const signed = /SignedHeaders=([^,]*)/.exec(request?.headers['authorization'] ?? '')?.[1]?.split(';') ?? [];
      expect(signed).toEqual(expect.arrayContaining(['host', 'x-amz-content-sha256', 'x-amz-date']));
      expect(signed.filter((header) => request?.headers[header] === undefined)).toEqual([]);
      const { fields: said, mime } = read(request!);
      expect(said).toEqual(fields('d_1', 'ann@example.com'));
      expect(mime).toMatch(/^From: =\?UTF-8\?.*<shop@example\.com>\r\n/ms);
      expect(mime).toMatch(/^X-Sendonce-Delivery: d_1\r\n/m);
      expect(mime).toContain('\r\nX-Order: 7\r\n');
      expect(mime).toContain('JVBERg==');
    });

    test('is one request whatever the environment says of retries', async () => {
      vi.stubEnv('AWS_MAX_ATTEMPTS', '5');
      vi.stubEnv('AWS_RETRY_MODE', 'adaptive');
      const fake = await fakeHttp(() => ({ write: answer(503), then: 'close' }));
      const provider = at(`http://127.0.0.1:${fake.port}`);
      expect(await provider.send(outgoing(), contextOf())).toMatchObject({ kind: 'unknown' });
      expect(fake.complete.map(({ headers }) => headers['amz-sdk-request'])).toEqual(['attempt=1; max=1']);
      vi.unstubAllEnvs();
      await fake.close();
    });

    test.each<[what: string, credentials: () => Promise<never>, reason: RegExp]>([
      ['cannot be had', () => Promise.reject(new Error('no metadata')), /could not be made and signed.*no metadata/],
      ['do not come in time', () => new Promise(() => undefined), /not signed before the time was up/],
    ])('is not sent when its credentials %s', async (_what, getKeys, reason) => {
      const fake = await fakeHttp(() => ({ write: answer(200, taken(ID)), then: 'close' }));
      const provider = make({ ...options, endpoint: `http://127.0.0.1:${fake.port}`, credentials: getKeys });
      const outcome = await provider.send(outgoing(), contextOf({ deadlineMs: 500 }));
      expect(outcome).toMatchObject({ kind: 'not-sent', reason: expect.stringMatching(reason) as string });
      expect(fake.connections()).toBe(0);
      await fake.close();
    });

    test('whose sender or recipient is not verified is the business of the account', async () => {
      const words = 'Email address is not verified. The following identities failed the check: shop@example.com';
      const outcome = await outcomeOf(at, answer(400, refusal('MessageRejected', words)));
      expect(outcome).toMatchObject({ kind: 'rejected', scope: 'provider', code: 'MessageRejected' });
    });

    test('over the quota of the day waits an hour, over the rate as long as a retry does', async () => {
      const daily = refusal('Throttling', 'Daily message quota exceeded.');
      expect(await outcomeOf(at, answer(400, daily))).toMatchObject({ kind: 'deferred', retryAfterMs: 3_600_000 });
      const rate = refusal('Throttling', 'Maximum sending rate exceeded.');
      expect(await outcomeOf(at, answer(400, rate))).not.toHaveProperty('retryAfterMs');
    });

    test('to an address with other letters before the @ is for another provider', async () => {
      const checked = at('http://127.0.0.1:9').check?.(outgoing({ to: 'zoë@example.com' }));
      expect(checked).toMatchObject({ kind: 'rejected', scope: 'provider', code: 'SMTPUTF8' });
    });

    test.each([
      [{ ...options, from: 'nobody' }, 'from'],
      [{ ...options, configurationSet: 'a b' }, 'configurationSet'],
      [{ ...options, credentials: 'AKID:secret' }, 'credentials'],
      [{ ...options, timeoutMs: 0 }, 'timeoutMs'],
      [{ ...options, maxAttempts: 3 }, 'maxAttempts'],
    ])('%o is refused by its option', (given, option) => {
      expect(() => make(given)).toThrow(new RegExp(`^${name}: ${option}`));
    });
  });
}
