import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arena, type Arena, type ChunkPool } from '../../../src/memory/ledger/arena.ts';
import { byteReader, byteWriter, type ByteWriter } from '../../../src/memory/ledger/bytes.ts';
import { dueClaims } from '../../../src/memory/ledger/due-claims.ts';
import { hashIndex } from '../../../src/memory/ledger/hash-index.ts';
import { pageStore } from '../../../src/memory/ledger/page-store.ts';
import { targetCodec } from '../../../src/memory/ledger/target-codec.ts';
import { undoJournal } from '../../../src/memory/ledger/undo.ts';
import { toTarget } from '../../../src/model/recipient.ts';
import { timeHeap } from '../../../src/memory/time-heap.ts';

const writer = byteWriter();
const reader = byteReader();

function row(text: string): ByteWriter {
  writer.reset();
  writer.text(text);
  return writer;
}

function read(store: Arena, address: number): string {
  store.locate(address, reader);
  return reader.text();
}

describe('the arena', () => {
  test('gives back every text that was written and not freed, whatever its length and letters', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 50 }),
      fc.nat(3_000_000).map((n) => 'ü'.repeat(n)),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fc.boolean()), { maxLength: 20 }), (entries) => {
        const store = arena([]);
        const written = entries.map(([each, isFreed]) => ({ each, isFreed, address: store.write(row(each)) }));
        for (const { isFreed, address } of written) if (isFreed) store.free(address);
        for (const { each, isFreed, address } of written) if (!isFreed) expect(read(store, address)).toBe(each);
      }),
      { numRuns: 30 },
    );
  });

  test('uses the chunks again of which every row was given up', () => {
    const pool: ChunkPool = [];
    const store = arena(pool);
    const text = 'x'.repeat(900);
    let addresses: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const next = Array.from({ length: 3_000 }, () => store.write(row(text)));
      for (const address of addresses) store.free(address);
      addresses = next;
    }
    // Two rounds of about 2.7 MB live at once: a dozen chunks, were they never used again there would be 50.
    expect(new Set(addresses.map((address) => Math.floor(address / 2 ** 18))).size + pool.length).toBeLessThan(12);
  });
});

describe('the page store', () => {
  const page = (from: number) => [from, from + 1].map((n) => toTarget({ channel: 'email', to: `r${n}@x.example`, n }));

  // How many targets are kept as they came: none, those of the first page, all.
  test.each([0, 2, 1_000])(
    'tells pages apart and gives them back, %i targets of them kept as they came',
    (mostKept) => {
      const pages = pageStore([], targetCodec(), mostKept);
      const addresses = [0, 2, 4].map((from) => pages.write(page(from)));
      expect(addresses.map((address) => pages.read(address))).toEqual([0, 2, 4].map(page));
      expect(addresses.map((address) => pages.fingerprintAt(address))).toEqual(
        [0, 2, 4].map((from) => pages.fingerprintOf(page(from))),
      );
      expect(new Set(addresses.map((address) => pages.fingerprintAt(address))).size).toBe(3);
      expect(addresses.filter((address) => !pages.isWorthFreeing(address))).toHaveLength(Math.min(3, mostKept / 2));
    },
  );

  test('has room again for a page as it came when one was given up', () => {
    const pages = pageStore([], targetCodec(), 2);
    const first = pages.write(page(0));
    pages.free(first);
    const second = pages.write(page(2));
    expect([pages.isWorthFreeing(second), pages.read(second)]).toEqual([false, page(2)]);
  });
});

describe('the time heap', () => {
  test('gives its entries in the order of their times, first in first out among equals', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { maxLength: 200 }), (times) => {
        const heap = timeHeap<number>();
        times.forEach((at, i) => heap.push(at, i));
        const expected = times.map((at, i) => ({ at, item: i })).sort((a, b) => a.at - b.at || a.item - b.item);
        const got = expected.map(() => heap.popUntil(20));
        expect(got).toEqual(expected);
        expect([heap.popUntil(20), heap.size]).toEqual([undefined, 0]);
      }),
    );
  });

  test('gives nothing that lies in the future, and takes more in between', () => {
    const heap = timeHeap<string>();
    heap.push(10, 'ten');
    expect(heap.popUntil(9)).toBeUndefined();
    heap.push(5, 'five');
    expect(heap.peek()).toEqual({ at: 5, item: 'five' });
    expect([heap.popUntil(10)?.item, heap.popUntil(10)?.item]).toEqual(['five', 'ten']);
    heap.push(10, 'ten again');
    expect(heap.popUntil(10)?.item).toBe('ten again');
  });
});

describe('the time heap, when entries are given up', () => {
  test('never loses one that was not, and drops a moment of which all were', () => {
    const step = fc.record({ at: fc.nat(20), isGivenUp: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), fc.nat(20), (steps, now) => {
        const heap = timeHeap<number>();
        const kept = new Set<number>();
        steps.forEach(({ at, isGivenUp }, i) => {
          heap.push(at, i);
          if (isGivenUp) heap.giveUp(at);
          else kept.add(i);
        });
        for (let next = heap.popUntil(now); next !== undefined; next = heap.popUntil(now)) kept.delete(next.item);
        // What lies behind is taken already: giving it up again must not touch what comes at that moment later.
        for (const { at } of steps) if (at <= now) heap.giveUp(at);
        for (const { at } of steps) if (at <= now) heap.push(at, -1);
        expect([...kept].every((i) => (steps[i]?.at ?? 0) > now)).toBe(true);
        for (let next = heap.popUntil(20); next !== undefined; next = heap.popUntil(20)) kept.delete(next.item);
        expect([kept.size, heap.size]).toEqual([0, 0]);
      }),
    );
  });

  test('holds nothing of a moment that was given up wholly', () => {
    const heap = timeHeap<number>();
    for (let i = 0; i < 3; i += 1) heap.push(10, i);
    for (let i = 0; i < 3; i += 1) heap.giveUp(10);
    expect([heap.size, heap.popUntil(10)]).toEqual([0, undefined]);
  });
});

describe('the hash index', () => {
  test('finds every text by its slot through growth, and nothing that was not added', () => {
    const texts = Array.from({ length: 5_000 }, (_, i) => `d_${i}`);
    const index = hashIndex((slot, text) => texts[slot] === text);
    texts.forEach((text, slot) => index.add(text, slot));
    expect(texts.every((text, slot) => index.find(text) === slot)).toBe(true);
    expect(index.find('d_none')).toBe(-1);
  });

  test('passes over an entry whose slot carries the text no more', () => {
    const texts = ['d_a'];
    const index = hashIndex((slot, text) => texts[slot] === text);
    index.add('d_a', 0);
    texts[0] = '';
    texts[1] = 'd_a';
    expect(index.find('d_a')).toBe(-1);
    index.add('d_a', 1);
    expect(index.find('d_a')).toBe(1);
  });
});

describe('the undo journal', () => {
  test('takes back the writes of the last while, newest first, and no older ones', () => {
    let now = 0;
    const undo = undoJournal(1_000, () => now);
    const taken: number[] = [];
    for (now = 1; now <= 5; now += 1) {
      const at = now;
      undo.note(() => void taken.push(at));
    }
    now = 5;
    expect(undo.rollBack(2)).toBe(2);
    expect(taken).toEqual([5, 4]);
  });

  test('keeps nothing when it is off', () => {
    const undo = undoJournal(0, () => 1);
    undo.note(() => expect.unreachable());
    expect([undo.isOn, undo.rollBack(1_000)]).toEqual([false, 0]);
  });
});

describe('the memory of due claims', () => {
  test('knows a request until its lease is over, an empty one too', () => {
    let now = 0;
    const claims = dueClaims(() => now);
    claims.remember('a', ['d', 'e'], 10);
    claims.remember('b', [], 10);
    expect([claims.grantedTo('a'), claims.grantedTo('b'), claims.grantedTo('c')]).toEqual([['d', 'e'], [], null]);
    now = 11;
    claims.remember('c', ['f'], 20);
    expect([claims.grantedTo('a'), claims.grantedTo('c')]).toEqual([null, ['f']]);
  });
});
