import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { forbiddenImports, forbiddenWords, importCycles, type Arrow, type Files } from './support/architecture.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
// What imitates vendors in tests is for the fakes alone.
const [msw, adapterPeers] = apart(peersOf('packages/adapters/package.json'), (peer) => peer.test('msw'));
const cliDependencies = [...dependenciesOf('packages/cli/package.json'), ...peersOf('packages/cli/package.json')];

const node = /^node:/;
const ourCore = /^@sendonce\/core(\/|$)/;
const core = (...areas: readonly string[]): RegExp => new RegExp(`^packages/core/src/(${areas.join('|')})(/|\\.ts$)`);
const inside = (folder: string): RegExp => new RegExp(`^${folder}/`);

// Inside core each row may use the rows below it, never one above. The first row that fits a file is its own.
const policyAndBelow = core('policy', 'options', 'model', 'ports');
const settingsAndBelow = core('settings', 'config', 'schema', 'policy', 'options', 'model', 'ports');
const stagesAndBelow = core('stages', 'settings', 'config', 'schema', 'policy', 'options', 'model', 'ports');
const workerAndBelow = core(
  'worker',
  'alerts',
  'pipeline',
  'stages',
  'settings',
  'config',
  'schema',
  'policy',
  'options',
  'model',
  'ports',
);

const ARROWS: readonly Arrow[] = [
  { area: core('index', 'internal'), mayImport: [core('notifier', 'system'), workerAndBelow] },
  { area: core('notifier'), mayImport: [core('notifier', 'system'), workerAndBelow] },
  { area: core('worker'), mayImport: [workerAndBelow] },
  { area: core('alerts'), mayImport: [core('stages', 'model', 'ports')] },
  { area: core('options'), mayImport: [core('model')] },
  { area: core('pipeline'), mayImport: [stagesAndBelow] },
  { area: core('stages'), mayImport: [stagesAndBelow] },
  { area: core('settings'), mayImport: [settingsAndBelow] },
  { area: core('config'), mayImport: [core('config', 'schema'), policyAndBelow] },
  { area: core('schema'), mayImport: [core('schema')] },
  { area: core('policy'), mayImport: [policyAndBelow] },
  { area: core('ports'), mayImport: [core('ports', 'model')] },
  // The steps of the state machine speak in the ledger port's requests and verdicts, which are types alone.
  { area: core('model'), mayImport: [core('model', 'ports'), /^node:crypto$/] },
  { area: core('records'), mayImport: [core('records', 'ports', 'model')] },
  { area: core('memory'), mayImport: [core('memory', 'records', 'ports', 'model')] },
  { area: core('conformance'), mayImport: [core('conformance', 'ports', 'model'), /^node:assert(\/strict)?$/] },
  { area: core('system'), mayImport: [core('ports'), /^node:(crypto|timers\/promises)$/] },
  {
    area: inside('packages/adapters/src/internal'),
    mayImport: [inside('packages/adapters/src/internal'), ourCore, node],
  },
  ...['addresses', 'queues', 'ledgers', 'providers', 'alerts', 'destinations', 'ingest', 'outbox', 'inboxes'].map(
    (kind) => ({
      area: inside(`packages/adapters/src/${kind}`),
      mayImport: [inside(`packages/adapters/src/(internal|${kind})`), ourCore, node, ...adapterPeers],
    }),
  ),
  // Written without a look at the adapters, so that one mistake is not made twice; what asks for a package knows none of them.
  {
    area: inside('packages/adapters/src/fakes'),
    mayImport: [
      inside('packages/adapters/src/fakes'),
      /^packages\/adapters\/src\/internal\/installed\.ts$/,
      node,
      ...msw,
    ],
  },
  {
    area: /^packages\/adapters\/src\/catalogue\.ts$/,
    mayImport: [inside('packages/adapters/src/(internal|providers)'), ourCore],
  },
  { area: inside('packages/chaos/src'), mayImport: [inside('packages/chaos/src'), ourCore, node, /^fast-check$/] },
  { area: inside('packages/cli/src'), mayImport: [inside('packages/cli/src'), node, ...cliDependencies] },
];

// Words of ours that are also a product's name (line, slack, whatsapp, resend) are not listed.
const VENDORS: ReadonlySet<string> = new Set(
  `amazon aws azure apns bullmq dynamodb fcm firebase graphile ioredis kafka libsql mailgun mailjet mongodb mysql nodemailer
   pgboss postgres postgresql postmark rabbitmq redis sendgrid ses sns sqlite sqs twilio valkey vonage`.split(/\s+/),
);

const sources = readSources();

describe('the source tree', () => {
  test('keeps to the arrows', () => {
    expect(forbiddenImports(sources, ARROWS)).toEqual([]);
  });

  test('has no import cycle', () => {
    expect(importCycles(sources)).toEqual([]);
  });

  test('names no vendor in core', () => {
    const coreSources = new Map([...sources].filter(([file]) => file.startsWith('packages/core/src/')));
    expect(forbiddenWords(coreSources, VENDORS)).toEqual([]);
  });

  test('gives core no dependency', () => {
    expect(dependenciesOf('packages/core/package.json')).toEqual([]);
    expect(peersOf('packages/core/package.json')).toEqual([]);
  });
});

describe('the arrows', () => {
  const allowed: readonly [file: string, statement: string][] = [
    ['packages/core/src/index.ts', "export { createNotifier } from './notifier.ts';"],
    ['packages/core/src/stages/settle.ts', "import { retry } from '../policy/retry.ts';"],
    ['packages/core/src/model/keys.ts', "import { createHash } from 'node:crypto';"],
    ['packages/core/src/conformance/queue.ts', "import assert from 'node:assert/strict';"],
    ['packages/chaos/src/search/shrink.ts', "import fc from 'fast-check';"],
    ['packages/chaos/src/history.ts', "import type { Ledger } from '@sendonce/core';"],
    ['packages/cli/src/commands/simulate.ts', "import { simulate } from '@sendonce/chaos';"],
  ];
  test.each(allowed)('let %s say %s', (file, statement) => {
    expect(forbiddenImports(fake({ [file]: statement }), ARROWS)).toEqual([]);
  });

  const forbidden: readonly [file: string, statement: string, specifier: string][] = [
    ['packages/core/src/stages/deliver.ts', "import { run } from '../worker.ts';", '../worker.ts'],
    ['packages/core/src/policy/retry.ts', "export { settle } from '../stages/settle.ts';", '../stages/settle.ts'],
    ['packages/core/src/memory/ledger.ts', "import type { Retry } from '../policy/retry.ts';", '../policy/retry.ts'],
    ['packages/core/src/conformance/ledger.ts', "import '../stages/settle.ts';", '../stages/settle.ts'],
    ['packages/core/src/ports/ledger.ts', "import { id } from 'nanoid';", 'nanoid'],
    ['packages/core/src/worker.ts', "import { AsyncLocalStorage } from 'node:async_hooks';", 'node:async_hooks'],
    ['packages/core/src/notifier.ts', "const chaos = await import('@sendonce/chaos');", '@sendonce/chaos'],
    ['packages/core/src/index.ts', "import '../../chaos/src/index.ts';", '../../chaos/src/index.ts'],
    ['packages/adapters/src/queues/a.ts', "import { b } from '../ledgers/b.ts';", '../ledgers/b.ts'],
    ['packages/adapters/src/providers/a.ts', "import got from 'got';", 'got'],
    [
      'packages/chaos/src/faults/queue.ts',
      "import { a } from '@sendonce/adapters/queues/a';",
      '@sendonce/adapters/queues/a',
    ],
    ['packages/adapters/src/providers/a.ts', "import { fakeA } from '../fakes/a.ts';", '../fakes/a.ts'],
    ['packages/adapters/src/providers/a.ts', "import { http } from 'msw';", 'msw'],
    [
      'packages/adapters/src/fakes/a.ts',
      "import { at } from '../internal/api/json-path.ts';",
      '../internal/api/json-path.ts',
    ],
    ['packages/adapters/src/fakes/a.ts', "import { A } from '../providers/a.ts';", '../providers/a.ts'],
    ['packages/cli/src/commands/send.ts', "import lodash from 'lodash';", 'lodash'],
  ];
  test.each(forbidden)('do not let %s say %s', (file, statement, specifier) => {
    expect(forbiddenImports(fake({ [file]: statement }), ARROWS)).toEqual([`${file} may not import '${specifier}'`]);
  });

  test('name a file that belongs nowhere', () => {
    expect(forbiddenImports(fake({ 'packages/core/src/utils.ts': '' }), ARROWS)).toEqual([
      'packages/core/src/utils.ts belongs to no area of the table',
    ]);
  });
});

describe('a planted violation', () => {
  test('of the rule against cycles is named as the path round it', () => {
    const files = fake({ 'a/one.ts': "import './two.ts';", 'a/two.ts': "import type { T } from './one.ts';" });
    expect(importCycles(files)).toEqual(['a/one.ts -> a/two.ts -> a/one.ts']);
  });

  test('of the rule against vendors is named with its line, also inside a name', () => {
    const files = fake({ 'a.ts': 'const process = 1;\nconst mySqsQueue = 1; // SendGrid\n' });
    expect(forbiddenWords(files, VENDORS)).toEqual(["a.ts:2 names 'sqs'", "a.ts:2 names 'sendgrid'"]);
  });
});

function apart<T>(all: readonly T[], isOne: (each: T) => boolean): readonly [ones: readonly T[], others: readonly T[]] {
  return [all.filter(isOne), all.filter((each) => !isOne(each))];
}

function fake(files: Readonly<Record<string, string>>): Files {
  return new Map(Object.entries(files));
}

function readSources(): Files {
  const folders = ['core', 'adapters', 'chaos', 'cli'].map((name) => `packages/${name}/src`);
  const files = folders
    .filter((folder) => existsSync(`${root}${folder}`))
    .flatMap((folder) =>
      readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' }).map(
        (file) => `${folder}/${file.replaceAll('\\', '/')}`,
      ),
    )
    .filter((file) => file.endsWith('.ts'));
  return new Map(files.map((file) => [file, readFileSync(`${root}${file}`, 'utf8')]));
}

function dependenciesOf(manifest: string): RegExp[] {
  return names(manifest, 'dependencies');
}

function peersOf(manifest: string): RegExp[] {
  return names(manifest, 'peerDependencies');
}

function names(manifest: string, field: 'dependencies' | 'peerDependencies'): RegExp[] {
  const parsed = JSON.parse(readFileSync(`${root}${manifest}`, 'utf8')) as Partial<Record<typeof field, object>>;
  return Object.keys(parsed[field] ?? {}).map((name) => new RegExp(`^${name}(/|$)`));
}
