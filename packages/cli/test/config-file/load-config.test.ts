import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isSendonceError } from '@sendonce/core';
import { afterAll, describe, expect, test } from 'vitest';
import { describeProviders } from '../../src/config-file/describe-providers.ts';
import { loadConfig } from '../../src/config-file/load-config.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const folder = mkdtempSync(join(here, 'tmp-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PROVIDER = `{ name: 'mail', capabilities: { idempotency: { kind: 'key', windowMs: 86400000 }, lookup: 'none' }, send() { throw new Error('called'); } }`;
const TYPE = `{ class: 'document', content: () => ({}), sample: (i: number) => ({ i }) }`;
const config = (parts: { channels?: string; notifications?: string; more?: string } = {}): string =>
  `export default { ledger: {}, channels: ${parts.channels ?? `{ email: { providers: [${PROVIDER}] } }`}, notifications: ${parts.notifications ?? `{ hello: ${TYPE} }`}, ${parts.more ?? ''} }`;

let files = 0;
async function load(text: string, name = `config-${files++}.ts`): Promise<unknown> {
  const file = join(folder, name);
  writeFileSync(file, text);
  return loadConfig(file);
}

/** What is said about a file, without the file's name. */
async function problemOf(text: string): Promise<string> {
  const error: unknown = await load(text).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!isSendonceError(error, 'CONFIG_FILE_INVALID'))
    throw new Error(`expected CONFIG_FILE_INVALID, got ${String(error)}`);
  return error.message.replace(/^.*?config-\d+\.ts: /, '');
}

describe('a config file', () => {
  const good: readonly [words: string, text: string][] = [
    ['exports an object', config()],
    [
      'exports an async factory',
      config().replace('export default', 'const made =') + ';\nexport default async () => made;',
    ],
    [
      'uses types that only TypeScript knows',
      `interface A { readonly b: string }\nconst a: A = { b: 'x' };\n${config()}`,
    ],
    ['leaves bounds to the notifier', config({ more: 'worker: { leaseMs: -1 }' })],
  ];
  test.each(good)('%s', async (_words, text) => {
    expect(await load(text)).toMatchObject({ notifications: { hello: { class: 'document' } } });
  });

  const broken: readonly [what: string, text: string, problem: RegExp][] = [
    ['does not parse', 'export const x = 1;\nexport const y: = 3;\n', /ParseError: .*, at .*broken-\d\.ts:2:17$/],
    ['throws', 'export const x = 1;\nthrow new TypeError("no luck");\n', /TypeError: no luck, at .*broken-\d\.ts:2:7$/],
    [
      'imports what is not there',
      'export const x = 1;\nimport y from "no-such-package";\nexport { y };\n',
      /Cannot find module 'no-such-package', at .*broken-\d\.ts:2:15$/,
    ],
  ];
  test.each(broken)('that imports a file that %s names the place in that one', async (_what, text, problem) => {
    const name = `broken-${files}.ts`;
    writeFileSync(join(folder, name), text);
    await expect(load(`import { x } from './${name}'; export default x;`)).rejects.toThrow(problem);
  });

  const ours: readonly [code: string, factory: boolean, text: string][] = [
    [
      'OPTION_INVALID',
      false,
      "import { webhook } from '@sendonce/adapters/providers/webhook';\nwebhook({ url: 'ftp://x' } as never);\n",
    ],
    [
      'OPTION_INVALID',
      true,
      "import { webhook } from '@sendonce/adapters/providers/webhook';\nexport default () =>\nwebhook({ url: 'ftp://x' } as never);\n",
    ],
    [
      'DRIVER_MISSING',
      false,
      "import { SendonceError } from '@sendonce/core';\nthrow new SendonceError('DRIVER_MISSING', 'no driver');\n",
    ],
  ];
  test.each(ours)(
    'keeps the code of what an adapter says, %s (in a factory: %s), and names its own line',
    async (code, factory, text) => {
      const error: unknown = await load(text).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code });
      expect((error as Error).message).toMatch(
        factory ? /, at .*config-\d+\.ts:3:\d+$/ : /, at .*config-\d+\.ts:2:\d+$/,
      );
    },
  );

  test('is read anew each time', async () => {
    await load(config(), 'twice.ts');
    expect(await load(config({ notifications: `{ other: ${TYPE} }` }), 'twice.ts')).toMatchObject({
      notifications: { other: {} },
    });
  });

  const bad: readonly [words: string, text: string, problem: string | RegExp][] = [
    [
      'a syntax error',
      'export default { ;',
      /^cannot be loaded: ParseError: Unexpected token, at .*config-\d+\.ts:1:18$/,
    ],
    [
      'an import that does not exist',
      `import x from './nowhere.ts'; export default x;`,
      /^cannot be loaded: Cannot find module '\.\/nowhere\.ts', at .*config-\d+\.ts:1:15$/,
    ],
    [
      'code that throws',
      `\nthrow new Error('no database');`,
      /^cannot be loaded: no database, at .*config-\d+\.ts:2:7$/,
    ],
    [
      'no default export',
      'export const config = {};',
      'has no default export; write `export default defineConfig({ ... })`',
    ],
    [
      'a factory that fails',
      `export default async () => { throw new Error('no secret'); }`,
      /^its factory failed: no secret, at .*config-\d+\.ts:1$/,
    ],
    ['something else', 'export default 7;', 'exports a number, not a config'],
    [
      'an unknown option',
      config({ more: 'ledgr: 1' }),
      "the config has an unknown option 'ledgr'. Did you mean ledger?",
    ],
    ['no channels', config({ channels: '{}' }), 'has no channels; write `channels: { email: { providers: [...] } }`'],
    [
      'an unknown channel',
      config({ channels: `{ mail: { providers: [${PROVIDER}] } }` }),
      'channels: mail is unknown: did you mean email? Known: email, sms, push, whatsapp, line, slack, in-app, webhook',
    ],
    [
      'a channel without providers',
      config({ channels: '{ email: { providers: [] } }' }),
      'channels: email has no providers',
    ],
    [
      'a provider that is none',
      config({ channels: `{ email: { providers: [${PROVIDER}, { name: 'x' }] } }` }),
      'channels: email: provider 2 is no provider (name, capabilities, send)',
    ],
    ['no types', config({ notifications: '{}' }), 'has no notifications: there is nothing to publish'],
    [
      'a type without sample',
      config({
        notifications: `{ hello: ${TYPE}, a: { class: 'legal', content: () => ({}) }, b: { class: 'alert', content: () => ({}) } }`,
      }),
      'notifications: a, b cannot be simulated without `sample: (i, random) => ({ ... })`, which makes the ith example to publish',
    ],
    [
      'a misspelt option of a type',
      config({ notifications: `{ hello: { ...${TYPE}, maxAttempt: 3 } }` }),
      "notifications: hello has an unknown option 'maxAttempt'. Did you mean maxAttempts?",
    ],
    [
      'an unknown class',
      config({ notifications: `{ hello: { ...${TYPE}, class: 'legl' } }` }),
      'notifications: hello: class legl is unknown: did you mean legal? Known: security, document, transactional, legal, alert, marketing',
    ],
    [
      'a type without content',
      config({ notifications: `{ hello: { class: 'legal', sample: () => ({}) } }` }),
      'notifications: hello has no `content` function',
    ],
  ];
  test.each(bad)('with %s says what to change', async (_words, text, problem) => {
    expect(await problemOf(text)).toMatch(problem);
  });

  test('that is missing names the nearest', async () => {
    await load(config(), 'notify.config.ts');
    await expect(loadConfig(join(folder, 'notify.confg.ts'))).rejects.toThrow(
      `there is no such file in ${folder}. Did you mean notify.config.ts?`,
    );
    await expect(loadConfig(folder)).rejects.toMatchObject({ code: 'CONFIG_FILE_INVALID' });
  });
});

describe('the line about the own providers', () => {
  test('says what decides an unknown outcome', () => {
    const provider = (name: string, idempotency: object, lookup: unknown): unknown => ({
      name,
      capabilities: { idempotency, lookup },
    });
    const channels = {
      email: {
        providers: [
          provider('ses', { kind: 'none' }, 'none'),
          provider('mail', { kind: 'key', windowMs: 86_400_000 }, { kind: 'positive-only' }),
          provider('own', { kind: 'client-id', windowMs: Infinity }, 'none'),
        ],
      },
      sms: { providers: [provider('text', { kind: 'none' }, { kind: 'authoritative' })] },
    };
    expect(describeProviders({ channels } as never)).toBe(
      'yours, simulated by what they can do; email: ses (no key, no lookup), mail (key for 24 h, positive-only lookup), own (client-id for ever); sms: text (authoritative lookup)',
    );
  });
});
