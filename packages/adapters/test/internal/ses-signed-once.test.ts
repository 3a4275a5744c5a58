import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deadlineOf } from '../../src/internal/deadline.ts';
import { ONE_REQUEST, signedOnce, type SdkClient } from '../../src/internal/ses/signed-once.ts';
import { answer, fakeHttp, type FakeHttp } from '../providers/support/fake-http.ts';

let fake: FakeHttp;
beforeEach(async () => {
  fake = await fakeHttp(() => ({ write: answer(200, '{}'), then: 'close' }));
});
afterEach(() => fake.close());

const limits = (deadlineMs = 10_000, signal = new AbortController().signal) => ({
  deadline: deadlineOf({ deadlineMs, signal }),
  timeoutMs: 10_000,
  bodyMs: 1_000,
});

/** A client that does with its handler what it is told to. */
function client(act: (hand: () => Promise<unknown>) => Promise<unknown>): SdkClient<object> {
  const request = { protocol: 'http:', hostname: '127.0.0.1', port: fake.port, path: '/', headers: {}, body: '{}' };
  return {
    send: (_command, options) => act(() => ONE_REQUEST.requestHandler.handle(request, options)),
    destroy: () => undefined,
  };
}

describe('a request that the SDK makes and signs', () => {
  test('leaves once, however often the client hands it over', async () => {
    const refused: unknown[] = [];
    const eager = client(async (hand) => {
      await hand();
      for (const _again of [1, 2]) await hand().catch((error: Error) => refused.push(error.message));
    });
    expect(await signedOnce(eager, {}, limits())).toMatchObject({ kind: 'answered', status: 200 });
    await expect.poll(() => refused).toHaveLength(2);
    expect(fake.complete).toHaveLength(1);
  });

  test('does not leave any more once it was called not sent', async () => {
    const over = new AbortController();
    let handed: Promise<unknown> = Promise.resolve();
    const slow = client(async (hand) => {
      over.abort();
      await new Promise(setImmediate);
      handed = hand();
      return handed;
    });
    expect(await signedOnce(slow, {}, limits(10_000, over.signal))).toMatchObject({ kind: 'not-sent' });
    await new Promise(setImmediate);
    await expect(handed).rejects.toThrow('none after its time');
    expect(fake.connections()).toBe(0);
  });

  test('that is never handed over is not sent', async () => {
    const result = await signedOnce(
      client(() => Promise.resolve()),
      {},
      limits(),
    );
    expect(result).toMatchObject({ kind: 'not-sent', reason: 'the client made no request' });
  });
});
