import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { expect, test } from 'vitest';
import { createNotifier } from '@sendonce/core';
import { configFor } from './providers.ts';

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

test('one invoice goes out as a mail and as a webhook, once each', async () => {
  const mails: string[] = [];
  const mail = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, _session, done) => {
      let text = '';
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      stream.on('end', () => {
        mails.push(text);
        done();
      });
    },
  });
  const hooks: { body: string; id: unknown }[] = [];
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      hooks.push({ body, id: request.headers['webhook-id'] });
      response.writeHead(204).end();
    });
  });
  const mailPort = await listen(mail.server);
  const hookPort = await listen(receiver);

  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const hooksAllowed = (url: URL): boolean => url.port === String(hookPort);
  const notifier = createNotifier(
    configFor({ mail: { host: '127.0.0.1', port: mailPort }, hooks: hooksAllowed, secret }),
  );
  await notifier.publish('invoiceReady', {
    id: 'i-1',
    customer: { email: 'ann@example.com', hook: `http://127.0.0.1:${hookPort}/hooks` },
    pdf: Buffer.from('%PDF-1.7').toString('base64'),
  });
  const stop = new AbortController();
  const running = notifier.worker().run({ signal: stop.signal });
  await expect.poll(() => [mails.length, hooks.length], { timeout: 10_000 }).toEqual([1, 1]);
  stop.abort();
  await running;
  await notifier.close();

  expect(mails[0]).toContain('Subject: Invoice i-1');
  expect(mails[0]).toContain('filename=i-1.pdf');
  expect(JSON.parse(hooks[0]?.body ?? '')).toEqual({ type: 'invoice.ready', data: { id: 'i-1' } });
  expect(hooks[0]?.id).toMatch(/^k_/);
  await new Promise((resolve) => receiver.close(resolve));
  await new Promise<void>((resolve) => mail.close(() => resolve()));
});
