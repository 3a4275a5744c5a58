import { deliveryId } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { Mailbox } from '../../src/world/mailbox.ts';

const idOf = (n: number): string =>
  deliveryId({ notificationId: 'n', recipientId: String(n), channel: 'email', destinationId: '', generation: 0 });

describe('the mailbox', () => {
  test('keeps messages in their order', () => {
    const mailbox = new Mailbox(0);
    const messages = Array.from({ length: 1_000 }, (_, n) => ({
      slot: n - 1,
      provider: n % 3,
      deliveryId: idOf(n),
      bodyHash: n * 7,
      at: n * 1e7,
    }));
    for (const { slot, provider, deliveryId: id, bodyHash, at } of messages)
      mailbox.put(slot, provider, id, bodyHash, at);
    expect([...mailbox.messages()]).toEqual(messages);
    expect(mailbox.acceptedAt(999)).toBe(999e7);
  });
});
