/** A real call that no simulated world may make. */
export interface PoisonedCall {
  /** Where the function hangs. */
  readonly on: object;
  readonly name: string;
  /** As a reader would write it. */
  readonly call: string;
  /** What to use instead. */
  readonly instead: string;
  /** Only without arguments is it a reading of the clock (`new Date()`); or also where the first is `undefined` (`format(undefined)`). */
  readonly onlyArgless: 'no' | 'yes' | 'undefined-too';
  /** A getter that makes the function for each object it is read from. */
  readonly isBoundGetter: boolean;
  /** Looking at it is enough: a global that Node makes when it is first looked at. */
  readonly isGlobal: boolean;
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
  'generateKeyPairSync',
  'generateKey',
  'generateKeySync',
  'generatePrime',
  'generatePrimeSync',
];
const SPAWNING = ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'];
const THREADED = ['scrypt', 'pbkdf2', 'hkdf'];

function poisonedCall(
  on: object,
  name: string,
  call: string,
  instead: string,
  kind: Partial<Pick<PoisonedCall, 'onlyArgless' | 'isBoundGetter' | 'isGlobal'>> = {},
): PoisonedCall {
  return { on, name, call, instead, onlyArgless: 'no', isBoundGetter: false, isGlobal: false, ...kind };
}

function calls(on: object, prefix: string, names: readonly string[], instead: string): PoisonedCall[] {
  return names.map((name) => poisonedCall(on, name, `${prefix}${name}`, instead));
}

/*
 * A module that nobody has loaded has no function that could be called, and loading all of them here would take longer than a small
 * run. Whoever loads one inside a world and waits for it is caught at the next port call.
 */
function ofModule(
  name: string,
  prefix: string,
  instead: string,
  pick: (module: Module) => readonly (PoisonedCall | string)[],
): PoisonedCall[] {
  const module = isLoaded(name) ? (process.getBuiltinModule(name) as unknown as Module | undefined) : undefined;
  if (module === undefined) return [];
  return pick(module).flatMap((each) => (typeof each === 'string' ? calls(module, prefix, [each], instead) : [each]));
}

type Module = Readonly<Record<string, unknown>>;

/** Built-in modules that are in memory; undefined on a Node that does not tell. */
export function loadedModules(): readonly string[] | undefined {
  return (process as { readonly moduleLoadList?: readonly string[] }).moduleLoadList;
}

function isLoaded(name: string): boolean {
  return loadedModules()?.includes(`NativeModule ${name}`) ?? true;
}

/** The members of a global; or the global itself while Node has not made it. */
function ofGlobal(
  name: 'crypto' | 'performance',
  module: string,
  instead: string,
  members: (of: object) => PoisonedCall[],
): PoisonedCall[] {
  if (isLoaded(module)) return members(globalThis[name]);
  return [poisonedCall(globalThis, name, name, instead, { isGlobal: true })];
}

function functionsOf(on: object): string[] {
  return Object.keys(on).filter((name) => {
    const value: unknown = (on as Record<string, unknown>)[name];
    // Classes (fs.Stats) are not calls.
    return typeof value === 'function' && /^[a-z]/.test(name) && !name.startsWith('_');
  });
}

function webCryptoCalls(): PoisonedCall[] {
  const { subtle } = globalThis.crypto;
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(subtle)).filter((name) => name !== 'constructor');
  return [
    ...calls(globalThis.crypto, 'crypto.', ['randomUUID', 'getRandomValues'], RANDOM),
    ...calls(subtle, 'crypto.subtle.', names, 'createHash of node:crypto, which answers at once'),
  ];
}

/** Without a date they format the present; `formatRange` has no such default, and `toLocaleString` needs a Date. */
function dateFormats(): PoisonedCall[] {
  const on = Intl.DateTimeFormat.prototype;
  const prefix = 'Intl.DateTimeFormat.';
  const kind = { onlyArgless: 'undefined-too' } as const;
  return [
    poisonedCall(on, 'format', `${prefix}format() without a date`, CLOCK, { ...kind, isBoundGetter: true }),
    poisonedCall(on, 'formatToParts', `${prefix}formatToParts() without a date`, CLOCK, kind),
  ];
}

/** Node has it from 26 on. */
function temporalCalls(): PoisonedCall[] {
  const now = (globalThis as { readonly Temporal?: { readonly Now?: object } }).Temporal?.Now;
  if (now === undefined) return [];
  const names = Object.getOwnPropertyNames(now).filter((name) => typeof Reflect.get(now, name) === 'function');
  return calls(now, 'Temporal.Now.', names, CLOCK);
}

/** Everything that would let real time, chance or the outside world decide what a run does. */
export function poisonedCalls(): readonly PoisonedCall[] {
  return [
    poisonedCall(globalThis, 'Date', 'new Date()', CLOCK, { onlyArgless: 'yes' }),
    ...calls(Date, 'Date.', ['now'], CLOCK),
    ...dateFormats(),
    ...temporalCalls(),
    ...calls(globalThis, '', TIMERS, CLOCK),
    ...ofModule('timers', 'timers.', CLOCK, () => TIMERS),
    ...ofModule('timers/promises', 'timers/promises.', CLOCK, () => TIMERS),
    ...ofGlobal('performance', 'perf_hooks', CLOCK, (of) =>
      calls(of, 'performance.', ['now', 'mark', 'measure', 'toJSON', 'eventLoopUtilization'], CLOCK),
    ),
    ...calls(process, 'process.', ['hrtime', 'uptime', 'cpuUsage', 'resourceUsage'], CLOCK),
    ...calls(process.hrtime, 'process.hrtime.', ['bigint'], CLOCK),
    ...calls(AbortSignal, 'AbortSignal.', ['timeout'], CLOCK),
    ...calls(Math, 'Math.', ['random'], RANDOM),
    ...ofGlobal('crypto', 'internal/crypto/webcrypto', RANDOM, webCryptoCalls),
    ...ofModule('crypto', 'crypto.', RANDOM, () => RANDOMS),
    ...ofModule('crypto', 'crypto.', 'its Sync form, which answers at once', () => THREADED),
    ...ofModule('os', 'os.', CLOCK, () => ['uptime', 'loadavg', 'freemem', 'cpus']),
    ...calls(globalThis, '', ['fetch'], OUTSIDE),
    ...ofModule('fs', 'fs.', OUTSIDE, (fs) => [...functionsOf(fs), ...promisesOf(fs, 'fs.promises.')]),
    ...ofModule('net', 'net.', OUTSIDE, (net) => ['connect', 'createConnection', ...socketCalls(net)]),
    ...ofModule('http', 'http.', OUTSIDE, () => ['request', 'get']),
    ...ofModule('https', 'https.', OUTSIDE, () => ['request', 'get']),
    ...ofModule('dns', 'dns.', OUTSIDE, (dns) => ['lookup', 'resolve', ...promisesOf(dns, 'dns.promises.')]),
    ...ofModule('dgram', 'dgram.', OUTSIDE, () => ['createSocket']),
    ...ofModule('child_process', 'child_process.', OUTSIDE, () => SPAWNING),
  ];
}

function promisesOf({ promises }: Module, prefix: string): PoisonedCall[] {
  return calls(promises as object, prefix, functionsOf(promises as object), OUTSIDE);
}

function socketCalls({ Socket }: Module): PoisonedCall[] {
  return calls((Socket as { readonly prototype: object }).prototype, 'net.Socket.', ['connect'], OUTSIDE);
}
