import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outcome, Provider } from '@sendonce/core';
import { systemClock } from '@sendonce/core/system';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { ProviderModel, SimulationSetup } from '../../src/plan.ts';
import { capabilitiesOf } from '../../src/processes/config.ts';
import { caller, serve } from '../../src/processes/loopback.ts';
import { openMailbox, readMailbox } from '../../src/processes/mailbox-file.ts';
import { httpProvider, outcomeOf } from '../../src/processes/provider-client.ts';
import { fakeProvider } from '../../src/processes/provider-server.ts';
import type { Script } from '../../src/processes/scripts.ts';
import { knobsOf } from '../../src/world/knobs.ts';

const folder = mkdtempSync(join(tmpdir(), 'provider-'));
const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const knobs = knobsOf({ providerLeastMs: 0, providerMostMs: 0, settleMs: 1, keyWindowMs: 2_000 });
let boxes = 0;

interface World {
  readonly provider: Provider;
  readonly fired: number[];
  readonly arrived: () => Promise<readonly string[]>;
}

async function world(
  model: ProviderModel,
  over: { scripts?: readonly Script[]; held?: (n: number) => Promise<boolean> } = {},
): Promise<World> {
  const path = join(folder, `box-${++boxes}`);
  const mailbox = await openMailbox(path);
  const fired: number[] = [];
  const { scripts = [], held = () => Promise.resolve(true) } = over;
  const capabilities = capabilitiesOf({ provider: model } as SimulationSetup, knobs);
  const fake = fakeProvider({
    capabilities,
    knobs,
    seed: 's',
    clock: systemClock,
    mailbox,
    scripts,
    held,
    fired: (index) => fired.push(index),
  });
  const { port, server } = await serve({ '/send': fake.send, '/lookup': fake.lookup });
  const calls = caller(port);
  closing.push(
    () => mailbox.close(),
    () => {
      calls.close();
      server.closeAllConnections();
      server.close();
    },
  );
  const provider = httpProvider({
    name: 'p0',
    channel: 'email',
    capabilities,
    worker: 'w1',
    caller: calls,
    timeoutMs: 2_000,
  });
  const arrived = async (): Promise<readonly string[]> => (await readMailbox(path)).map(({ deliveryId }) => deliveryId);
  return { provider, fired, arrived };
}

function send(provider: Provider, id: string, { key = id, text = 'hello', attempt = 1 } = {}): Promise<Outcome> {
  const message = { deliveryId: id, channel: 'email' as const, to: `${id}@x.example`, content: { text }, createdAt: 0 };
  return provider.send(message, { key, attempt, deadlineMs: 1_000, signal: new AbortController().signal });
}

function script(what: Script['do'], over: Partial<Script> = {}): Script {
  return { index: 7, do: what, whose: { kind: 'delivery', id: 'd_1' }, nth: 1, ms: 0, ...over };
}

describe('the fake provider', () => {
  test('has a message on the disk when it says so, and no second one for the same key', async () => {
    const { provider, arrived } = await world('keyed');
    const [one, two] = await Promise.all([send(provider, 'd_1'), send(provider, 'd_1')]);
    expect(one).toEqual({ kind: 'accepted', providerMessageId: 'p0-m1' });
    expect(two).toEqual(one);
    expect(await arrived()).toEqual(['d_1']);
  });

  test('refuses a key that comes back with another message', async () => {
    const { provider } = await world('keyed');
    await send(provider, 'd_1');
    expect(await send(provider, 'd_1', { text: 'other' })).toMatchObject({ kind: 'rejected', scope: 'message' });
  });

  test.each(['lookup', 'plain'] as const)('takes every request of a %s provider as a message', async (model) => {
    const { provider, arrived } = await world(model);
    await send(provider, 'd_1');
    await send(provider, 'd_1', { attempt: 2 });
    expect(await arrived()).toEqual(['d_1', 'd_1']);
  });

  test('can be asked what it took, where it is of that kind', async () => {
    const { provider } = await world('lookup');
    await send(provider, 'd_1');
    const { lookup } = provider.capabilities;
    if (lookup === 'none') throw new Error('a lookup provider can be asked');
    const ask = (deliveryId: string): Promise<unknown> =>
      lookup.find({ deliveryId, key: '', to: '', markedAt: 0 }, { signal: new AbortController().signal });
    expect(await ask('d_1')).toEqual({ kind: 'found', providerMessageId: 'p0-m1' });
    expect(await ask('d_2')).toEqual({ kind: 'absent' });
  });

  test('holds an answer back until it is told what becomes of it, and cuts the connection', async () => {
    let release: (answer: boolean) => void = () => {};
    const held = new Promise<boolean>((resolve) => (release = resolve));
    const { provider, arrived } = await world('plain', { held: (n) => (n === 2 ? held : Promise.resolve(true)) });
    await send(provider, 'd_1');
    const second = send(provider, 'd_2');
    // Nobody else waits for it.
    expect(await send(provider, 'd_3')).toMatchObject({ kind: 'accepted' });
    expect(await arrived()).toEqual(['d_1', 'd_2', 'd_3']);
    release(false);
    expect(await second).toMatchObject({ kind: 'unknown' });
  });

  const faults: readonly (readonly [Script['do'], kind: Outcome['kind'], isTaken: boolean])[] = [
    ['request-lost', 'unknown', false],
    ['reply-lost', 'unknown', true],
    ['slow', 'accepted', true],
    ['reply-slow', 'accepted', true],
    ['5xx-after-acceptance', 'unknown', true],
    ['missing-id', 'unknown', true],
    ['throttle', 'deferred', false],
    ['reject', 'rejected', false],
    ['unauthorised', 'rejected', false],
    ['outage', 'not-sent', false],
    ['key-forgotten', 'unknown', true],
  ];
  test.each(faults)('%s looks like %s to the sender; taken: %s', async (what, kind, isTaken) => {
    const { provider, fired, arrived } = await world('keyed', { scripts: [script(what)] });
    expect(await send(provider, 'd_2')).toMatchObject({ kind: 'accepted' });
    expect(await send(provider, 'd_1')).toMatchObject({ kind });
    expect(fired).toEqual([7]);
    expect((await arrived()).includes('d_1')).toBe(isTaken);
  });

  test('strikes the nth send of a recipient only', async () => {
    const { provider } = await world('plain', { scripts: [script('reply-lost', { nth: 2 })] });
    const kinds = [await send(provider, 'd_1'), await send(provider, 'd_1'), await send(provider, 'd_1')].map(
      (each) => each.kind,
    );
    expect(kinds).toEqual(['accepted', 'unknown', 'accepted']);
  });
});

describe('the loopback server', () => {
  test('listens on 127.0.0.1 and nowhere else', async () => {
    const { server } = await serve({});
    closing.push(() => void server.close());
    expect(server.address()).toMatchObject({ address: '127.0.0.1' });
  });

  test('a caller knows that nothing left where nobody listens', async () => {
    const { port, server } = await serve({});
    await new Promise((resolve) => server.close(resolve));
    const calls = caller(port);
    closing.push(() => calls.close());
    const answered = await calls.call('/send', {}, { timeoutMs: 1_000 });
    expect(outcomeOf(answered)).toMatchObject({ kind: 'not-sent' });
  });

  test('a caller that waits too long knows nothing', async () => {
    const { port, server } = await serve({ '/send': () => new Promise(() => {}) });
    const calls = caller(port);
    closing.push(() => {
      calls.close();
      server.closeAllConnections();
      server.close();
    });
    expect(outcomeOf(await calls.call('/send', {}, { timeoutMs: 20 }))).toEqual({
      kind: 'unknown',
      reason: 'no answer within the time limit',
    });
  });
});
