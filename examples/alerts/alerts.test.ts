import { createNotifier, type AlertSink } from '@sendonce/core';
import { manualClock, memoryLedger, memoryProvider, seededRandom } from '@sendonce/core/memory';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import config from '../first-notifier/notify.config.ts';
import { runFor } from '../support/run-for.ts';
import { chat, pager, sinks } from './alerts.ts';

/** One order that its provider refuses, told to these sinks. */
async function refused(alerts: readonly AlertSink[]): Promise<void> {
  const clock = manualClock(Date.UTC(2026, 2, 1));
  const reply = { kind: 'rejected', scope: 'message', reason: 'template missing' } as const;
  const provider = memoryProvider({ clock, name: 'first', answer: () => ({ reply }) });
  const channels = { email: { providers: [provider] } };
  const ledger = memoryLedger({ clock });
  const notifier = createNotifier({ ...config, ledger, channels, alerts, clock, random: seededRandom('alerts') });
  await notifier.publish('orderPlaced', { id: 'o-1', contacts: [{ name: 'Ann', email: 'ann@example.com' }] });
  await runFor(notifier, clock, 2_000);
  await notifier.close();
}

async function posted(make: (url: string) => readonly AlertSink[]): Promise<readonly unknown[]> {
  const bodies: unknown[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      bodies.push(JSON.parse(text));
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await refused(make(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return bodies;
}

const summary = '1 message gave up and became dead letters';

test('a webhook gets the alert with the ids and the command to run next', async () => {
  const [, webhook] = sinks('https://example.com', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
  expect(webhook).toBeDefined();
  const bodies = await posted((url) => sinks(url, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw').slice(1));
  expect(bodies).toMatchObject([
    { type: 'alert.dead-letter', data: { count: 1, summary, next: 'docs/how-to/handle-dead-letters.md' } },
  ]);
});

test('a chat service gets a text', async () => {
  expect(await posted((url) => [chat(url)])).toEqual([
    { text: `${summary}. Next: \`docs/how-to/handle-dead-letters.md\`` },
  ]);
});

test('a pager wakes somebody for a dead letter', async () => {
  const woken: string[] = [];
  await refused([pager(async (text) => void woken.push(text))]);
  expect(woken).toEqual([`${summary} (docs/how-to/handle-dead-letters.md)`]);
});
