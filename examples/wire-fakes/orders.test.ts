import { createNotifier, type Notifier } from '@sendonce/core';
import { fakeSendgrid } from '@sendonce/adapters/fakes/sendgrid';
import { fakeSes } from '@sendonce/adapters/fakes/ses';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configFor } from './config.ts';

// #region world
const sendgrid = fakeSendgrid({ apiKey: 'SG.secret' });
const ses = fakeSes({ credentials: { accessKeyId: 'AKID', secretAccessKey: 'secret' }, identities: ['shop.test'] });
const closing: (() => Promise<void>)[] = [];

async function world() {
  const [first, second] = [await sendgrid.listen(), await ses.listen()];
  const notifier = createNotifier(configFor({ sendgridUrl: first.url, sesUrl: second.url }));
  const stop = new AbortController();
  const running = notifier.worker().run({ signal: stop.signal });
  closing.push(async () => {
    stop.abort();
    await running;
    await Promise.all([first.close(), second.close()]);
  });
  return notifier;
}

/** Waits until the one delivery is in this state. */
async function settled(notifier: Pick<Notifier<never>, 'status'>, state: 'sent' | 'parked'): Promise<void> {
  await expect.poll(async () => (await notifier.status()).deliveries[state], { timeout: 10_000 }).toBe(1);
}

beforeEach(() => {
  sendgrid.reset();
  ses.reset();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
// #endregion

const order = { id: 'o-17', email: 'ann@people.test' };

// #region taken
test('a receipt goes out through SendGrid, once', async () => {
  const notifier = await world();
  await notifier.publish('receipt', order);
  await settled(notifier, 'sent');
  expect(sendgrid.mailbox).toMatchObject([{ to: 'ann@people.test', body: { subject: 'Order o-17' } }]);
  expect(sendgrid.requests).toHaveLength(1);
  expect(ses.requests).toHaveLength(0);
});
// #endregion

// #region lost
test('a receipt whose answer was lost is parked: nobody sends it again unasked', async () => {
  const notifier = await world();
  sendgrid.next({ kind: 'drop-after-accept' });
  await notifier.publish('receipt', order);
  await settled(notifier, 'parked');
  expect([sendgrid.mailbox.length, ses.mailbox.length]).toEqual([1, 0]);
});

test('an invoice whose answer was lost goes to the second vendor, and the possible duplicate is on record', async () => {
  const notifier = await world();
  sendgrid.next({ kind: 'drop-after-accept' });
  await notifier.publish('invoice', order);
  await settled(notifier, 'sent');
  expect([sendgrid.mailbox.length, ses.mailbox.length]).toEqual([1, 1]);
  const { tags } = ses.mailbox[0]?.body as { tags: { sendonce_delivery: string } };
  expect(await notifier.find(tags.sendonce_delivery)).toMatchObject({
    state: 'sent',
    declarations: [{ kind: 'failover', afterAttempt: 1 }],
    attempts: [{ provider: 'sendgrid', outcome: { kind: 'unknown' } }, { provider: 'ses' }],
  });
});
// #endregion

// #region refused
test('a mail that SendGrid refuses for the account goes to the second vendor', async () => {
  const notifier = await world();
  sendgrid.always({ kind: 'refuse', code: '403' });
  await notifier.publish('receipt', order);
  await settled(notifier, 'sent');
  expect([sendgrid.mailbox.length, ses.mailbox.length]).toEqual([0, 1]);
});
// #endregion
