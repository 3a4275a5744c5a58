import type { OutgoingMessage, SendContext } from '@sendonce/core';

export function outgoing(patch: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return {
    deliveryId: 'd_1',
    channel: 'email',
    to: 'ann@example.com',
    content: { subject: 'Order 4711', text: 'Thank you.' },
    createdAt: Date.UTC(2026, 2, 1, 8),
    ...patch,
  };
}

export function contextOf(patch: Partial<SendContext> = {}): SendContext {
  return { key: 'k_1', attempt: 1, deadlineMs: 10_000, signal: new AbortController().signal, ...patch };
}
