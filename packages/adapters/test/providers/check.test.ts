import type { OutgoingMessage, Provider } from '@sendonce/core';
import { expect, test } from 'vitest';
import { smtp } from '../../src/providers/smtp.ts';
import { webhook } from '../../src/providers/webhook.ts';
import { contextOf, outgoing } from './support/sending.ts';

const mail = (): Provider => smtp({ host: '127.0.0.1', port: 9, from: 'orders@example.com' });
const fixed = (): Provider => webhook({ url: 'http://127.0.0.1:9/', body: ({ content }) => content['shown'] });
const open = (): Provider => webhook({ allow: ({ host }) => host !== 'evil.example' });

/** Messages that can never be sent, whatever their provider would say. Nobody listens at port 9. */
const NEVER: readonly [what: string, make: () => Provider, patch: Partial<OutgoingMessage>, scope: string][] = [
  ['a mail without a body', mail, { content: { txt: 'x' } }, 'message'],
  ['a mail with a line break in its subject', mail, { content: { subject: 'a\r\nBcc: x', text: 'x' } }, 'message'],
  ['a mail with an attachment that is none', mail, { content: { text: 'x', attachments: 'x' } }, 'message'],
  ['a mail to no address', mail, { to: 'nobody' }, 'destination'],
  ['a webhook whose body is nothing', fixed, { content: { text: 'x' } }, 'message'],
  ['a webhook to what is no URL', open, { to: 'nowhere' }, 'destination'],
  ['a webhook that is not allowed', open, { to: 'https://evil.example/x' }, 'destination'],
  ['a webhook to a private address', open, { to: 'http://10.0.0.1/' }, 'destination'],
];

test.each(NEVER)('%s is refused by a check as by a send', async (_what, make, patch, scope) => {
  const provider = make();
  const message = outgoing(patch);
  const checked = provider.check?.(message);
  expect(checked).toMatchObject({ kind: 'rejected', scope });
  expect(await provider.send(message, contextOf())).toEqual(checked);
  await provider.close();
});

test.each<[what: string, make: () => Provider, patch: Partial<OutgoingMessage>]>([
  ['a mail', mail, {}],
  ['a webhook', fixed, { content: { shown: 'x' } }],
  ['a webhook to an address of its own', open, { to: 'https://good.example/x' }],
])('%s that can be sent passes the check', (_what, make, patch) => {
  expect(make().check?.(outgoing(patch))).toBeNull();
});
