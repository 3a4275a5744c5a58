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
const KINDS = ['providers', 'queues', 'ledgers', 'ingest', 'outbox', 'alerts'];
const ENTRIES = KINDS.flatMap((kind) =>
  readdirSync(`${root}src/${kind}`)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${kind}/${file.slice(0, -3)}`),
);

/** Loads an adapter, calls its factory where one is named, and says which packages were loaded by then. */
const CHILD = `
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
writeFileSync('imported.txt', '');
register('./hooks.js', import.meta.url);
const [entry, factory, options, peers] = process.argv.slice(2).map((each) => JSON.parse(each));
const { cache } = createRequire(import.meta.url);
const loaded = () => {
  const files = [...readFileSync('imported.txt', 'utf8').split('\\n'), ...Object.keys(cache)];
  return peers.filter((peer) => files.some((file) => file.includes('/node_modules/' + peer + '/')));
};
let error = null;
try {
  const module = await import('./' + entry + '.js');
  if (factory !== null) module[factory](options);
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

function load(folder: string, entry: string, factory: string | null = null, options: object = {}): Found {
  const args = [entry, factory, options, PEERS].map((each) => JSON.stringify(each));
  return JSON.parse(execFileSync(process.execPath, ['child.js', ...args], { cwd: folder, encoding: 'utf8' })) as Found;
}

const ses = { from: 'a@acme.test', region: 'eu-west-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } };

/** What each factory loads that loads something, and what it asks to be installed. */
const LOADING: readonly (readonly [entry: string, factory: string, options: object, packages: readonly string[]])[] = [
  ['providers/smtp', 'smtp', { host: '127.0.0.1', from: 'a@acme.test' }, ['nodemailer']],
  ['providers/sesv2', 'sesv2', ses, ['@aws-sdk/client-sesv2', 'nodemailer']],
  ['providers/ses', 'ses', ses, ['@aws-sdk/client-ses', 'nodemailer']],
  ['queues/rabbitmq', 'rabbitmqQueue', { url: 'amqp://127.0.0.1:9', name: 'q' }, ['amqplib']],
];

describe('the packages of others', () => {
  test.each(ENTRIES)('are not loaded with %s, but for those that it names itself', (entry) => {
    const { loaded, error } = load(installed, entry);
    expect(error).toBeNull();
    expect(loaded).toEqual(entry.includes('/sqs') ? ['@aws-sdk/client-sqs'] : []);
  });

  test.each(LOADING)('are loaded once %s is called for, and no others', (entry, factory, options, packages) => {
    expect(load(installed, entry, factory, options)).toEqual({ loaded: packages, error: null });
  });

  test.each(LOADING)(
    'that %s needs are asked for by the line that installs them',
    (entry, factory, options, packages) => {
      const { error } = load(bare, entry, factory, options);
      expect(error?.code).toBe('DRIVER_MISSING');
      expect(error?.message).toMatch(new RegExp(`run: npm install ${packages.join(' ')}$`));
    },
  );

  test.each(['queues/sqs', 'ingest/sqs'])('that %s imports are named by Node where they are missing', (entry) => {
    const { error } = load(bare, entry);
    expect(error?.code).toBe('ERR_MODULE_NOT_FOUND');
    expect(error?.message).toContain("'@aws-sdk/client-sqs'");
  });

  test('are those that the catalogue names', () => {
    const named = PROVIDERS.flatMap(({ name, needs }) => (needs === null ? [] : [[name, needs]]));
    const loading = LOADING.filter(([entry]) => entry.startsWith('providers/'));
    expect(Object.fromEntries(named)).toEqual(
      Object.fromEntries(loading.map(([entry, , , packages]) => [entry.replace('providers/', ''), packages.join(' ')])),
    );
  });
});
