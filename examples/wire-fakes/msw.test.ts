import { fakeResend } from '@sendonce/adapters/fakes/resend';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, expect, test } from 'vitest';

// #region msw
const resend = fakeResend();
const server = setupServer(...resend.handlers);
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterAll(() => server.close());

/** Code of your own, or the vendor's library. */
async function sendMail(key: string): Promise<unknown> {
  const response = await fetch('https://api.resend.com/emails', {
    method: 'POST',
    headers: { authorization: 'Bearer re_secret', 'idempotency-key': key },
    body: JSON.stringify({ from: 'a@shop.test', to: 'ann@people.test', subject: 'Hello', text: 'Dear Ann' }),
  });
  return response.json();
}

test('a mail whose answer was lost is asked for again under its key, and is there once', async () => {
  resend.next({ kind: 'drop-after-accept' });
  await expect(sendMail('k-1')).rejects.toThrow('Failed to fetch');
  expect(await sendMail('k-1')).toEqual({ id: resend.mailbox[0]?.id });
  expect(resend.mailbox).toHaveLength(1);
});
// #endregion
