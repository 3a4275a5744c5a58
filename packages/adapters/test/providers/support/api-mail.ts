import type { LookupAnswer, Outcome, OutgoingMessage, Provider } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { answer, fakeHttp, type ReceivedRequest } from './fake-http.ts';
import { contextOf, outgoing } from './sending.ts';

/** Letters that end somewhere else than a careless program thinks: outside the basic plane, right to left, combined. */
export const LETTERS = 'Zoë 😀 𝒳 עברית العربية 漢字 e\u0301';
export const SENDER = 'Acme "Shop" 😀 <shop@example.com>';

export interface ApiMailCase {
  readonly name: string;
  readonly make: (baseUrl: string) => Provider;
  readonly taken: string;
  /** The longest attachment that is to be taken, in MB. */
  readonly megabytes: number;
  /** A header by which the vendor takes orders. */
  readonly command: string;
  /** A text that is longer than what the vendor takes. */
  readonly tooLong: Readonly<Record<string, unknown>>;
}

/** The requests of one send of such a content, to a server that takes everything. */
export async function requestsOf(
  make: (baseUrl: string) => Provider,
  content: OutgoingMessage['content'],
  taken: string,
): Promise<readonly ReceivedRequest[]> {
  const fake = await fakeHttp(() => ({ write: answer(200, taken), then: 'close' }));
  await make(`http://127.0.0.1:${fake.port}`).send(outgoing({ content }), contextOf());
  await fake.close();
  return fake.complete;
}

/** What a send comes to whose answer is this. */
export async function outcomeOf(make: (baseUrl: string) => Provider, write: string): Promise<Outcome> {
  const fake = await fakeHttp(() => ({ write, then: 'close' }));
  const outcome = await make(`http://127.0.0.1:${fake.port}`).send(outgoing(), contextOf());
  await fake.close();
  return outcome;
}

/** What every adapter that sends mail through an API shows beside its outcomes. */
export function testApiMail({ name, make, taken, megabytes, command, tooLong }: ApiMailCase): void {
  describe(`${name}: a mail`, () => {
    test(`with an attachment of ${megabytes} MB is one whole request`, async () => {
      const content = Buffer.alloc(megabytes * 1_048_576, 'x').toString('base64');
      const attachments = [{ filename: 'a.bin', content, encoding: 'base64' }];
      const requests = await requestsOf(make, { text: 'x', attachments }, taken);
      expect(requests.map(({ bytes }) => bytes.length > megabytes * 1_048_576)).toEqual([true]);
    });

    test.each([
      ['a line break in the subject', { subject: 'a\r\nBcc: all@example.com', text: 'x' }],
      ['neither text nor html', { subject: 'a' }],
      ['a header that is ours to write', { text: 'x', headers: { To: 'all@example.com' } }],
      ['a header that gives the vendor orders', { text: 'x', headers: { [command]: 'x' } }],
      ['an attachment from a path', { text: 'x', attachments: [{ filename: 'a', path: '/etc/passwd' }] }],
      ['more than is taken', tooLong],
    ])('with %s is rejected before any request', async (_what, content) => {
      // Nobody listens at port 9.
      const provider = make('http://127.0.0.1:9');
      const rejected = { kind: 'rejected', scope: 'message' };
      expect(provider.check?.(outgoing({ content }))).toMatchObject(rejected);
      expect(await provider.send(outgoing({ content }), contextOf())).toMatchObject(rejected);
    });

    test('to no address is rejected for its destination', async () => {
      const provider = make('http://127.0.0.1:9');
      const rejected = { kind: 'rejected', scope: 'destination' };
      expect(await provider.send(outgoing({ to: 'a@example.com, b@example.com' }), contextOf())).toMatchObject(
        rejected,
      );
    });
  });
}

export interface ApiLookupCase {
  readonly name: string;
  readonly make: (baseUrl: string) => Provider;
  /** A page of the vendor's log that holds our message and another one. */
  readonly found: (deliveryId: string) => string;
  readonly empty: string;
  /** What a log that holds other messages proves. */
  readonly others: 'absent' | 'cannot-tell';
  readonly id: string;
}

/** What every lookup in a vendor's log shows: one GET, and nothing found that is not ours. */
export function testApiLookup({ name, make, found, empty, others, id }: ApiLookupCase): void {
  const find = (provider: Provider, signal = new AbortController().signal): Promise<LookupAnswer> => {
    const { lookup } = provider.capabilities;
    if (lookup === 'none') throw new Error('there is no lookup');
    const asked = { deliveryId: 'd_1', key: 'k_1', to: 'ann@example.com', markedAt: Date.UTC(2026, 2, 1, 8) };
    return lookup.find(asked, { signal });
  };

  describe(`${name}: a lookup`, () => {
    test.each<[what: string, write: string, expected: object]>([
      ['finds what the log holds', answer(200, found('d_1')), { kind: 'found', providerMessageId: id }],
      ['does not take another message for ours', answer(200, found('d_2')), { kind: others }],
      ['finds nothing in an empty log', answer(200, empty), { kind: 'absent' }],
      ['learns nothing from an empty object', answer(200, '{}'), { kind: 'cannot-tell' }],
      ['learns nothing from HTML', answer(200, '<html>'), { kind: 'cannot-tell' }],
      ['learns nothing from 401', answer(401, 'who?'), { kind: 'cannot-tell', reason: 'HTTP 401: who?' }],
      ['learns nothing from 404', answer(404), { kind: 'cannot-tell' }],
      ['learns nothing from 429', answer(429), { kind: 'cannot-tell' }],
      ['learns nothing from 500', answer(500), { kind: 'cannot-tell' }],
      ['learns nothing from a connection that closes', '', { kind: 'cannot-tell' }],
    ])('%s', async (_what, write, expected) => {
      const fake = await fakeHttp(() => ({ write, then: 'close' }));
      expect(await find(make(`http://127.0.0.1:${fake.port}`))).toMatchObject(expected);
      expect(fake.complete.map(({ line }) => line.split(' ')[0])).toEqual(['GET']);
      await fake.close();
    });

    test('learns nothing where nobody listens, and asks nobody once it is given up', async () => {
      const over = new AbortController();
      over.abort();
      expect(await find(make('http://127.0.0.1:9'))).toMatchObject({ kind: 'cannot-tell' });
      const fake = await fakeHttp(() => ({ write: answer(200, found('d_1')), then: 'close' }));
      expect(await find(make(`http://127.0.0.1:${fake.port}`), over.signal)).toMatchObject({ kind: 'cannot-tell' });
      expect(fake.complete).toEqual([]);
      await fake.close();
    });
  });
}
