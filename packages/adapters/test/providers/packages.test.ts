import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROVIDERS } from '../../src/catalogue.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { peerDependencies: object };
const PEERS = Object.keys(manifest.peerDependencies);
const KINDS = [
  ...['providers', 'queues', 'ledgers', 'ingest', 'outbox', 'alerts'],
  ...['addresses', 'destinations', 'inboxes', 'fakes'],
];
const ENTRIES = KINDS.flatMap((kind) =>
  readdirSync(`${root}src/${kind}`)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${kind}/${file.slice(0, -3)}`),
);

/** Loads an adapter, uses it where a use is named, and says which packages were loaded by then. */
const CHILD = `
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
writeFileSync('imported.txt', '');
register('./hooks.js', import.meta.url);
const [entry, use, peers] = process.argv.slice(2).map((each) => JSON.parse(each));
const { cache } = createRequire(import.meta.url);
const loaded = () => {
  const files = [...readFileSync('imported.txt', 'utf8').split('\\n'), ...Object.keys(cache)];
  return peers.filter((peer) => files.some((file) => file.includes('/node_modules/' + peer + '/')));
};
let error = null;
try {
  const module = await import('./' + entry + '.js');
  if (use !== null) await new Function('module', 'return (async () => { ' + use + ' })()')(module);
} catch (thrown) {
  error = { code: thrown.code, message: thrown.message };
}
process.stdout.write(JSON.stringify({ loaded: loaded(), error }));
`;

/** What is imported is in no cache that can be looked into. */
const HOOKS = `
import { appendFileSync } from 'node:fs';
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  appendFileSync('imported.txt', found.url + '\\n');
  return found;
}
`;

let installed = '';
let bare = '';
beforeAll(async () => {
  [installed, bare] = ['installed', 'bare'].map((name) => realpathSync(mkdtempSync(join(tmpdir(), name)))) as [
    string,
    string,
  ];
  await build({
    entryPoints: ENTRIES.map((entry) => ({ in: `${root}src/${entry}.ts`, out: entry })),
    outdir: bare,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    conditions: ['@sendonce/source'],
    external: PEERS,
    logLevel: 'error',
  });
  writeFileSync(join(bare, 'package.json'), '{"type":"module"}');
  writeFileSync(join(bare, 'child.js'), CHILD);
  writeFileSync(join(bare, 'hooks.js'), HOOKS);
  cpSync(bare, installed, { recursive: true });
  symlinkSync(join(root, '../../node_modules'), join(installed, 'node_modules'));
});
afterAll(() => {
  for (const folder of [installed, bare]) rmSync(folder, { recursive: true, force: true });
});

interface Found {
  readonly loaded: readonly string[];
  readonly error: { readonly code: string; readonly message: string } | null;
}

function load(folder: string, entry: string, use: string | null = null): Found {
  const args = [entry, use, PEERS].map((each) => JSON.stringify(each));
  return JSON.parse(execFileSync(process.execPath, ['child.js', ...args], { cwd: folder, encoding: 'utf8' })) as Found;
}

const ses = `{ from: 'a@acme.test', region: 'eu-west-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } }`;
const sqs = `client: { send: async () => ({}) }, queueUrl: 'https://sqs.eu-west-1.amazonaws.com/1/q'`;
const received = `{ max: 1, waitMs: 0 }`;

const ON_SQLITE = (
  [
    ['ledgers/sqlite', `await module.sqliteLedger({ file: 'l.db' }).count()`],
    [
      'destinations/sqlite',
      `await module.sqliteDestinations({ file: 'd.db' }).health([{ tenant: 't', channel: 'email', to: 'a@a.test' }])`,
    ],
    ['inboxes/sqlite', `await module.sqliteInbox({ file: 'i.db' }).unread({ tenant: 't', recipientId: 'r' })`],
  ] as const
).map(([entry, use]) => [entry, use, ['libsql']] as const);

/** The first use of each that loads something, and what it asks to be installed. */
const LOADING: readonly (readonly [entry: string, use: string, packages: readonly string[]])[] = [
  ['providers/smtp', `module.smtp({ host: '127.0.0.1', from: 'a@acme.test' })`, ['nodemailer']],
  ['providers/sesv2', `module.sesv2(${ses})`, ['@aws-sdk/client-sesv2', 'nodemailer']],
  ['providers/ses', `module.ses(${ses})`, ['@aws-sdk/client-ses', 'nodemailer']],
  ['queues/rabbitmq', `module.rabbitmqQueue({ url: 'amqp://127.0.0.1:9', name: 'q' })`, ['amqplib']],
  [
    'ingest/rabbitmq',
    `module.rabbitmqMessages({ url: 'amqp://127.0.0.1:9', queue: 'q', deadLetterQueue: 'd' })`,
    ['amqplib'],
  ],
  ['queues/sqs', `await module.sqsQueue({ ${sqs} }).receive(${received})`, ['@aws-sdk/client-sqs']],
  ['queues/sqs-lambda', `await module.sqsLambda({ ${sqs} }).queue.enqueue([{ id: 'd-1' }])`, ['@aws-sdk/client-sqs']],
  [
    'ingest/sqs',
    `await module.sqsMessages({ ${sqs}, deadLetterUrl: 'https://sqs.eu-west-1.amazonaws.com/1/d' }).receive(${received})`,
    ['@aws-sdk/client-sqs'],
  ],
  ['addresses/phone', `module.phoneNumbers()`, ['libphonenumber-js']],
  ['fakes/resend', `module.fakeResend().handlers`, ['msw']],
  // Where Node has a SQLite of its own, that is used.
  ...(process.getBuiltinModule('node:sqlite') === undefined ? ON_SQLITE : []),
];

describe('the packages of others', () => {
  test.each(ENTRIES)('are not loaded with %s', (entry) => {
    expect(load(installed, entry)).toEqual({ loaded: [], error: null });
  });

  test.each(LOADING)('are loaded once %s is called for, and no others', (entry, use, packages) => {
    expect(load(installed, entry, use)).toEqual({ loaded: packages, error: null });
  });

  test.each(LOADING)('that %s needs are asked for by the line that installs them', (entry, use, packages) => {
    const { error } = load(bare, entry, use);
    expect(error?.code).toBe('DRIVER_MISSING');
    expect(error?.message).toMatch(new RegExp(`run: npm install (--save-dev )?${packages.join(' ')}$`));
  });

  test('are in the table above, but for clients that the user makes', () => {
    const asked = new Set([...LOADING.flatMap(([, , packages]) => packages), 'libsql', 'pg', 'ioredis']);
    expect(PEERS.filter((peer) => !asked.has(peer))).toEqual([]);
  });

  const FAKES = ENTRIES.filter((entry) => entry.startsWith('fakes/'));
  test.each(FAKES)('are not needed by what listens: %s', (entry) => {
    const use = `for (const make of Object.values(module).filter((each) => typeof each === 'function')) {
      const { close } = await make({}).listen();
      await close();
    }`;
    expect(load(bare, entry, use)).toEqual({ loaded: [], error: null });
  });

  test('are those that the catalogue names', () => {
    const named = PROVIDERS.flatMap(({ name, needs }) => (needs === null ? [] : [[name, needs]]));
    const loading = LOADING.filter(([entry]) => entry.startsWith('providers/'));
    expect(Object.fromEntries(named)).toEqual(
      Object.fromEntries(loading.map(([entry, , packages]) => [entry.replace('providers/', ''), packages.join(' ')])),
    );
  });
});
