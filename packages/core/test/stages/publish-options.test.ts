import { describe, expect, test } from 'vitest';
import { createNotifier, notification, type Notifier, type TargetInput } from '../../src/index.ts';
import { manualClock, memoryLedger, memoryProvider, seededRandom } from '../../src/memory/index.ts';

const clock = manualClock(1_700_000_000_000);
const to = (name: string): TargetInput => ({ channel: 'email', to: `${name}@example.org` });

function make(chunk = 10) {
  return createNotifier({
    ledger: memoryLedger({ clock }),
    channels: { email: { providers: [memoryProvider({ clock, name: 'p0' })] } },
    notifications: {
      order: notification<{ readonly id: string }>({
        class: 'transactional',
        key: ({ id }) => id,
        route: () => [to('a')],
        content: () => ({}),
      }),
    },
    worker: { chunk },
    clock,
    random: seededRandom(1),
  });
}

const WRONG: readonly (readonly [option: string, value: unknown, message: RegExp])[] = [
  ...[null, 7, 'a@example.org', {}, true].map(
    (value) =>
      ['recipients', value, /^recipients must be an array or \(async\) iterable of \{ channel, to \}, got /] as const,
  ),
  ...[null, true, [], '2026-01-01', 1e300, NaN, Infinity, -1, new Date('soon'), new Date(8.64e15), {}, 1n].map(
    (value) => ['sendAt', value, /^sendAt must be a valid Date or epoch ms, from 1970 to 9999, got /] as const,
  ),
  ...[null, '5000', 0, -1, NaN, Infinity, 1e300, true, []].map(
    (value) =>
      ['expiresInMs', value, /^expiresInMs must be a number of more than 0 ms, up to 100 years, got /] as const,
  ),
  ...(['tenant', 'key'] as const).flatMap((option) =>
    [7, '', null, {}, 'x'.repeat(513), Symbol('x')].map(
      (value) => [option, value, new RegExp(`^${option} must be a text of 1 to 512 characters, got `)] as const,
    ),
  ),
  ['expireInMs', 5_000, /^expireInMs is not an option; known: .*\. Did you mean 'expiresInMs'\?$/],
  ['recipient', [], /^recipient is not an option; .*Did you mean 'recipients'\?$/],
  ['sendat', 1, /^sendat is not an option; .*Did you mean 'sendAt'\?$/],
];

const refused = (message: RegExp) =>
  expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringMatching(message) });

describe('an option of a publish', () => {
  test.each(WRONG)('%s may not be %o: nothing is written', async (option, value, message) => {
    const notifier = make();
    const options = { [option]: value };
    await expect(notifier.publish('order', { id: 'o-1' }, options)).rejects.toThrow(refused(message));
    const send = { key: 'k', recipients: [to('a')], content: { text: 'x' }, ...options };
    await expect(notifier.send(send)).rejects.toThrow(refused(message));
    // In a batch it loses nobody else.
    const results = await notifier.publishMany('order', [
      { data: { id: 'o-1' } },
      { data: { id: 'bad' }, ...options },
      { data: { id: 'o-2' } },
    ]);
    expect(results).toMatchObject([
      { kind: 'accepted' },
      { kind: 'failed', error: refused(message) },
      { kind: 'accepted' },
    ]);
  });

  test.each<[what: string, options: object, record: object]>([
    ['a Date', { sendAt: new Date(1_800_000_000_000) }, { sendAt: 1_800_000_000_000, expiresAt: 1_800_086_400_000 }],
    ['epoch ms', { sendAt: 1_800_000_000_000 }, { sendAt: 1_800_000_000_000 }],
    ['the first moment', { sendAt: 0 }, { sendAt: 0 }],
    ['nothing', { sendAt: undefined, tenant: undefined, recipients: undefined }, { sendAt: null, tenant: 'default' }],
    ['the longest key', { key: 'x'.repeat(512) }, { key: 'x'.repeat(512) }],
    ['a fraction of a ms', { expiresInMs: 0.5 }, { expiresAt: 1_700_000_000_000.5 }],
  ])('may be %s', async (_what, options, record) => {
    expect(await make().publish('order', { id: 'o-1' }, options)).toMatchObject({ kind: 'accepted', record });
  });

  test.each([null, 7, 'options', []])('cannot be in %j', async (options) => {
    await expect(make().publish('order', { id: 'o-1' }, options as never)).rejects.toThrow(
      refused(/^the options of publish must be an object/),
    );
  });
});

describe('what is no type, item or message', () => {
  const of = (notifier: ReturnType<typeof make>) =>
    notifier as unknown as Record<keyof Notifier, (...args: unknown[]) => Promise<unknown>>;
  test.each<[what: string, call: (notifier: ReturnType<typeof of>) => Promise<unknown>, code: string, message: RegExp]>(
    [
      [
        'a type that is no text',
        (on) => on.publish(7, {}),
        'TYPE_UNKNOWN',
        /^7 is not a notification type; known: order$/,
      ],
      ['a symbol for a type', (on) => on.publish(Symbol('x'), {}), 'TYPE_UNKNOWN', /^Symbol\(x\) is not/],
      ['no type', (on) => on.publish(), 'TYPE_UNKNOWN', /^undefined is not/],
      ['a type that only send uses', (on) => on.publish('directtransactional', {}), 'TYPE_UNKNOWN', /known: order$/],
      [
        'no list',
        (on) => on.publishMany('order', null),
        'OPTION_INVALID',
        /^publishMany takes an array of \{ data, key, \.\.\. \}, got null/,
      ],
      [
        'nothing to send',
        (on) => on.send(),
        'OPTION_INVALID',
        /^send takes an object \{ key, recipients, content \}, got undefined/,
      ],
      [
        'a message without content',
        (on) => on.send({ key: 'k', recipients: [] }),
        'OPTION_INVALID',
        /^content must be an object \{ subject.*got undefined/,
      ],
      [
        'content that is text',
        (on) => on.send({ key: 'k', recipients: [], content: 'hi' }),
        'OPTION_INVALID',
        /^content must be .*got 'hi'/,
      ],
      [
        'a class without a default expiry',
        (on) => on.send({ key: 'k', recipients: [], content: {}, class: 'marketing' }),
        'OPTION_INVALID',
        /^class must be one of security, .*got 'marketing'/,
      ],
      ['a message without recipients', (on) => on.send({ key: 'k', content: {} }), 'RECIPIENTS_MISSING', /./],
      ['a message without a key', (on) => on.send({ recipients: [], content: {} }), 'KEY_MISSING', /./],
      [
        'content that is not JSON',
        (on) => on.send({ key: 'k', recipients: [], content: { a: [1n] } }),
        'DATA_UNSERIALIZABLE',
        /data\.content\.a\[0\] is a bigint/,
      ],
    ],
  )('%s is refused', async (_what, call, code, message) => {
    await expect(call(of(make()))).rejects.toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });

  test.each([null, 7, 'item', undefined, []])('an item %j of a batch loses nobody else', async (item) => {
    const results = await make().publishMany('order', [{ data: { id: 'o-1' } }, item as never]);
    expect(results).toMatchObject([{ kind: 'accepted' }, { kind: 'failed', error: { code: 'OPTION_INVALID' } }]);
  });
});

describe('what a caller does to its own after the call', () => {
  test.each([3, 25])('to a list of %d recipients is no part of what was published', async (count) => {
    const notifier = make();
    const recipients = Array.from({ length: count }, (_, i) => ({
      channel: 'email' as const,
      to: `p${i}@example.org`,
      who: { i },
    }));
    const given = structuredClone(recipients);
    const published = notifier.publish('order', { id: 'o-1' }, { recipients });
    for (const each of recipients) {
      each.to = 'evil@example.org';
      each.who.i = -1;
    }
    recipients.length = 1;
    const { record } = await published;
    expect(record).toMatchObject({ sealed: true, targets: count });
    expect(await notifier.publish('order', { id: 'o-1' }, { recipients: given })).toMatchObject({ kind: 'repeated' });
  });

  test('to the data or the options is none either', async () => {
    const notifier = make();
    const data = { id: 'o-1', lines: [{ n: 1 }] };
    const options: { sendAt: Date; tenant?: string } = { sendAt: new Date(1_800_000_000_000) };
    const published = notifier.publish('order', data, options);
    data.id = 'o-2';
    data.lines[0]!.n = 2;
    options.sendAt.setTime(0);
    options.tenant = 'other';
    expect(await published).toMatchObject({
      record: { key: 'o-1', data: { id: 'o-1', lines: [{ n: 1 }] }, sendAt: 1_800_000_000_000, tenant: 'default' },
    });
  });

  test('to the record that it was answered changes nothing in the ledger', async () => {
    const notifier = make();
    const { id, record } = await notifier.publish('order', { id: 'o-1' });
    for (const handed of [record, await notifier.find(id)]) {
      expect(() => Object.assign(handed as object, { state: 'done' })).toThrow(TypeError);
      expect(() => Object.assign((handed as { data: object }).data, { id: 'o-2' })).toThrow(TypeError);
    }
    expect(await notifier.find(id)).toMatchObject({ state: 'accepted', data: { id: 'o-1' } });
  });
});
