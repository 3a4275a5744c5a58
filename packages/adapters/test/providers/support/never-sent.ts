import type { OutgoingMessage, Provider } from '@sendonce/core';
import { expect, test } from 'vitest';
import { fakeHttp } from './fake-http.ts';
import { contextOf } from './sending.ts';

export type NeverSent = readonly [
  what: string,
  patch: Partial<OutgoingMessage>,
  scope: 'message' | 'destination' | 'provider',
  reason: RegExp,
];

/** Messages that can never be sent: a check says so, a send says the same, and nobody is connected to. */
export function testNeverSent(
  make: (baseUrl: string) => Provider,
  message: OutgoingMessage,
  cases: readonly NeverSent[],
): void {
  test.each(cases)('with %s is rejected before any request', async (_what, patch, scope, reason) => {
    const fake = await fakeHttp(() => ({ then: 'close' }));
    const provider = make(`http://127.0.0.1:${fake.port}`);
    const checked = provider.check?.({ ...message, ...patch });
    expect(checked).toMatchObject({ kind: 'rejected', scope });
    expect(checked?.reason).toMatch(reason);
    expect(await provider.send({ ...message, ...patch }, contextOf())).toEqual(checked);
    expect(fake.connections()).toBe(0);
    await fake.close();
  });
}
