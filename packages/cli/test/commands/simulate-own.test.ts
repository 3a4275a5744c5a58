import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { simulateInThread } from '../../src/simulate/in-thread.ts';
import { notify } from '../notify.ts';
import { json, ownFolder } from '../simulate-report.ts';

const folder = ownFolder();

describe('notify simulate with a list and a config of one’s own', () => {
  const list = 'examples/data/recipients.csv';

  test('reaches everybody on the list once, and lists the rows that are no address', async () => {
    const { code, stdout } = await notify([
      'simulate',
      '--recipients-file',
      list,
      '--kill-at',
      '800',
      '--seed',
      'apple',
      '--report',
      join(folder, 'list'),
      '--json',
    ]);
    expect(code).toBe(0);
    expect(json(stdout)).toMatchObject({
      recipients: 1955,
      input: 2000,
      merged: 30,
      invalid: 15,
      requested: 1955,
      duplicated: 0,
      lost: 0,
    });
    const listed = readFileSync(join(folder, 'list', 'not-sent.ndjson'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(listed.filter((line) => json(line)['kind'] === 'invalid')).toHaveLength(15);
  });

  test('gives recipients devices where a config has destinations, and never calls that store', async () => {
    const config = join(folder, 'destinations.config.ts');
    writeFileSync(
      config,
      `const never = (): never => { throw new Error('never called'); };
const methods = ['register', 'remove', 'of', 'report', 'suppress', 'health', 'list', 'forget', 'close'];
const capabilities = { idempotency: { kind: 'key', windowMs: 86400000 }, lookup: 'none', correlation: 'none', coalesce: false };
export default {
  destinations: Object.fromEntries(methods.map((name) => [name, never])),
  channels: { push: { providers: [{ name: 'push', capabilities, send: never, close() {} }] } },
  notifications: { shipped: {
    class: 'transactional', key: ({ i }: any) => String(i), sample: (i: number) => ({ i }),
    route: ({ i }: any) => [{ channel: 'push', id: 'customer ' + i }],
    content: () => ({ text: 'On its way.' }),
  } },
};
`,
    );
    const args = [
      'simulate',
      '--config',
      config,
      '--recipients',
      '40',
      '--schedules',
      '5',
      '--seed',
      'apple',
      '--json',
    ];
    const { code, stdout } = await notify(args);
    expect([code, json(stdout)['verdict']]).toEqual([0, 'pass']);
    // In five schedules, each with people of its own.
    expect(json(stdout)['requested']).toBeGreaterThan(5 * 40);
    expect(json(stdout)['requested']).toBeLessThan(5 * 80);
  });

  test('runs the types of a config, and never calls its providers', async () => {
    const { code, stdout, stderr } = await notify([
      'simulate',
      '--config',
      'examples/simulate-config/notify.config.ts',
      '--recipients',
      '60',
      '--schedules',
      '5',
      '--seed',
      'apple',
    ]);
    // On a busy machine it is told how far it is.
    expect({ code, stderr: stderr.replaceAll(/^\d+ of \d+ schedule.*\n/gm, '') }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('email: mail (key for 24 h), spare (no key, no lookup); sms: text (no key, no lookup)');
  });

  test('loses nobody of a config to a kill, a list included', async () => {
    const own = ['--config', 'examples/simulate-config/notify.config.ts', '--recipients-file', list];
    const { code, stdout } = await notify(['simulate', ...own, '--kill-at', '800', '--seed', 'apple', '--json']);
    expect(code).toBe(0);
    const result = json(stdout);
    expect(result).toMatchObject({ verdict: 'pass', duplicated: 0, lost: 0, phantom: 0 });
    expect(result['input']).toBe(['requested', 'merged', 'invalid'].reduce((sum, key) => sum + Number(result[key]), 0));
  });

  test('sends a list to the types without a route, and as many examples as it is told to the others', async () => {
    const own = [
      '--config',
      'examples/simulate-config/notify.config.ts',
      '--recipients-file',
      list,
      '--recipients',
      '7',
    ];
    const one = await notify(['simulate', ...own, '--drop-acks', '0', '--seed', 'apple', '--json']);
    const two = await notify(['simulate', ...own.with(-1, '14'), '--drop-acks', '0', '--seed', 'apple', '--json']);
    expect([one.code, two.code]).toEqual([0, 0]);
    const requested = [one, two].map(({ stdout }) => Number(json(stdout)['requested']));
    expect(requested[0]).toBeGreaterThan(1955);
    expect(requested[1]).toBeGreaterThan(requested[0] ?? Infinity);
  });

  test('delivers the rest when one row is bad, and lists that row with its reason', async () => {
    const args = ['simulate', '--config', 'examples/simulate-config/one-bad-row.config.ts', '--recipients', '20'];
    const { code, stdout } = await notify([...args, '--kill-at', '5', '--seed', 'apple']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^PASS {2}37 of 38 recipients got exactly one message; all others are accounted for: 1 failed/,
    );
    expect(stdout).toContain(
      'failed  second-5@shop.example: content threw Error: a contact without a name (content of ',
    );
    expect(stdout).toMatch(/failed {2}orderPlaced o-3: .*order o-3 has no contacts/);
  });

  const impure: readonly (readonly [call: string, imported: string, code: string])[] = [
    ['Date.now', '', 'Date.now()'],
    ['new Date()', '', 'new Date()'],
    ['Math.random', '', 'Math.random()'],
    ['setTimeout', '', 'setTimeout(() => {}, 1)'],
    ['fetch', '', "fetch('http://127.0.0.1:1')"],
    ['fs.readFileSync', "import { readFileSync } from 'node:fs';", "readFileSync('/etc/hosts')"],
    ['fs.promises.readFile', "import { readFile } from 'node:fs/promises';", "readFile('/etc/hosts')"],
    ['net.connect', "import net from 'node:net';", 'net.connect(1)'],
    ['http.get', "import http from 'node:http';", "http.get('http://127.0.0.1:1')"],
    ['Date.now', '', '(() => { try { Date.now(); } catch {} })()'],
    [
      'fs.readFileSync',
      "import fs from 'node:fs';",
      "void Promise.resolve().then(() => fs.readFileSync('/etc/hosts'))",
    ],
  ];
  // What is imported is guarded in another way than what is global, and a route is called in another place than content.
  const places = impure.map((row, i) => [i % 2 === 0 ? 'route' : 'content', ...row] as const);
  test.each(places)('refuses in %s the call %s (%s %s), by its name', async (place, call, imported, code) => {
    const file = join(folder, `${place}-${impure.findIndex((row) => row[2] === code)}.config.ts`);
    const [inRoute, inContent] = place === 'route' ? [code, ''] : ['', code];
    writeFileSync(
      file,
      `${imported}
         const send = () => { throw new Error('never called'); };
         const capabilities = { idempotency: { kind: 'key', windowMs: 86400000 }, lookup: 'none', correlation: 'none', coalesce: false };
         export default {
           channels: { email: { providers: [{ name: 'mail', capabilities, send, close() {} }] } },
           notifications: { hello: {
             class: 'transactional', key: (data) => String(data.i), sample: (i) => ({ i }),
             route: (data) => { ${inRoute}; return [{ channel: 'email', to: \`a\${data.i}@x.org\` }]; },
             content: () => { ${inContent}; return { subject: 'x' }; },
           } },
         };`,
    );
    // In a thread of this process, as the command has it: what the command makes of it is seen in user-code.test.ts.
    const result = await simulateInThread({
      // A seed of its own choice could draw the fault that nobody publishes, and then nothing is refused.
      flags: { config: file, recipients: '5', 'kill-at': ['1'], seed: 'apple' },
      terminal: { colors: false, watched: false },
      entry: new URL('../../dist/threads/simulate.js', import.meta.url),
    });
    const text = new RegExp(`^Error DETERMINISM_VIOLATION: ${call.replace(/[.()]/g, '\\$&')} was called`);
    expect(result).toMatchObject({ exitCode: 5, text: expect.stringMatching(text) });
  });

  test('refuses I/O in an address that a route makes', async () => {
    const file = join(folder, 'impure.config.mjs');
    writeFileSync(
      file,
      `const send = () => { throw new Error('never called'); };
       const capabilities = { idempotency: { kind: 'key', windowMs: 86400000 }, lookup: 'none', correlation: 'none', coalesce: false };
       export default {
         channels: { email: { providers: [{ name: 'mail', capabilities, send, close() {} }] } },
         notifications: { hello: {
           class: 'transactional', key: (data) => String(data.i), sample: (i) => ({ i }),
           route: (data) => [{ channel: 'email', to: \`a\${data.i}-\${Date.now()}@x.org\` }],
           content: () => ({ subject: 'x' }),
         } },
       };`,
    );
    const { code, stderr } = await notify(['simulate', '--config', file, '--recipients', '5', '--schedules', '1']);
    expect(code).toBe(5);
    expect(stderr).toMatch(/^Error DETERMINISM_VIOLATION: Date\.now /);
  });
});
