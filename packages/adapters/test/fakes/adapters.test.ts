import type { Outcome } from '@sendonce/core';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { promiseOf } from '../../src/catalogue.ts';
import { contextOf } from '../providers/support/sending.ts';
import type { Meaning, Refusal } from '../../src/fakes/support/vendor.ts';
import { CASES, inMailbox, messageTo, type Common, type FakeCase, type Running } from './cases.ts';

/** What our adapter has to make of what a vendor means. */
const FITTING: Readonly<Record<Meaning, readonly string[]>> = {
  'permanent-message': ['rejected message'],
  'permanent-destination': ['rejected destination'],
  'auth-config': ['rejected provider'],
  'rate-limited': ['deferred'],
  transient: ['deferred', 'not-sent'],
  ambiguous: ['unknown'],
  accepted: ['accepted'],
};

/** Where an adapter is more careful than the vendor's words, and why. */
const MORE_CAREFUL: Readonly<Record<string, string>> = {
  // The number is fine, and refused by what the account of a test may do.
  'whatsapp-cloud 131030': 'rejected provider',
  // To say "no such number" of an account that does not reach it would be wrong for the next provider.
  'infobip 18': 'rejected provider',
  // A bad token and a bad message have one code, and words are no contract: no token is given up for it.
  'fcm INVALID_ARGUMENT-token': 'rejected message',
  // A receiver of somebody else's, at the address of the target: its secret is a matter of that target.
  'webhook 401': 'rejected destination',
};

function shown(outcome: Outcome): string {
  return [outcome.kind, 'scope' in outcome ? outcome.scope : ''].join(' ').trim();
}

const open: Running[] = [];
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(async () => {
  vi.useRealTimers();
  for (const each of open.splice(0)) await each.close();
});

async function start(given: FakeCase, behaviour: Common = {}) {
  const running = await given.start(behaviour);
  open.push(running);
  const { fake, provider, addressOf } = running;
  const to = addressOf('ann');
  const message = messageTo(given, to);
  const send = (key = 'k_1', attempt = 1): Promise<Outcome> =>
    provider.send(message, contextOf({ key, attempt, deadlineMs: 5_000 }));
  const sends = () => fake.requests.filter(({ url }) => url.pathname !== '/token').length;
  return { ...running, send, sends, to };
}

describe.each(CASES)('$name', (given) => {
  test('takes what our adapter sends, and our adapter believes it', async () => {
    const { fake, send, to, sends } = await start(given);
    const outcome = await send();
    expect(outcome).toMatchObject({ kind: 'accepted' });
    expect(fake.mailbox).toHaveLength(1);
    expect(fake.mailbox[0]).toMatchObject({ to: inMailbox(given, to), at: Date.now() });
    const id = outcome.kind === 'accepted' ? outcome.providerMessageId : '';
    expect(id).toContain(fake.mailbox[0]?.id);
    expect(sends()).toBe(1);
  });

  test('after a drop that followed the acceptance has one message inside the window of its key, two after it', async () => {
    const { fake, send, sends } = await start(given);
    fake.next({ kind: 'drop-after-accept' });
    expect(await send()).toMatchObject({ kind: 'unknown' });
    expect(fake.mailbox).toHaveLength(1);
    vi.setSystemTime(Date.now() + (fake.keyWindowMs ?? 0) / 2);
    expect(await send('k_1', 2)).toMatchObject({ kind: 'accepted' });
    expect(fake.mailbox).toHaveLength(fake.keyWindowMs === null ? 2 : 1);
    vi.setSystemTime(Date.now() + (fake.keyWindowMs ?? 0) / 2);
    expect(await send('k_1', 3)).toMatchObject({ kind: 'accepted' });
    expect(fake.mailbox).toHaveLength(fake.keyWindowMs === null ? 3 : 2);
    expect(sends()).toBe(3);
  });

  test('after a drop before the acceptance has taken nothing', async () => {
    const { fake, send, sends } = await start(given);
    fake.next({ kind: 'drop-before-accept' });
    expect(await send()).toMatchObject({ kind: 'unknown' });
    expect(fake.mailbox).toHaveLength(0);
    expect(await send()).toMatchObject({ kind: 'accepted' });
    expect([fake.mailbox.length, sends()]).toEqual([1, 2]);
  });

  test('has no longer a window than the adapter declares, nor a shorter one', async () => {
    const { fake, provider } = await start(given);
    const { idempotency } = provider.capabilities;
    expect(idempotency.kind === 'none' ? null : idempotency.windowMs).toBe(fake.keyWindowMs);
    expect(promiseOf(provider.capabilities)).not.toBe('');
  });

  test('that throttles is waited for, as long as it says', async () => {
    const { fake, send } = await start(given);
    fake.next({ kind: 'throttle', retryAfterS: 7 });
    const outcome = await send();
    expect(outcome).toMatchObject({ kind: 'deferred' });
    // These have no word for how long; the last is the adapter's own.
    const silent = ['sesv2', 'ses', 'vonage', 'whatsapp-cloud', 'line'].includes(given.name);
    const waitMs = outcome.kind === 'deferred' ? outcome.retryAfterMs : null;
    if (silent) expect(waitMs).toBeUndefined();
    else expect(Math.abs((waitMs ?? 0) - 7_000)).toBeLessThanOrEqual(1_000);
    expect(fake.mailbox).toHaveLength(0);
  });

  test('that takes one a second throttles the second', async () => {
    const { fake, send } = await start(given, { perSecond: 1 });
    expect(await send('k_1')).toMatchObject({ kind: 'accepted' });
    expect(await send('k_2')).toMatchObject({ kind: 'deferred' });
    vi.setSystemTime(Date.now() + 1_000);
    expect(await send('k_2')).toMatchObject({ kind: 'accepted' });
    expect(fake.mailbox).toHaveLength(2);
  });

  test('is not believed where it answers like a proxy, and not followed', async () => {
    const { fake, send } = await start(given);
    const isByStatus = given.name === 'webhook';
    fake.next({ kind: 'empty-200' });
    expect(await send('k_1')).toMatchObject({ kind: isByStatus ? 'accepted' : 'unknown' });
    fake.next({ kind: 'html-200' });
    expect(await send('k_2')).toMatchObject({ kind: isByStatus ? 'accepted' : 'unknown' });
    expect(fake.mailbox).toHaveLength(1);
    fake.next({ kind: 'redirect' });
    expect(await send('k_3')).toMatchObject({ kind: 'rejected' });
    expect(fake.requests.some(({ url }) => url.hostname === 'elsewhere.invalid')).toBe(false);
    expect(fake.mailbox).toHaveLength(1);
  });

  test.each([500, 502, 504])('that answers %i may have taken it or not', async (status) => {
    const { fake, send } = await start(given);
    fake.next({ kind: 'server-error', status });
    expect(await send()).toMatchObject({ kind: 'unknown' });
    fake.next({ kind: 'server-error', status, accepted: true });
    expect(await send()).toMatchObject({ kind: 'unknown' });
    expect(fake.mailbox).toHaveLength(1);
  });

  test('that answers late is given up, and has taken it', async () => {
    const { fake, provider, to } = await start(given);
    await provider.send(messageTo(given, to), contextOf({ key: 'k_0' }));
    fake.next({ kind: 'late', ms: 60_000 });
    const outcome = await provider.send(messageTo(given, to), contextOf({ deadlineMs: 400 }));
    expect(outcome).toMatchObject({ kind: 'unknown' });
    expect(fake.mailbox).toHaveLength(2);
  });
});

describe.each(CASES)('$name: every refusal', (given) => {
  test('is what our adapter makes of it', async () => {
    const { fake, send } = await start(given);
    const wrong: string[] = [];
    for (const [code, { means }] of Object.entries<Refusal>(fake.refusals)) {
      fake.next({ kind: 'refuse', code });
      const outcome = shown(await send());
      const careful = MORE_CAREFUL[`${given.name} ${code}`];
      const fitting = careful === undefined ? FITTING[means] : [careful];
      if (!fitting.includes(outcome)) wrong.push(`${code} means ${means}, and is ${outcome}`);
    }
    expect(wrong).toEqual([]);
    expect(fake.mailbox).toEqual([]);
  });

  test('that the table of the adapter has a row for is what the row states', async () => {
    const { fake, send } = await start(given);
    const wrong: string[] = [];
    for (const { status, code, is } of given.facts.outcomes) {
      const asked = Object.entries<Refusal>(fake.refusals).find(([name, refusal]) => {
        if (code === undefined) return [String(status), `http-${status}`].includes(name);
        const isCode = [name, refusal.code, refusal.says].includes(code);
        return isCode && (status ?? refusal.status) === refusal.status;
      })?.[0];
      // What the vendor is not known to say of itself stands in the tests of the adapter alone.
      if (asked === undefined) continue;
      fake.next({ kind: 'refuse', code: asked });
      const outcome = shown(await send());
      if (outcome !== is) wrong.push(`${asked} is ${outcome}, not ${is}`);
    }
    expect(wrong).toEqual([]);
  });
});
