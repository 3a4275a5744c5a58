import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '@sendonce/core';
import { SIMULATE_FLAGS } from '../packages/cli/src/simulate/flags.ts';
import { fillIncludes, looseBlocks } from './support/docs/includes.ts';
import { anchorsOf, brokenLinks } from './support/docs/links.ts';
import { chaosTables } from './support/docs/chaos-tables.ts';
import { membersOf } from './support/docs/members.ts';
import { fillRuns, flagsOf, steady } from './support/docs/runs.ts';
import { fakeTables } from './support/docs/fake-tables.ts';
import { providerTables } from './support/docs/provider-tables.ts';
import { codeTables } from './support/docs/tables.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const exists = (path: string): boolean => existsSync(`${root}${path}`);
const tables = { ...codeTables(read), ...chaosTables, ...providerTables(), ...fakeTables() };
const documents = [...markdownIn('.', false), ...markdownIn('docs', true)].sort();
const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> };

describe.each(documents)('%s', (file) => {
  const markdown = read(file);

  // When a source has moved on: npx vitest run --project repo test/docs.test.ts -u
  test('shows code, tables and output as they are now', async () => {
    await expect(await fillRuns(fillIncludes(markdown, read, tables))).toMatchFileSnapshot(`../${file}`);
  });

  test('has a file behind every block of TypeScript', () => {
    expect(looseBlocks(markdown)).toEqual([]);
  });

  test('links only to what exists', () => {
    expect(brokenLinks(file, markdown, exists, read)).toEqual([]);
  });

  test('names no path of one machine', () => {
    expect(markdown.match(/(?<![\w.])\/(work|tmp|root|home|Users)\/\S*/g) ?? []).toEqual([]);
  });

  test('names only files that exist', () => {
    const named = [...markdown.matchAll(/`((?:packages|core|chaos|cli|examples|scripts|test|docs)\/[\w./-]+)`/g)];
    const paths = named.map(([, path = '']) => path).filter((path) => !/NAME/.test(path));
    const isThere = (path: string): boolean => exists(path) || exists(`packages/${path}`);
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
  });

  test('mentions only scripts, commands and flags that exist', () => {
    const run = [...markdown.matchAll(/\bnpm run ([\w:]+)/g)].map(([, name = '']) => name);
    expect(run.filter((name) => !(name in scripts))).toEqual([]);
    const commands = [...markdown.matchAll(/\bnotify ([a-z][\w-]*)(?= --|`|$)/gm)].map(([, name = '']) => name);
    expect(commands.filter((name) => !exists(`packages/cli/src/commands/${name}.ts`))).toEqual([]);
    const lines = [...markdown.matchAll(/\bnotify simulate ([^`\n]*)/g)].map(([, flags = '']) => flags);
    const flags = lines.flatMap((line) =>
      [...line.matchAll(/(?<!\S)--(?:no-)?([a-z][\w-]*)/g)].map(([, name = '']) => name),
    );
    expect(flags.filter((name) => !(name in SIMULATE_FLAGS || ['json', 'color', 'help'].includes(name)))).toEqual([]);
  });
});

describe('the documentation', () => {
  test('keeps the README under 120 lines', () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThan(120);
  });

  test('begins the README with the two commands that set everything up', () => {
    const first = /```sh\n([\s\S]*?)\n```/.exec(read('README.md'))?.[1];
    expect(first?.split('\n').map((line) => line.replace(/ +#.*/, ''))).toEqual([
      'npm ci && npx notify simulate --recipients 2000 --kill-at 800',
      'npm test',
    ]);
  });

  test('explains every error code in a section of its name', () => {
    const anchors = anchorsOf(read('docs/reference/errors.md'));
    expect(ERROR_CODES.filter((code) => !anchors.has(code.toLowerCase()))).toEqual([]);
  });

  test('explains every option', () => {
    const page = `${read('docs/reference/config.md')}${read('docs/reference/classes.md')}`;
    const of = (file: string, ...names: string[]) =>
      names.flatMap((name) => membersOf(read(`packages/core/src/${file}`), name));
    const options = [
      ...of('config.ts', 'NotifierConfig', 'NotificationType', 'WorkerOptions', 'DeadLetterRetry'),
      ...of('policy/policy.ts', 'ClassPolicy'),
      ...of('stages/publish-options.ts', 'PublishOptions'),
    ];
    const missing = options.filter(({ name }) => !new RegExp(`\`(\\{ )?[^\`]*\\b${name}\\b`).test(page));
    expect(options.length).toBeGreaterThan(40);
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  test('lists every page in its index', () => {
    const index = read('docs/README.md');
    const pages = documents.filter((file) => file.startsWith('docs/') && file !== 'docs/README.md');
    expect(pages.filter((file) => !index.includes(`(${file.slice('docs/'.length)})`))).toEqual([]);
  });
});

describe('the checks of the documentation', () => {
  test('see a block that differs from its file', () => {
    const stale = '<!-- file: a.ts -->\n```ts\nold();\n```';
    expect(fillIncludes(stale, () => 'new1();\n', {})).toBe('<!-- file: a.ts -->\n```ts\nnew1();\n```');
  });

  test('cut out a region and a declaration with its comment', () => {
    const source =
      '  // #region one\n  one();\n  // #endregion\n/** Two. */\nexport interface Two {\n  a: { b: 1 };\n}\nrest();\n';
    const block = (part: string): string =>
      fillIncludes(`<!-- file: a.ts#${part} -->\n\`\`\`ts\nx\n\`\`\``, () => source, {});
    expect(block('one')).toContain('```ts\none();\n```');
    expect(block('Two')).toContain('```ts\n/** Two. */\nexport interface Two {\n  a: { b: 1 };\n}\n```');
    expect(() => block('three')).toThrow("no region and no exported declaration 'three'");
  });

  test('read a command as the command line would', () => {
    expect(flagsOf('notify simulate --kill-at 3 --no-queue --kill-at 5:mid-batch --seed x')).toEqual({
      'kill-at': ['3', '5:mid-batch'],
      'no-queue': true,
      seed: 'x',
    });
    expect(() => flagsOf('notify simulate --kill 3')).toThrow('there is no flag --kill');
  });

  test('leave out of an output what no two runs share', () => {
    expect(steady('  took       1 min of virtual time in 1.7 s; trace 68508ed4\n')).toBe(
      '  took       1 min of virtual time in ...; trace ...\n',
    );
  });

  test('see a block that no file stands behind', () => {
    expect(looseBlocks('text\n\n```ts\nloose();\n```\n')).toEqual(['loose();']);
  });

  test('see a link to a missing file and to a missing heading', () => {
    const pages: Readonly<Record<string, string>> = { 'docs/b.md': '# One `two` three\n' };
    const links = '[1](b.md) [2](b.md#one-two-three) [3](b.md#four) [4](c.md) [5](https://example.com/x)';
    const broken = brokenLinks(
      'docs/a.md',
      links,
      (path) => path in pages,
      (path) => pages[path] ?? '',
    );
    expect(broken).toEqual(["docs/a.md links to 'b.md#four'", "docs/a.md links to 'c.md'"]);
  });
});

function markdownIn(folder: string, recursive: boolean): string[] {
  if (!exists(folder)) return [];
  return readdirSync(`${root}${folder}`, { recursive, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => (folder === '.' ? file : `${folder}/${file.replaceAll('\\', '/')}`));
}
