import type { OutgoingMessage, Outcome, Provider, SendContext } from '@sendonce/core';
import { afterEach, describe, expect, test } from 'vitest';
import type { OutcomeRow } from '../../../src/internal/api/outcome-table.ts';
import { answer, fakeHttp, type FakeHttp, type HttpAct, type ReceivedRequest } from './fake-http.ts';
import { contextOf } from './sending.ts';

/** A provider over a plain HTTP API, and what its vendor would say. */
export interface ApiProviderCase {
  readonly name: string;
  readonly make: (baseUrl: string) => Provider;
  readonly message: OutgoingMessage;
  /** The answer to a message that was taken. */
  readonly taken: {
    readonly status: number;
    readonly body: string;
    readonly headers?: Readonly<Record<string, string>>;
  };
  readonly id: string;
  /** The body with which the vendor says this code. */
  readonly refusal: (code: string, status: number) => string;
  readonly table: readonly OutcomeRow[];
  /** The status of a row that names none. @defaultValue 400 */
  readonly statusOf?: (row: OutcomeRow) => number;
  /** Headers that differ from one request to the next: what is signed anew, with its time. @defaultValue none */
  readonly changing?: readonly string[];
}

const SLOW: Partial<SendContext> = { deadlineMs: 1_000 };
const unknown: Expected = { kind: 'unknown' };

type Fault = [what: string, act: HttpAct, outcome: Expected, context?: Partial<SendContext>];

interface Expected {
  readonly kind: Outcome['kind'];
  readonly reason?: string | RegExp;
  readonly [field: string]: unknown;
}

/** What happens once the whole request has been read, and what may be said of it: the same for every vendor. */
function faultsOf({ taken }: ApiProviderCase): readonly Fault[] {
  const ok = answer(taken.status, taken.body, taken.headers);
  return [
    ['resets the connection', { then: 'reset' }, unknown],
    ['closes the connection', { then: 'close' }, unknown],
    ['never answers', { then: 'hang' }, unknown, SLOW],
    ['answers with half a status line', { write: 'HTTP/1.1 2', then: 'close' }, unknown],
    ['answers 500', { write: answer(500, 'oops'), then: 'close' }, unknown],
    ['answers 502', { write: answer(502, '<html>Bad Gateway</html>'), then: 'close' }, unknown],
    ['answers 503', { write: answer(503), then: 'close' }, unknown],
    ['answers 503 with Retry-After', { write: answer(503, '', { 'retry-after': '3' }), then: 'close' }, unknown],
    ['answers 504', { write: answer(504), then: 'close' }, unknown],
    ['answers 408', { write: answer(408), then: 'close' }, unknown],
    ['answers 429', { write: answer(429), then: 'close' }, { kind: 'deferred' }],
    [
      'answers 429 with Retry-After',
      { write: answer(429, '', { 'retry-after': '3' }), then: 'close' },
      { kind: 'deferred', retryAfterMs: 3_000 },
    ],
    ['answers 200 with nothing', { write: answer(200), then: 'close' }, { kind: 'unknown', reason: 'missing-id' }],
    [
      'answers 200 with HTML',
      { write: answer(200, '<html>'), then: 'close' },
      { kind: 'unknown', reason: 'missing-id' },
    ],
    [
      'answers 200 with an empty object',
      { write: answer(200, '{}'), then: 'close' },
      { kind: 'unknown', reason: 'missing-id' },
    ],
    ['answers that it was taken, and resets', { write: ok, then: 'reset' }, { kind: 'accepted' }],
    [
      'answers 200 and breaks off',
      { write: answer(200, '{', { 'content-length': '100' }), then: 'close' },
      { kind: 'unknown', reason: 'missing-id' },
    ],
    [
      'sends it elsewhere with 307',
      { write: answer(307, '', { location: '/elsewhere' }), then: 'close' },
      { kind: 'rejected', scope: 'provider' },
    ],
    ['answers 421', { write: answer(421), then: 'close' }, { kind: 'rejected', scope: 'provider' }],
    [
      'answers 418, which nobody documents',
      { write: answer(418, 'teapot'), then: 'close' },
      { kind: 'unknown', reason: /not documented.*418.*teapot/ },
    ],
  ];
}

/** What every provider over an HTTP API shows at the wire: one whole request per attempt, and the stated outcome. */
export function testApiProvider(given: ApiProviderCase): void {
  const { name, make, message, taken, id, refusal, table, statusOf = () => 400, changing = [] } = given;
  const open: FakeHttp[] = [];
  afterEach(async () => {
    for (const fake of open.splice(0)) await fake.close();
  });

  async function sent(
    act: HttpAct,
    context: Partial<SendContext> = {},
  ): Promise<{ outcome: Outcome; requests: readonly ReceivedRequest[] }> {
    const fake = await fakeHttp(() => act);
    open.push(fake);
    const outcome = await make(`http://127.0.0.1:${fake.port}`).send(message, contextOf(context));
    return { outcome, requests: fake.complete };
  }

  const accepts: HttpAct = { write: answer(taken.status, taken.body, taken.headers), then: 'close' };

  describe(`${name}: a service that read the whole request`, () => {
    test('accepts it: its id is the one of the message', async () => {
      const { outcome, requests } = await sent(accepts);
      expect(outcome).toEqual({ kind: 'accepted', providerMessageId: id });
      expect(requests).toHaveLength(1);
    });

    test.for(faultsOf(given))('%s', async ([, act, { reason, ...expected }, context]) => {
      const { outcome, requests } = await sent(act, context);
      expect(outcome).toMatchObject(expected);
      if (reason instanceof RegExp) expect((outcome as { reason: string }).reason).toMatch(reason);
      else if (reason !== undefined) expect(outcome).toMatchObject({ reason });
      expect(requests).toHaveLength(1);
    });
  });

  describe(`${name}: each documented answer`, () => {
    test.each(table.map((row) => [row.status ?? statusOf(row), row.code ?? '(no code)', row.is, row] as const))(
      'HTTP %s %s is %s',
      async (status, _code, is, row) => {
        const { outcome, requests } = await sent({
          write: answer(status, refusal(row.code ?? '', status)),
          then: 'close',
        });
        expect([outcome.kind, 'scope' in outcome ? outcome.scope : ''].join(' ').trim()).toBe(is);
        if (row.code !== undefined) expect(JSON.stringify(outcome)).toContain(row.code);
        expect(requests).toHaveLength(1);
        expect(row.source).not.toBe('');
      },
    );
  });

  test(`${name} sends nothing where nobody listens, nor after its deadline, nor once it is closed`, async () => {
    const fake = await fakeHttp(() => accepts);
    const provider = make(`http://127.0.0.1:${fake.port}`);
    const aborted = new AbortController();
    aborted.abort();
    expect(await provider.send(message, contextOf({ signal: aborted.signal }))).toMatchObject({ kind: 'not-sent' });
    await provider.close();
    await provider.close();
    expect(await provider.send(message, contextOf())).toMatchObject({ kind: 'not-sent' });
    expect(fake.complete).toEqual([]);
    await fake.close();
    expect(await make(`http://127.0.0.1:${fake.port}`).send(message, contextOf())).toMatchObject({ kind: 'not-sent' });
  });

  test(`${name} makes the same bytes of the same message and key`, async () => {
    const fake = await fakeHttp(() => accepts);
    open.push(fake);
    const copy = { ...message, content: Object.fromEntries(Object.entries(message.content).reverse()) };
    for (const each of [message, message, copy]) await make(`http://127.0.0.1:${fake.port}`).send(each, contextOf());
    const [first, ...rest] = fake.complete.map((request) => ({
      ...request,
      headers: Object.fromEntries(Object.entries(request.headers).filter(([header]) => !changing.includes(header))),
    }));
    expect(rest).toEqual([first, first]);
  });
}
