import type { DeliveryRecord } from '@sendonce/core';
import { deliveryId } from '@sendonce/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { finalDelivery } from '../../src/checkers/facts.ts';
import { Finals } from '../../src/world/finals.ts';
import { IdColumn } from '../../src/world/id-column.ts';
import { Mailbox } from '../../src/world/mailbox.ts';

const idOf = (n: number): string =>
  deliveryId({ notificationId: 'n', recipientId: String(n), channel: 'email', destinationId: '', generation: 0 });

describe('columns', () => {
  test('give back every id as it was put in, packed or not', () => {
    const id = fc.oneof(
      fc.nat({ max: 1e6 }).map(idOf),
      fc.string(),
      fc.constantFrom('d_', 'd_short', `d_${'é'.repeat(22)}`, `x_${'a'.repeat(22)}`),
    );
    fc.assert(
      fc.property(fc.array(id, { maxLength: 200 }), (ids) => {
        const column = new IdColumn(1);
        for (const each of ids) column.push(each);
        expect(ids.map((_, index) => column.at(index))).toEqual(ids);
      }),
    );
  });

  test('keep messages in their order', () => {
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

  test('keep the last states of more deliveries than are kept as objects', () => {
    const recordOf = (n: number) =>
      ({
        id: idOf(n),
        generation: n % 3,
        state: n % 2 === 0 ? 'sent' : 'dead',
        assumed: n % 5 === 0,
        reason: n % 4 === 0 ? `reason ${n % 7}` : null,
        charged: n % 6,
        attempts: [],
      }) as unknown as DeliveryRecord;
    const finals = new Finals();
    for (let n = 0; n < 50_400; n++) finals.add(recordOf(n), n - 1);
    const seen = [...finals];
    expect(seen.slice(49_990)).toEqual(
      Array.from({ length: 410 }, (_, at) => finalDelivery(recordOf(49_990 + at), 49_989 + at)),
    );
    expect(seen).toHaveLength(50_400);
  });
});
