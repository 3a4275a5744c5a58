import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHANNELS } from '../../../src/model/classes.ts';
import { DELIVERY_STATES, type Attempt, type DeliveryRecord } from '../../../src/model/delivery.ts';
import { providerKey } from '../../../src/model/keys.ts';
import type { NotificationRecord } from '../../../src/model/notification.ts';
import { normaliseAddress } from '../../../src/model/address.ts';
import { newDelivery, newNotification } from '../../../src/model/steps/notification.ts';
import { byteReader, byteWriter } from '../../../src/memory/ledger/bytes.ts';
import { codec } from '../../../src/memory/ledger/codec.ts';
import { targetCodec } from '../../../src/memory/ledger/target-codec.ts';

const NOW = 1_700_000_000_000;
const BASE_FENCE = 1_700_000_000 * 2 ** 21;
const notification: NotificationRecord = newNotification(
  {
    id: 'n_1',
    tenant: 'default',
    type: 'order',
    key: 'k',
    class: 'document',
    fingerprint: 'f',
    data: {},
    sendAt: null,
    expiresInMs: 1_000,
    recipients: 'explicit',
    page: null,
  },
  NOW,
);
const rows = codec({
  baseFence: BASE_FENCE,
  targets: targetCodec(),
  notificationAt: () => notification,
  indexOfNotification: () => 0,
});
const writer = byteWriter();
const reader = byteReader();

function bytesOf(each: DeliveryRecord): Buffer {
  writer.reset();
  rows.write(writer, each);
  return Buffer.from(writer.bytes.subarray(0, writer.length));
}

function thereAndBack(each: DeliveryRecord): DeliveryRecord {
  reader.bytes = bytesOf(each);
  reader.at = 0;
  const back = rows.read(reader);
  expect(reader.at).toBe(reader.bytes.length);
  return back;
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 5 }),
  fc.constantFrom('\ud800', 'first-12', 'first-012', 'ü-7', `first-${'9'.repeat(15)}`, 'a@b', '@'),
);
const time = fc.integer({ min: NOW - 10_000, max: NOW + 10_000_000 });
const fence = fc.oneof(fc.constant(0), fc.integer({ min: BASE_FENCE, max: BASE_FENCE + 2 ** 30 }));
const maybe = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null });

const outcome: fc.Arbitrary<Attempt['outcome']> = fc.oneof(
  fc.constant(null),
  text.map((providerMessageId) => ({ kind: 'accepted' as const, providerMessageId })),
  text.map((reason) => ({ kind: 'unknown' as const, reason })),
  text.map((reason) => ({ kind: 'rejected' as const, scope: 'message' as const, reason, code: '550' })),
);

const attempt = (id: string): fc.Arbitrary<Attempt> =>
  fc.record({
    n: fc.integer({ min: 1, max: 9 }),
    provider: fc.constantFrom('first', 'second'),
    key: fc.oneof(text, fc.constant(providerKey(id, 'first'))),
    fence,
    markedAt: time,
    sendDeadline: time,
    outcome,
    arrival: fc.constantFrom(null, 'delivered', 'bounced', 'undeliverable'),
    charged: fc.boolean(),
    presumed: fc.boolean(),
  });

const record: fc.Arbitrary<DeliveryRecord> = fc
  .record({
    id: fc.constantFrom('d_1', `d_${'aZ09-_'.repeat(3)}abcd`, `d_${'é'.repeat(22)}`, `x_${'a'.repeat(22)}`),
    channel: fc.constantFrom(...CHANNELS),
    to: text,
    recipientId: maybe(text),
    destinationId: text,
    data: fc.dictionary(
      text,
      fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value))),
      { maxKeys: 3, noNullPrototype: true },
    ),
    attempts: fc.array(attempt('d_1'), { maxLength: 3 }),
    state: fc.constantFrom(...DELIVERY_STATES),
    fields: fc.record({
      fence,
      generation: fc.nat(3),
      owner: maybe(text),
      requestId: maybe(text),
      leaseUntil: maybe(time),
      dispatchUntil: maybe(time),
      dueAt: time,
      expiresAt: fc.oneof(fc.constant(notification.expiresAt), maybe(time)),
      provider: fc.constantFrom('first', 'second'),
      maxAttempts: fc.integer({ min: 1, max: 100 }),
      lapses: fc.nat(5),
      failures: fc.nat(5),
      topic: maybe(text),
      message: maybe(fc.record({ subject: text })),
      forbidden: fc.constantFrom(null, 'cancelled', 'suppressed', 'expired'),
      assumed: fc.boolean(),
      reason: maybe(text),
      createdAt: time,
      updatedAt: time,
      settledAt: maybe(time),
      replaces: maybe(text),
      replacedBy: maybe(text),
      operator: maybe(fc.record({ by: text, why: text })),
      forced: fc.boolean(),
      redrives: fc.nat(3),
    }),
  })
  .map(({ id, channel, to, recipientId, destinationId, data, attempts, state, fields }) => {
    const target = { channel, to, recipientId: recipientId ?? normaliseAddress(channel, to), destinationId, data };
    const base = newDelivery(
      { id, target, provider: 'first', maxAttempts: 5, topic: null, failed: null },
      notification,
      NOW,
    );
    const charged = attempts.filter((each) => each.charged).length;
    return { ...base, ...fields, state, attempts, charged };
  });

describe('the codec of cold records', () => {
  test('gives back every record as it was', () => {
    fc.assert(
      fc.property(record, (each) => {
        expect(thereAndBack(each)).toEqual(each);
      }),
    );
  });

  test('gives back records of one shape, however rare their fields', () => {
    const shapes = fc.sample(record, { numRuns: 50, seed: 1 }).map((each) => Object.keys(thereAndBack(each)).join());
    expect(new Set(shapes).size).toBe(1);
  });

  test('keeps the row of a sent delivery short', () => {
    const target = {
      channel: 'email' as const,
      to: 'Jean.Dupont@example.com',
      recipientId: 'jean.dupont@example.com',
      destinationId: '',
      data: {},
    };
    const id = `d_${'x'.repeat(22)}`;
    const born = newDelivery(
      { id, target, provider: 'first', maxAttempts: 5, topic: 'order', failed: null },
      notification,
      NOW,
    );
    const marked = {
      n: 1,
      provider: 'first',
      key: providerKey(id, 'first'),
      fence: BASE_FENCE + 1_000_000,
      markedAt: NOW + 10_000,
    };
    const sent: DeliveryRecord = {
      ...born,
      state: 'sent',
      fence: marked.fence,
      attempts: [
        {
          ...marked,
          sendDeadline: NOW + 65_000,
          outcome: { kind: 'accepted', providerMessageId: 'first-1000000' },
          arrival: null,
          charged: true,
          presumed: false,
        },
      ],
      charged: 1,
      updatedAt: NOW + 11_000,
      settledAt: NOW + 11_000,
    };
    expect(thereAndBack(sent)).toEqual(sent);
    expect(bytesOf(sent).length).toBeLessThan(72);
  });
});
