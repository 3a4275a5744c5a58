import { http, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { httpProvider, outcomeOf, outcomeOfError } from './http-provider.ts';

const url = 'https://mail.example/messages';
const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

const provider = httpProvider({ name: 'mail', url, token: 'secret' });
const message = {
  deliveryId: 'd_1',
  channel: 'email',
  to: 'ann@example.com',
  content: { subject: 'Hello', text: 'Dear Ann' },
  createdAt: Date.UTC(2026, 2, 1),
} as const;
const context = (attempt: number) => ({
  key: 'k_1',
  attempt,
  deadlineMs: 1_000,
  signal: new AbortController().signal,
});

test('sends the same bytes under the same key on every attempt', async () => {
  const seen: string[] = [];
  server.use(
    http.post(url, async ({ request }) => {
      seen.push(`${request.headers.get('idempotency-key')} ${await request.text()}`);
      return HttpResponse.json({ id: 'm-1' });
    }),
  );
  expect(await provider.send(message, context(1))).toEqual({ kind: 'accepted', providerMessageId: 'm-1' });
  await provider.send(message, context(2));
  expect(seen[0]).toContain('k_1 {"reference":"d_1"');
  expect(seen[1]).toBe(seen[0]);
});

test('calls a broken connection unknown', async () => {
  server.use(http.post(url, () => HttpResponse.error()));
  expect((await provider.send(message, context(1))).kind).toBe('unknown');
});

test.each([
  [202, '{"id":"m-1"}', null, { kind: 'accepted', providerMessageId: 'm-1' }],
  [202, '{}', null, { kind: 'unknown', reason: 'missing-id' }],
  [200, '<html>', null, { kind: 'unknown', reason: 'missing-id' }],
  [429, '', '30', { kind: 'deferred', retryAfterMs: 30_000 }],
  [429, '', 'tomorrow', { kind: 'deferred' }],
  [401, '', null, { kind: 'rejected', scope: 'provider' }],
  [410, '', null, { kind: 'rejected', scope: 'destination' }],
  [422, '', null, { kind: 'rejected', scope: 'message' }],
  [409, '', null, { kind: 'unknown' }],
  [500, '', null, { kind: 'unknown' }],
  [503, '', null, { kind: 'unknown' }],
])('takes HTTP %i with body %o and Retry-After %o for what it proves', (status, body, retryAfter, expected) => {
  expect(outcomeOf(status, body, retryAfter)).toMatchObject(expected);
});

test.each([
  ['ECONNREFUSED', 'not-sent'],
  ['ENOTFOUND', 'not-sent'],
  ['ECONNRESET', 'unknown'],
  ['UND_ERR_HEADERS_TIMEOUT', 'unknown'],
])('takes the error %s for %s', (code, kind) => {
  expect(outcomeOfError(new TypeError('fetch failed', { cause: { code } })).kind).toBe(kind);
});
