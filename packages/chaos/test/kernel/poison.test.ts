import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import { setTimeout as later } from 'node:timers/promises';
import { isSendonceError, type SendonceError } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { asUserCode, outsideWorld, userCodeInside } from '../../src/kernel/guard.ts';
import { poison } from '../../src/kernel/poison.ts';
import { toySite, toyWorld } from './toy.ts';

/** Runs the action inside a poisoned world; answers the violation that ended the run, or null. */
async function inWorld(action: () => unknown): Promise<SendonceError | null> {
  const restore = poison();
  const { run, at } = toyWorld();
  at(1, () => void (async () => action())().catch(() => {}));
  at(2, () => {});
  try {
    await run();
    return null;
  } catch (error) {
    if (!isSendonceError(error)) throw error;
    return error;
  } finally {
    restore();
  }
}

const forbidden: readonly [call: string, action: () => unknown][] = [
  ['Date.now', () => Date.now()],
  ['new Date()', () => new Date()],
  ['Date()', () => Date()],
  ['Intl.DateTimeFormat.format() without a date', () => new Intl.DateTimeFormat('en').format()],
  ['Intl.DateTimeFormat.format() without a date', () => Intl.DateTimeFormat('en').format(undefined)],
  ['Intl.DateTimeFormat.format() without a date', () => [undefined].map(new Intl.DateTimeFormat('en').format)],
  ['Intl.DateTimeFormat.formatToParts() without a date', () => new Intl.DateTimeFormat('en').formatToParts()],
  ['new Date()', () => new Date().toLocaleTimeString('en')],
  ['new Date()', () => new Date().toLocaleDateString('en')],
  ['new Date()', () => new Date().toLocaleString('en')],
  ['setTimeout', () => setTimeout(() => {}, 1)],
  ['setInterval', () => setInterval(() => {}, 1)],
  ['setImmediate', () => setImmediate(() => {})],
  ['timers/promises.setTimeout', () => later(1)],
  ['performance.now', () => performance.now()],
  ['performance.mark', () => performance.mark('x')],
  ['performance.toJSON', () => performance.toJSON()],
  ['process.cpuUsage', () => process.cpuUsage()],
  ['process.hrtime', () => process.hrtime()],
  ['process.hrtime.bigint', () => process.hrtime.bigint()],
  ['AbortSignal.timeout', () => AbortSignal.timeout(1)],
  ['Math.random', () => Math.random()],
  ['crypto.randomUUID', () => randomUUID()],
  ['crypto.getRandomValues', () => crypto.getRandomValues(new Uint8Array(1))],
  ['crypto.subtle.digest', () => crypto.subtle.digest('SHA-256', new Uint8Array(1))],
  ['fetch', () => fetch('http://127.0.0.1:9/')],
  ['fs.readFileSync', () => readFileSync('package.json')],
  ['fs.promises.readFile', () => readFile('package.json')],
  ['net.connect', () => net.connect(9, '127.0.0.1')],
  ['net.Socket.connect', () => new net.Socket().connect(9, '127.0.0.1')],
  ['http.request', () => http.request('http://127.0.0.1:9/')],
];

describe('a simulated world', () => {
  test.each(forbidden)('may not call %s, even where somebody catches the error', async (call, action) => {
    const violation = await inWorld(action);
    expect(violation?.code).toBe('DETERMINISM_VIOLATION');
    expect(violation?.message).toContain(`${call} was called inside a simulated run`);
  });

  test('may make dates of given times and format them, hash, and use abort signals', async () => {
    let formatted: unknown[] = [];
    const violation = await inWorld(() => {
      const day = new Intl.DateTimeFormat('en', { timeZone: 'UTC' });
      formatted = [day.format(0), day.format(new Date(0)), day.formatToParts(0).length, day.format === day.format];
      formatted.push(new Date(0).toLocaleDateString('en', { timeZone: 'UTC' }), day.formatRange(0, 1));
      new Date(5).toISOString();
      new AbortController().abort();
      return structuredClone({ a: 1 });
    });
    expect(violation).toBeNull();
    expect(formatted).toEqual(['1/1/1970', '1/1/1970', 5, true, '1/1/1970', '1/1/1970']);
  });

  test('names the function of the user that made the call, and what that function can use', async () => {
    const violation = await inWorld(() => asUserCode("content of 'hello'", () => Date.now()));
    expect(violation?.message).toBe(
      "Date.now was called by content of 'hello' inside a simulated run, where a seed must decide everything. " +
        'Use what is published (in `sample`, its `random`).',
    );
    expect(userCodeInside()).toBeNull();
  });

  test('may not ask Temporal for the time, where there is one', async () => {
    const real = Object.getOwnPropertyDescriptor(globalThis, 'Temporal');
    const Temporal = { Now: { instant: () => 0, plainDateISO: () => 0 } };
    Object.defineProperty(globalThis, 'Temporal', { value: Temporal, configurable: true, writable: true });
    // What is poisoned is found out again when another module is in memory.
    await import('node:readline');
    const violation = await inWorld(() => Temporal.Now.plainDateISO());
    if (real === undefined) Reflect.deleteProperty(globalThis, 'Temporal');
    else Object.defineProperty(globalThis, 'Temporal', real);
    expect(violation?.message).toContain('Temporal.Now.plainDateISO was called inside');
  });

  test('is stopped at its next port call when it waited for something real', async () => {
    const restore = poison();
    const real = outsideWorld(() => import('node:zlib'));
    const { wire, run, start, at } = toyWorld();
    const tick = (): void => at(1_000, tick);
    tick();
    start('w1', async (life) => {
      await real.then(() => new Promise((resolve) => outsideWorld(() => realImmediate(resolve))));
      await wire.call(
        life,
        toySite('ledger.mark', () => null),
        null,
      );
    });
    await expect(run(undefined, Infinity)).rejects.toThrow(/waiting for something real/);
    restore();
  });
});

const realImmediate = setImmediate;

describe('the harness', () => {
  test('uses the real clock while a world runs, between instants and where it says so', async () => {
    const restore = poison();
    const { run, at } = toyWorld();
    let inside = 0;
    const again = (): void => {
      inside = outsideWorld(() => Date.now());
      at(1, again);
    };
    again();
    let outside = 0;
    const timer = setInterval(() => (outside = Date.now()), 1);
    await run(() => inside > 0 && outside > 0, Infinity);
    clearInterval(timer);
    restore();
  });

  test('finds everything as it was once the last holder let go', () => {
    const before = [Date, Date.now, Math.random, setTimeout, readFileSync, crypto.randomUUID];
    const first = poison();
    const second = poison();
    first();
    first();
    expect(Date.now).not.toBe(before[1]);
    second();
    expect([Date, Date.now, Math.random, setTimeout, readFileSync, crypto.randomUUID]).toEqual(before);
    expect(Object.hasOwn(crypto, 'randomUUID')).toBe(false);
  });
});
