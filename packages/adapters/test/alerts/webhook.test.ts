import { createHmac } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Alert } from '@sendonce/core';
import { webhookAlerts, type WebhookAlertsOptions } from '../../src/alerts/webhook.ts';

const alert: Alert = {
  kind: 'parked',
  at: Date.UTC(2026, 2, 1, 8),
  count: 2,
  examples: ['d_1', 'd_2'],
  summary: '2 messages are parked: nothing can tell whether they were sent',
  next: 'notify dlq list --state parked',
};
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let server: Server | null = null;

/** A receiver on a loopback port that reads the whole request and then does as it is told. */
async function receiver(
  answer: (response: ServerResponse, request: IncomingMessage) => void,
): Promise<{ readonly url: string; readonly got: Received[] }> {
  const got: Received[] = [];
  const listening = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url: path, headers } = request;
      got.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
      answer(response, request);
    });
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/hooks/secret-token`, got };
}

afterEach(async () => {
  const running = server;
  server = null;
  if (running === null) return;
  running.closeAllConnections();
  await new Promise((resolve) => running.close(resolve));
});

const send = (url: string, options: Partial<WebhookAlertsOptions> = {}): Promise<void> =>
  webhookAlerts({ url, ...options }).send(alert);

describe('an alert that is posted', () => {
  test('carries everything as JSON', async () => {
    const { url, got } = await receiver((response) => response.writeHead(204).end());
    await send(url, { headers: { authorization: 'Bearer t' } });
    expect(got).toMatchObject([
      {
        method: 'POST',
        path: '/hooks/secret-token',
        headers: { 'content-type': 'application/json', authorization: 'Bearer t' },
      },
    ]);
    expect(JSON.parse(got[0]?.body ?? '')).toEqual({
      type: 'alert.parked',
      timestamp: '2026-03-01T08:00:00.000Z',
      data: alert,
    });
    expect(got[0]?.headers['webhook-signature']).toBeUndefined();
  });

  test("may have a body of the receiver's own form", async () => {
    const { url, got } = await receiver((response) => response.end('ok'));
    await send(url, { body: ({ summary, next }) => ({ text: `${summary}: \`${next}\`` }) });
    expect(JSON.parse(got[0]?.body ?? '')).toEqual({ text: `${alert.summary}: \`${alert.next}\`` });
  });

  test('is signed with the secret, so that a receiver can check it', async () => {
    const { url, got } = await receiver((response) => response.end());
    const before = Math.floor(Date.now() / 1_000);
    await send(url, { secret: SECRET });
    const [{ headers, body } = { headers: {} as IncomingHttpHeaders, body: '' }] = got;
    const id = String(headers['webhook-id']);
    const timestamp = Number(headers['webhook-timestamp']);
    expect(timestamp).toBeGreaterThanOrEqual(before);
    expect(timestamp).toBeLessThanOrEqual(before + 60);
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${expected}`);
  });

  test('has the same id when it comes twice, and another alert another one', async () => {
    const { url, got } = await receiver((response) => response.end());
    const sink = webhookAlerts({ url, secret: SECRET });
    await sink.send(alert);
    await sink.send(alert);
    await sink.send({ ...alert, count: 3 });
    const [first, second, third] = got.map(({ headers }) => headers['webhook-id']);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });
});

describe('a receiver', () => {
  test.each([200, 201, 202, 204])('that answers %d has it', async (status) => {
    const { url } = await receiver((response) => response.writeHead(status).end());
    await expect(send(url)).resolves.toBeUndefined();
  });

  test.each([301, 302, 400, 401, 404, 410, 429, 500, 503])(
    'that answers %d has it not, and is asked once',
    async (status) => {
      const { url, got } = await receiver((response) =>
        response.writeHead(status, { location: '/elsewhere' }).end('no'),
      );
      await expect(send(url)).rejects.toThrow(
        new RegExp(`^the alert webhook at 127\\.0\\.0\\.1:\\d+ answered ${status}$`),
      );
      expect(got).toHaveLength(1);
    },
  );

  test('that never answers is given up after the time limit', async () => {
    const { url, got } = await receiver(() => undefined);
    await expect(send(url, { timeoutMs: 100 })).rejects.toThrow(/did not answer within 100 ms$/);
    expect(got).toHaveLength(1);
  });

  test('that breaks the connection off has it not, and is asked once', async () => {
    const { url, got } = await receiver((_response, request) => request.socket.resetAndDestroy());
    await expect(send(url)).rejects.toThrow(/could not be reached \(ECONNRESET\)$/);
    expect(got).toHaveLength(1);
  });

  test('that is not there cannot be reached', async () => {
    const { url } = await receiver((response) => response.end());
    await new Promise((resolve) => server?.close(resolve));
    server = null;
    await expect(send(url)).rejects.toThrow(/could not be reached \(ECONNREFUSED\)$/);
  });

  test('that never ends its answer has it: what matters is the status', async () => {
    const { url } = await receiver((response) => response.writeHead(200).write('still going'));
    await expect(send(url, { timeoutMs: 2_000 })).resolves.toBeUndefined();
  });

  test('is not named in an error by more than its host', async () => {
    const { url } = await receiver((response) => response.writeHead(500).end());
    await expect(send(url)).rejects.not.toThrow(/secret-token/);
  });
});

describe('an option that cannot work', () => {
  test.each<[what: string, options: WebhookAlertsOptions, message: RegExp]>([
    [
      'an address that is none',
      { url: 'example' },
      /^webhookAlerts: url must be a whole http or https address without a user and password, got a text of 7 characters$/,
    ],
    ['another protocol', { url: 'file:///etc/passwd' }, /url must be/],
    ['no time', { url: 'https://example.org', timeoutMs: 0 }, /timeoutMs must be a number from 1 to 15000 ms, got 0/],
    ['too much time', { url: 'https://example.org', timeoutMs: 15_001 }, /got 15001/],
    ['a name that is none', { url: 'https://example.org', timeout: 1 } as never, /Did you mean 'timeoutMs'\?$/],
    ['nothing at all', undefined as never, /^webhookAlerts: the options must be an object/],
    ['a secret of another kind', { url: 'https://example.org', secret: 'hush' }, /^secret must be 'whsec_'/],
  ])('is refused at once: %s', (_what, options, message) => {
    const error = expect.objectContaining({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(message) as string,
    });
    expect(() => webhookAlerts(options)).toThrow(error as Error);
  });

  test('closing twice does nothing', async () => {
    const sink = webhookAlerts({ url: 'https://example.org' });
    await sink.close();
    await sink.close();
  });
});
