import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { simulateInThread } from '../../src/simulate/in-thread.ts';
import { notify, type NotifyOptions, type Result } from '../notify.ts';
import { configFolder, type Parts } from '../own-config.ts';

const { write } = configFolder();
const FEW = ['--recipients', '5', '--schedules', '1', '--faults', 'slow', '--seed', 'apple'];

interface Run extends Result {
  readonly file: string;
}

async function simulate(parts: Parts, args: readonly string[] = FEW, options: NotifyOptions = {}): Promise<Run> {
  const file = write(parts);
  return { file, ...(await notify(['simulate', '--config', file, ...args], options)) };
}

/** Every place in which code of a config runs, with a statement of the test in it, and how messages call it. */
const PLACES: readonly (readonly [name: string, what: string, parts: (code: string) => Parts])[] = [
  ['the top level', 'its top level', (code) => ({ top: code })],
  ['a factory', 'its top level', (code) => ({ exported: `async () => { await null; ${code}; return config; }` })],
  ['sample', "sample of 'hello'", (code) => ({ type: `sample(i) { ${code}; return { i }; }` })],
  ['key', "key of 'hello'", (code) => ({ type: `key(data) { ${code}; return String(data.i); }` })],
  [
    'route',
    "route of 'hello'",
    (code) => ({ type: `route(data) { ${code}; return [{ channel: 'email', to: 'a@x.org' }]; }` }),
  ],
  [
    'a route that yields',
    "route of 'hello'",
    (code) => ({ type: `*route(data) { yield { channel: 'email', to: 'a@x.org' }; ${code}; }` }),
  ],
  ['content', "content of 'hello'", (code) => ({ type: `content(data) { ${code}; return { subject: 'x' }; }` })],
  [
    'content after an await',
    "content of 'hello'",
    (code) => ({ type: `async content(data) { await null; ${code}; return { subject: 'x' }; }` }),
  ],
  [
    'a schema',
    "schema of 'hello'",
    (code) => ({
      type: `schema: { '~standard': { version: 1, vendor: 'own', validate(value) { ${code}; return { value }; } } }`,
    }),
  ],
];

describe('an endless loop', () => {
  // Where else code runs is named in the same way: see the end of the process.
  const signals: Readonly<Record<string, readonly NodeJS.Signals[]>> = {
    'the top level': ['SIGINT'],
    content: ['SIGINT', 'SIGTERM'],
    'a route that yields': ['SIGTERM'],
  };
  test.each(PLACES.flatMap((place) => (signals[place[0]] ?? []).map((signal) => [...place, signal] as const)))(
    'in %s (%s) is ended by a signal, and named',
    async (_name, what, parts, signal) => {
      const { code, stdout, stderr, file } = await simulate(
        parts(`console.error('it begins'); for (;;);`),
        [...FEW, '--json'],
        { interruptOn: /it begins/, signal },
      );
      expect(code).toBe(130);
      expect(stderr).toContain(`Of ${file}, ${what} was running.`);
      expect(JSON.parse(stdout)).toMatchObject({ schema: 'sendonce.error/1', error: { code: 'INTERRUPTED' } });
    },
  );

  const entry = new URL('../../dist/threads/simulate.js', import.meta.url);
  test.each(PLACES.filter(([name]) => ['a factory', 'route', 'content after an await'].includes(name)))(
    'in %s (%s) is ended when nobody sends one',
    async (_name, what, parts) => {
      const config = write(parts('for (;;);'));
      const result = await simulateInThread({
        flags: { config, recipients: '5', schedules: '1', faults: 'slow', seed: 'apple' },
        terminal: { colors: false, watched: false },
        entry,
        // A busy machine takes its time to load what comes to its end.
        ...(what === 'its top level' ? { loadWithinMs: 2_000 } : { stuckAfterMs: 2_000 }),
      });
      expect(result).toMatchObject({ exitCode: 2 });
      expect(JSON.stringify(result)).toContain(
        `${basename(fileURLToPath(`file://${config}`))}: ${what} has been running for 2 s without coming to an end`,
      );
    },
  );
});

describe('the end of the process', () => {
  test.each(PLACES.map((place, index) => [...place, index % 2] as const))(
    'asked for in %s (%s) is no result of a run',
    async (_name, what, parts, asked) => {
      const { code, stdout, stderr, file } = await simulate(parts(`process.exit(${asked})`), [...FEW, '--json']);
      expect(code).toBe(2);
      expect(stderr).toContain(
        `Error CONFIG_FILE_INVALID: ${file}: ${what} ended the process (process.exit(${asked}))`,
      );
      expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'CONFIG_FILE_INVALID' } });
    },
  );
});

describe('a promise that never settles', () => {
  const waiting: readonly (readonly [where: string, parts: Parts])[] = [
    ['at the top level', { top: 'await new Promise(() => {});' }],
    ['in a factory', { exported: 'async () => { await new Promise(() => {}); return config; }' }],
  ];
  test.each(waiting)('%s is told, and no pass', async (_where, parts) => {
    const { code, stderr, file } = await simulate(parts);
    expect(code).toBe(2);
    expect(stderr).toContain(`${file}: its top level waits for something that never comes`);
  });
});

describe('a content that comes to nothing for everybody', () => {
  const contents: readonly (readonly [what: string, content: string, reason: RegExp])[] = [
    ['never settles', 'content() { return new Promise(() => {}); }', /content took longer than 30000 ms/],
    ['throws', `content() { throw new TypeError('no luck'); }`, /content threw TypeError: no luck/],
  ];
  test.each(contents)('and %s is no pass', async (_what, type, reason) => {
    const { code, stdout } = await simulate({ type });
    expect(code).toBe(4);
    expect(stdout).toMatch(/^INCONCLUSIVE/);
    expect(stdout).toMatch(/nobody got a message, and no fault kept it from them/);
    expect(stdout).toMatch(reason);
  });
});

describe('what is thrown', () => {
  const fatal = PLACES.filter(([name]) => ['sample', 'key', 'a schema'].includes(name));
  test.each(fatal)('in %s (%s) is the mistake of the config, with its place', async (_name, what, parts) => {
    const { code, stderr, file } = await simulate(parts(`throw new TypeError('no luck')`));
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`: ${what} threw TypeError: no luck, at .*${basename(file)}:\\d+:\\d+\\n`));
  });

  const own = PLACES.filter(([name]) => name.includes('content') || name.includes('route'));
  test.each(own)(
    'in %s (%s) costs its own message, with the type, the function and the place',
    async (_name, what, parts) => {
      const { code, stdout, file } = await simulate(parts(`if (data.i === 2) throw new TypeError('no luck')`));
      expect(code).toBe(0);
      expect(stdout).toMatch(
        new RegExp(`(content|route) threw TypeError: no luck \\(${what} at .*${basename(file)}:\\d+:\\d+\\)`),
      );
    },
  );

  const unheard: readonly (readonly [what: string, top: string])[] = [
    [
      'a timer',
      `setTimeout(() => { throw new RangeError('late'); }, 0); await new Promise((done) => setTimeout(done, 50));`,
    ],
    [
      'a forgotten promise',
      `void Promise.reject(new RangeError('late')); await new Promise((done) => setTimeout(done, 50));`,
    ],
  ];
  test.each(unheard)('by %s, where nobody waits, is no fault of ours', async (_what, top) => {
    const { code, stderr, file } = await simulate({ top });
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`${basename(file)}: threw RangeError: late, at .*${basename(file)}:1`));
  });
});

describe('a call that no seed decides', () => {
  test.each(PLACES.slice(2))('in %s is refused with its place', async (name, what, parts) => {
    const { code, stderr, file } = await simulate(parts('Date.now()'));
    expect(code).toBe(5);
    const by = name.includes('await') ? '' : ` by ${what}`;
    expect(stderr).toContain(`Error DETERMINISM_VIOLATION: Date.now was called${by} inside a simulated run`);
    expect(stderr).toMatch(new RegExp(` It is at .*${basename(file)}:\\d+:\\d+\\.\\n`));
  });

  const clocks: readonly (readonly [call: string, code: string])[] = [
    ['Intl.DateTimeFormat.format() without a date', `new Intl.DateTimeFormat('en').format()`],
    ['Intl.DateTimeFormat.formatToParts() without a date', `new Intl.DateTimeFormat('en').formatToParts()`],
    ['new Date()', 'new Date().toLocaleDateString()'],
  ];
  test.each(clocks)('such as %s (%s)', async (call, code) => {
    const result = await simulate({ type: `content() { return { subject: String(${code}) }; }` });
    expect(result.code).toBe(5);
    expect(result.stderr).toContain(`DETERMINISM_VIOLATION: ${call} was called by content of 'hello'`);
  });
});

describe('a route without end', () => {
  const target = `{ channel: 'email', to: 'a' + i + '@x.org' }`;
  test.each([
    ['', `*route() { for (let i = 0; ; i++) yield ${target}; }`],
    ['that is awaited ', `async *route() { for (let i = 0; ; i++) yield ${target}; }`],
  ])('%sis refused at its bound', async (_kind, type) => {
    const { code, stderr } = await simulate({ type });
    expect(code).toBe(2);
    expect(stderr).toContain('CONFIG_FILE_INVALID: ');
    expect(stderr).toContain("route of 'hello' gave more than 100,000 targets for one notification");
  });
});

describe('content that JSON cannot hold', () => {
  test.each([
    ['a circle', `const made: any = { subject: 'x' }; made.made = made; return made;`, /circular/i],
    ['a bigint', `return { subject: 'x', size: 1n };`, /BigInt/],
  ])('%s is its own mistake, not nondeterminism', async (_what, body, reason) => {
    const { code, stdout } = await simulate({ type: `content() { ${body} }` }, [
      ...['--recipients', '3', '--schedules', '2', '--faults', 'slow', '--seed', 'apple'],
    ]);
    // Nobody gets anything.
    expect(code).toBe(4);
    expect(stdout).toMatch(/content threw TypeError: it returned what JSON cannot hold/);
    expect(stdout).toMatch(reason);
  });
});

describe('what the code of a config writes', () => {
  const writing: readonly (readonly [name: string, code: string])[] = [
    ['console.log', `console.log('said', 'by it')`],
    ['console.error', `console.error('said by it')`],
    ['process.stdout.write', `process.stdout.write('said by it\\n')`],
  ];
  test.each(writing)('with %s goes to stderr, from wherever it is', async (_name, code) => {
    const everywhere = PLACES.filter(
      ([name]) => name !== 'a factory' && !name.includes(' that ') && !name.includes(' after '),
    );
    const all = everywhere.map(([name, , parts]) => parts(code.replace(' it', ` it from ${name}`)));
    const top = all.map((each) => each.top ?? '').join('');
    const type = all.flatMap((each) => each.type ?? []).join(', ');
    const { stdout, stderr } = await simulate({ top, type }, [...FEW, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ schema: 'sendonce.simulate/1' });
    for (const [name] of everywhere) expect(stderr).toContain(`said by it from ${name}`);
  });

  test('is bounded', async () => {
    const { stderr } = await simulate({
      type: `content() { console.log('x'.repeat(60_000)); return { subject: 'x' }; }`,
    });
    expect(stderr.length).toBeLessThan(110_000);
    expect(stderr).toContain('The config writes more than is shown.');
  });
});
