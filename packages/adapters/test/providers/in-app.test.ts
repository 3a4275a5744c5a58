import type { OutgoingMessage, Outcome } from '@sendonce/core';
import { SendonceError } from '@sendonce/core';
import { providerCapabilities, providerLaws, runLaw, type ServiceAnswer } from '@sendonce/core/conformance';
import { createNotifier } from '@sendonce/core';
import { manualClock, memoryLedger } from '@sendonce/core/memory';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import type { Inbox } from '../../src/inboxes/memory.ts';
import { memoryInbox } from '../../src/inboxes/memory.ts';
import { postgresInbox } from '../../src/inboxes/postgres.ts';
import { inApp } from '../../src/providers/in-app.ts';
import { contextOf, outgoing } from './support/sending.ts';

const message = (patch: Partial<OutgoingMessage> = {}): OutgoingMessage =>
  outgoing({ channel: 'in-app', to: 'ann', content: { title: 'Shipped', text: 'It is on its way.' }, ...patch });

const ANSWERS: readonly ServiceAnswer[] = ['accepts', 'accepts-and-says-nothing', 'is-unreachable'];

describe('the in-app provider', () => {
  test.for(providerLaws.map((law) => [law.law, law] as const))('%s', async ([, law], { skip }) => {
    const result = await runLaw(law, () => {
      const inbox = memoryInbox();
      let next: ServiceAnswer = 'accepts';
      const put: Inbox['put'] = async (items) => {
        const answer = next;
        next = 'accepts';
        if (answer === 'is-unreachable') throw unreachable('ECONNREFUSED');
        const results = await inbox.put(items);
        if (answer === 'accepts-and-says-nothing') throw unreachable('ECONNRESET');
        return results;
      };
      const provider = inApp({ inbox: { put } });
      return {
        provider,
        answers: ANSWERS,
        answerNext: (answer: ServiceAnswer) => void (next = answer),
        delivered: async (to: string) => (await inbox.list({ recipientId: to })).messages.length,
        capabilities: providerCapabilities(provider, ANSWERS),
        unitMs: 1,
        elapse: async () => undefined,
        close: () => provider.close(),
      };
    });
    if (result.kind === 'skipped') skip(result.reason);
    if (result.kind === 'broken') throw result.error;
  });

  test('makes one message of repeats of a delivery, whichever provider on the inbox repeats it', async () => {
    const inbox = memoryInbox();
    const [first, second] = [inApp({ inbox }), inApp({ inbox, name: 'second' })];
    const outcomes = [
      await first.send(message(), contextOf()),
      await first.send(message(), contextOf({ attempt: 2 })),
      await second.send(message(), contextOf({ key: 'k_2' })),
      await first.send(message({ deliveryId: 'd_2' }), contextOf({ key: 'k_3' })),
    ];
    const accepted = (id: string): Outcome => ({ kind: 'accepted', providerMessageId: id });
    expect(outcomes).toEqual([accepted('d_1'), accepted('d_1'), accepted('d_1'), accepted('d_2')]);
    expect((await inbox.unread({ recipientId: 'ann' })).unread).toBe(2);
  });

  test("puts what a notifier publishes into the inbox of the notification's tenant, as it is", async () => {
    const clock = manualClock();
    const inbox = memoryInbox();
    const content = {
      title: 'Shipped',
      text: 'x',
      html: '<b>x</b>',
      data: { order: 7 },
      url: '/orders/7',
      image: 'https://x.example/7.png',
      icon: 'box',
    };
    const notifier = createNotifier({
      ledger: memoryLedger({ clock }),
      clock,
      channels: { 'in-app': { providers: [inApp({ inbox })] } },
      notifications: { shipped: { class: 'transactional', route: () => [], content: () => content } },
    });
    for (const tenant of ['north', undefined])
      await notifier.publish(
        'shipped',
        {},
        {
          key: '7',
          recipients: [{ recipientId: 'ann', channel: 'in-app', to: ' ann ' }],
          ...(tenant !== undefined && { tenant }),
        },
      );
    const stop = new AbortController();
    const running = notifier.worker().run({ signal: stop.signal });
    await clock.advance(2_000);
    stop.abort();
    await clock.advance(10_000);
    await running;
    for (const owner of [{ tenant: 'north', recipientId: 'ann' }, { recipientId: 'ann' }]) {
      const { messages } = await inbox.list(owner);
      expect(messages.map((each) => each.content)).toEqual([content]);
    }
    expect((await inbox.list({ tenant: 'south', recipientId: 'ann' })).messages).toEqual([]);
    await notifier.close();
  });
});

test.each<[what: string, patch: Partial<OutgoingMessage>, scope: string, words: RegExp]>([
  ['nothing to show', { content: { data: {} } }, 'message', /needs one of title, subject, text, html/],
  ['only blanks to show', { content: { title: ' ' } }, 'message', /needs one of/],
  ['a text that is none', { content: { text: 1 as never } }, 'message', /content\.text must be a text/],
  ['a link that would run', { content: { text: 'x', url: 'javascript:alert(1)' } }, 'message', /content\.url must be/],
  ['a path that leads elsewhere', { content: { text: 'x', url: '//evil.example' } }, 'message', /content\.url must be/],
  ['a path that browsers read as one', { content: { text: 'x', url: '/\\evil.example' } }, 'message', /content\.url/],
  ['an image that is none', { content: { text: 'x', image: 7 } }, 'message', /content\.image must be/],
  ['data that are no object', { content: { text: 'x', data: 'y' } }, 'message', /content\.data must be an object/],
  ['too much', { content: { text: 'é'.repeat(20_000) } }, 'message', /has 400\d\d bytes as JSON, at most 32768/],
  ['nobody', { to: ' ' }, 'destination', /the address is empty/],
  ['an invisible name', { to: 'ann\u200b' }, 'destination', /invisible character/],
  ['a name that is too long', { to: 'x'.repeat(513) }, 'destination', /1 to 512 characters/],
])('a message with %s is refused by a check as by a send', async (_, patch, scope, words) => {
  const provider = inApp({ inbox: memoryInbox() });
  const checked = provider.check?.(message(patch));
  expect(checked).toMatchObject({ kind: 'rejected', scope, reason: expect.stringMatching(words) as string });
  expect(await provider.send(message(patch), contextOf())).toEqual(checked);
});

test.each<[code: SendonceError['code'], cause: string | null, kind: string]>([
  ['LEDGER_LOCKED', null, 'not-sent'],
  ['LEDGER_FULL', null, 'not-sent'],
  ['LEDGER_READ_ONLY', null, 'not-sent'],
  ['LEDGER_REFUSED', null, 'not-sent'],
  ['LEDGER_NOT_MIGRATED', null, 'not-sent'],
  ['LEDGER_UNAVAILABLE', 'ECONNREFUSED', 'not-sent'],
  ['LEDGER_UNAVAILABLE', 'ENOTFOUND', 'not-sent'],
  ['LEDGER_UNAVAILABLE', 'ECONNRESET', 'unknown'],
  ['LEDGER_UNAVAILABLE', null, 'unknown'],
  ['LEDGER_CORRUPT', null, 'unknown'],
])('%s because of %s is %s', async (code, cause, kind) => {
  const put = (): Promise<never> =>
    Promise.reject(
      new SendonceError(code, 'x', { cause: cause === null ? undefined : Object.assign(new Error(), { code: cause }) }),
    );
  expect((await inApp({ inbox: { put } }).send(message(), contextOf())).kind).toBe(kind);
});

test('a message to a server that is not there is not sent, and one without an answer in time is unknown', async () => {
  const client = new pg.Pool({ host: '127.0.0.1', port: 9 });
  const nobody = inApp({ inbox: postgresInbox({ client }) });
  expect(await nobody.send(message(), contextOf())).toMatchObject({ kind: 'not-sent' });
  await client.end();
  const silent = inApp({ inbox: { put: () => new Promise(() => undefined) } });
  expect(await silent.send(message(), contextOf({ deadlineMs: 5 }))).toMatchObject({ kind: 'unknown' });
});

test('an inbox that is none is refused', () => {
  expect(() => inApp({ inbox: {} as never })).toThrow(/in-app: inbox must be an inbox/);
});

function unreachable(code: string): SendonceError {
  return new SendonceError('LEDGER_UNAVAILABLE', 'x', { cause: Object.assign(new Error(code), { code }) });
}
