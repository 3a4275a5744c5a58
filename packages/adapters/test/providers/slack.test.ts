import { describe, expect, test } from 'vitest';
import { SLACK, slack } from '../../src/providers/slack.ts';
import { testApiProvider } from './support/api-provider.ts';
import { testNeverSent } from './support/never-sent.ts';
import { oneRequest } from './support/one-request.ts';
import { outgoing } from './support/sending.ts';

const options = { token: 'xoxb-1' };
const message = outgoing({ channel: 'slack', to: 'C0123ABCD', content: { text: 'Ready 😀 שלום' } });
const taken = { status: 200, body: '{"ok":true,"channel":"C0123ABCD","ts":"1503435956.000247","message":{}}' };
const make = (baseUrl: string) => slack({ ...options, baseUrl });

testApiProvider({
  name: 'slack',
  make,
  message,
  taken,
  id: 'C0123ABCD:1503435956.000247',
  refusal: (error) => JSON.stringify({ ok: false, error }),
  table: SLACK.outcomes,
  statusOf: () => 200,
});

async function bodyOf(patch: object): Promise<Record<string, unknown>> {
  const { request } = await oneRequest(make, { ...message, ...patch }, taken);
  return JSON.parse(request.body) as Record<string, unknown>;
}

describe('a message through Slack', () => {
  test('is one post with our delivery id in its metadata', async () => {
    const named = (baseUrl: string) => slack({ ...options, username: 'Großhandel 😀', baseUrl: `${baseUrl}/api/` });
    const { request } = await oneRequest(named, message, taken);
    expect(request.line).toBe('POST /api/chat.postMessage HTTP/1.1');
    expect(request.headers).toMatchObject({
      authorization: 'Bearer xoxb-1',
      'content-type': 'application/json; charset=utf-8',
    });
    expect(JSON.parse(request.body)).toEqual({
      channel: 'C0123ABCD',
      text: 'Ready 😀 שלום',
      mrkdwn: false,
      username: 'Großhandel 😀',
      metadata: { event_type: 'sendonce_delivery', event_payload: { id: 'd_1' } },
    });
  });

  test('calls nobody and links nothing by what its text says', async () => {
    expect(await bodyOf({ content: { text: '<!channel> *Tom* & Co <https://x.example|here>' } })).toMatchObject({
      text: '&lt;!channel&gt; *Tom* &amp; Co &lt;https://x.example|here&gt;',
      mrkdwn: false,
    });
  });

  test('may be in markup of its own, and in blocks with a text for notifications', async () => {
    const markup = await bodyOf({ content: { text: 'unused', mrkdwn: '*Ready* <@U1>' } });
    expect(markup).toMatchObject({ text: '*Ready* <@U1>' });
    expect(markup).not.toHaveProperty('mrkdwn');
    const blocks = [{ type: 'divider', block_id: 'b' }];
    const body = await bodyOf({ content: { text: 'a', blocks } });
    expect(body).toMatchObject({ text: 'a', blocks });
    // However a store gave it back.
    const turned = await bodyOf({ content: { blocks: [{ block_id: 'b', type: 'divider' }], text: 'a' } });
    expect(JSON.stringify(turned)).toBe(JSON.stringify(body));
  });

  test.each(['#general', 'général', '一般', 'U012ABCDE', 'D012ABCDE', ' C0123ABCD '])('goes to %s', async (to) => {
    expect(await bodyOf({ to })).toMatchObject({ channel: to.trim() });
  });

  test.each([
    ['{"ok":true}', 'missing-id'],
    ['{"ok":true,"channel":"C1"}', 'missing-id'],
    ['{"channel":"C1","ts":"1.2"}', 'missing-id'],
    ['{"ok":false}', 'not documented (HTTP 200): HTTP 200: {"ok":false}'],
    ['{"ok":false,"error":"new_error"}', 'not documented (HTTP 200, code new_error): HTTP 200 (new_error): new_error'],
  ])('with the answer %s has an unknown outcome', async (body, reason) => {
    const { outcome } = await oneRequest(make, message, { status: 200, body });
    expect(outcome).toEqual({ kind: 'unknown', reason });
  });

  test('that is refused with a reason is refused in these words', async () => {
    const body =
      '{"ok":false,"error":"invalid_blocks","response_metadata":{"messages":["[ERROR] must be less than 3001"]}}';
    const { outcome } = await oneRequest(make, message, { status: 200, body });
    expect(outcome).toMatchObject({ reason: 'HTTP 200 (invalid_blocks): [ERROR] must be less than 3001' });
  });

  testNeverSent(make, message, [
    ['no text', { content: {} }, 'message', /needs a 'text'/],
    ['blocks without a text', { content: { blocks: [{ type: 'divider' }] } }, 'message', /needs a 'text'/],
    ['an empty text', { content: { text: ' ' } }, 'message', /is empty/],
    ['an empty markup', { content: { text: 'a', mrkdwn: '' } }, 'message', /content\.mrkdwn is empty/],
    ['half an emoji', { content: { text: '\ud83d' } }, 'message', /half of a character/],
    ['40,001 units', { content: { text: `${'x'.repeat(39_999)}😀` } }, 'message', /40001 UTF-16 units/],
    ['40,001 units once escaped', { content: { text: `${'x'.repeat(39_997)}<` } }, 'message', /escaped/],
    ['51 blocks', { content: { text: 'a', blocks: Array(51).fill({ type: 'divider' }) } }, 'message', /1 to 50/],
    ['a block without a type', { content: { text: 'a', blocks: [{}] } }, 'message', /each with a type/],
    ['two channels', { to: 'C0123ABCD,C0123ABCE' }, 'destination', /neither an id/],
    ['an e-mail address', { to: 'ann@example.com' }, 'destination', /neither an id/],
    ['a line break in the channel', { to: 'C0123ABCD\r\n' }, 'destination', /line break/],
    ['a mark that turns the writing', { to: '#\u202egeneral' }, 'destination', /invisible/],
  ]);

  test('of 40,000 units passes the check', () => {
    const content = { text: `${'x'.repeat(39_996)}<` };
    expect(slack(options).check?.({ ...message, content })).toBeNull();
  });
});

test.each([
  [{ token: 'xoxb-1\n' }, /token must be a text of visible ASCII/],
  [{ token: '' }, /slack: token must be a text/],
  [{ token: 'xapp-1-A0-secret' }, /token must be a bot's, .*'xoxb-'.*, got an app-level token \('xapp-\.\.\.'\)/],
  [{ token: 'xoxe-1-secret' }, /got a refresh token/],
  [{ token: 'xoxc-1-secret' }, /got a token of another kind/],
  [{ token: 'https://hooks.slack.com/services/T0/B0/secret' }, /got an address; an incoming webhook's is no token/],
  [{ token: '0123456789abcdef0123456789abcdef' }, /got a text of 32 characters/],
  [{ ...options, username: 'Acme\r\nx' }, /slack: username must be a text of 1 to 80 characters/],
  [{ ...options, username: '\u202eemcA' }, /slack: username/],
  [{ ...options, username: '' }, /slack: username/],
  [{ ...options, timeoutMs: 0 }, /timeoutMs/],
  [{ ...options, apiKey: 'x' }, /apiKey is not an option/],
])('slack(%o) is refused by its option', (given, words) => {
  expect(() => slack(given as never)).toThrow(words);
  expect(() => slack(given as never)).not.toThrow(/secret|0123/);
});

test.each(['xoxb-1-2-x', 'xoxp-1-2-x', 'xoxe.xoxb-1-x', 'xoxe.xoxp-1-x'])('slack takes a token like %s', (token) => {
  expect(slack({ token }).name).toBe('slack');
});
