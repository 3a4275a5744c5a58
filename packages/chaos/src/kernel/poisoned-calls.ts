import childProcess from 'node:child_process';
import crypto from 'node:crypto';
import dgram from 'node:dgram';
import dns from 'node:dns';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';

/** A real call that no simulated world may make. */
export interface PoisonedCall {
  /** Where the function hangs. */
  readonly on: object;
  readonly name: string;
  /** As a reader would write it. */
  readonly call: string;
  /** What to use instead. */
  readonly instead: string;
  /** Only without arguments is it a reading of the clock (`new Date()`). */
  readonly onlyArgless: boolean;
}

const CLOCK = 'the Clock port';
const RANDOM = 'the Random port';
const OUTSIDE = 'data that the producer passes to publish, or a provider: route and content must be pure';

const TIMERS = ['setTimeout', 'setInterval', 'setImmediate'];
const RANDOMS = [
  'randomUUID',
  'randomBytes',
  'randomInt',
  'randomFill',
  'randomFillSync',
  'getRandomValues',
  'generateKeyPair',
];
const THREADED = ['scrypt', 'pbkdf2', 'hkdf'];

function calls(on: object, prefix: string, names: readonly string[], instead: string): PoisonedCall[] {
  return names.map((name) => ({ on, name, call: `${prefix}${name}`, instead, onlyArgless: false }));
}

function functionsOf(on: object): string[] {
  return Object.keys(on).filter((name) => {
    const value: unknown = (on as Record<string, unknown>)[name];
    // Classes (fs.Stats) are not calls.
    return typeof value === 'function' && /^[a-z]/.test(name) && !name.startsWith('_');
  });
}

function subtleCalls(): PoisonedCall[] {
  const subtle = globalThis.crypto.subtle;
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(subtle)).filter((name) => name !== 'constructor');
  return calls(subtle, 'crypto.subtle.', names, 'createHash of node:crypto, which answers at once');
}

/** Everything that would let real time, chance or the outside world decide what a run does. Made once. */
export function poisonedCalls(): readonly PoisonedCall[] {
  return [
    { on: globalThis, name: 'Date', call: 'new Date()', instead: CLOCK, onlyArgless: true },
    ...calls(Date, 'Date.', ['now'], CLOCK),
    ...calls(globalThis, '', TIMERS, CLOCK),
    ...calls(timers, 'timers.', TIMERS, CLOCK),
    ...calls(timersPromises, 'timers/promises.', TIMERS, CLOCK),
    ...calls(performance, 'performance.', ['now'], CLOCK),
    ...calls(process, 'process.', ['hrtime', 'uptime'], CLOCK),
    ...calls(process.hrtime, 'process.hrtime.', ['bigint'], CLOCK),
    ...calls(AbortSignal, 'AbortSignal.', ['timeout'], CLOCK),
    ...calls(Math, 'Math.', ['random'], RANDOM),
    ...calls(globalThis.crypto, 'crypto.', ['randomUUID', 'getRandomValues'], RANDOM),
    ...calls(crypto, 'crypto.', RANDOMS, RANDOM),
    ...calls(crypto, 'crypto.', THREADED, 'its Sync form, which answers at once'),
    ...subtleCalls(),
    ...calls(globalThis, '', ['fetch'], OUTSIDE),
    ...calls(fs, 'fs.', functionsOf(fs), OUTSIDE),
    ...calls(fs.promises, 'fs.promises.', functionsOf(fs.promises), OUTSIDE),
    ...calls(net, 'net.', ['connect', 'createConnection'], OUTSIDE),
    ...calls(net.Socket.prototype, 'net.Socket.', ['connect'], OUTSIDE),
    ...calls(http, 'http.', ['request', 'get'], OUTSIDE),
    ...calls(https, 'https.', ['request', 'get'], OUTSIDE),
    ...calls(dns, 'dns.', ['lookup', 'resolve'], OUTSIDE),
    ...calls(dns.promises, 'dns.promises.', ['lookup', 'resolve'], OUTSIDE),
    ...calls(dgram, 'dgram.', ['createSocket'], OUTSIDE),
    ...calls(
      childProcess,
      'child_process.',
      ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'],
      OUTSIDE,
    ),
  ];
}
