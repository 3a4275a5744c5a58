import { createNotifier, isSendonceError } from '@sendonce/core';
import config, { first, second } from './notify.config.ts';

const done = new AbortController();
const notifier = createNotifier({
  ...config,
  telemetry: [{ emit: (event) => event.kind === 'notification.moved' && event.to === 'done' && done.abort() }],
});
const order = { id: 'o-17', contacts: [{ name: 'Ann', email: 'ann@example.com' }] };

// #region break
// The first provider is out of reach for its first request: nothing left this process.
first.answerWith(({ call }) =>
  call === 1 ? { reply: { kind: 'not-sent', reason: 'connection refused' } } : undefined,
);
// #endregion

// #region publish
await notifier.publish('orderPlaced', order);
await notifier.publish('orderPlaced', { ...order, contacts: [] }).catch(say);
await notifier.publish('orderPlaced', { ...order, contacts: [{ name: 'Eve', email: 'eve@example.com' }] }).catch(say);
// #endregion

await notifier.worker().run({ signal: done.signal });

// #region look
const [item] = [...first.mailbox, ...second.mailbox];
for (const move of await notifier.history(item?.deliveryId ?? ''))
  console.log(`${move.from ?? 'new'} -> ${move.to}${move.note === null ? '' : `  (${move.note})`}`);
console.log('by', item?.providerMessageId);
// #endregion
await notifier.close();

function say(error: unknown): void {
  if (!isSendonceError(error)) throw error;
  console.log(`${error.code}: ${error.message}`);
}
