import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Slots } from '../../src/checkers/slots.ts';

/** `d_17` is recipient 17; anything else is nobody's. */
const indexOf = (id: string): number => (/^d_\d+$/.test(id) ? Number(id.slice(2)) : -1);
const RESERVED = 10;

describe('slots where recipients are learned as they come', () => {
  test('are one for each delivery, and lead back to its recipient', () => {
    const recipient = fc.oneof(
      fc.nat({ max: RESERVED - 1 }),
      fc.nat({ max: 200 }).map((n) => RESERVED + 2 * n),
    );
    const step = fc.oneof(
      fc.record({ kind: fc.constant('first' as const), recipient }),
      fc.record({ kind: fc.constant('later' as const), recipient, generation: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ kind: fc.constant('phantom' as const), recipient: fc.nat({ max: 50 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const slots = new Slots(RESERVED, indexOf, true);
        const owner = new Map<number, string>();
        for (const each of steps) {
          const id =
            each.kind === 'first'
              ? `d_${each.recipient}`
              : `d_${each.kind}-${each.recipient}-${'generation' in each ? each.generation : ''}`;
          const slot = each.kind === 'later' ? slots.generation(id, each.recipient) : slots.of(id);
          expect(owner.get(slot) ?? id).toBe(id);
          owner.set(slot, id);
          expect(slots.of(id)).toBe(slot);
          expect(slots.recipientOf(slot)).toBe(each.kind === 'phantom' ? -1 : each.recipient);
          if (each.kind === 'first') expect(slot).toBe(each.recipient);
        }
      }),
    );
  });

  test('have none for a notification', () => {
    expect(new Slots(RESERVED, indexOf, true).of('n_1')).toBe(-1);
  });
});
