// What every benchmark sends, to whom, and through what.
import { createNotifier } from '@sendonce/core';

export const CONTENT = Object.freeze({ subject: 'Order 1', text: 'Your order is on its way. '.repeat(8) });

/** A provider that takes keys and does what `send` does. */
const benchProvider = (send) => ({
  name: 'bench',
  capabilities: {
    idempotency: { kind: 'key', windowMs: 86_400_000 },
    lookup: 'none',
    correlation: { field: 'key', maxBytes: 64 },
    coalesce: false,
  },
  send,
  async close() {},
});

/** A notifier with the one type 'order' on that ledger. */
export function notifierOn(ledger, send) {
  return createNotifier({
    ledger,
    channels: { email: { providers: [benchProvider(send)] } },
    notifications: { order: { class: 'transactional', content: () => CONTENT } },
  });
}

export const personOf = (i) => ({ channel: 'email', to: `someone.${i}@example.com`, name: 'Some One' });

export function* people(count) {
  for (let i = 0; i < count; i += 1) yield personOf(i);
}

/** A person as a target that a ledger is given. */
export const targetOf = (i) => ({
  channel: 'email',
  to: `someone.${i}@example.com`,
  recipientId: `someone.${i}@example.com`,
  destinationId: '',
  data: { name: 'Some One', locale: 'de' },
});

/** `send` of a provider that takes so long; `onSent` hears how many there were. */
export function counting(onSent, latencyMs = 0) {
  let sent = 0;
  return async (_message, { key }) => {
    if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs));
    sent += 1;
    onSent(sent);
    return { kind: 'accepted', providerMessageId: `m-${key}` };
  };
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
