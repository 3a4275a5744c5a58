import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { linesOf } from '../../src/recipients/lines.ts';
import { ndjsonRows } from '../../src/recipients/ndjson.ts';
import { RECIPIENT_SHAPE } from '../../src/recipients/read-recipients.ts';
import { readData } from '../../src/send/read-data.ts';
import type { DataFormat } from '../../src/send/request.ts';

const folder = mkdtempSync(join(tmpdir(), 'read-data-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Each row as its line and what it is: the id of its data, or why it is refused. */
async function read(format: DataFormat, content: string | Buffer): Promise<string[]> {
  const file = join(folder, `data.${format}`);
  writeFileSync(file, content);
  const rows: string[] = [];
  for await (const group of readData(file, format))
    rows.push(...group.map((row) => `${row.line}: ${row.kind === 'data' ? String(row.data['id']) : row.reason}`));
  return rows;
}

const long = 'x'.repeat(1_000_001);
const latin = Buffer.from('j\u00f6rg', 'latin1');
const broken = (before: string, after: string): Buffer =>
  Buffer.concat([Buffer.from(before), latin, Buffer.from(after)]);

describe('a malformed row of NDJSON costs itself alone, and says why', () => {
  const cases: readonly (readonly [what: string, row: string | Buffer, reason: RegExp])[] = [
    ['an over-long line', `{"id":"${long}"}`, /^2: is longer than 1,000,000 characters/],
    ['bytes that are not UTF-8', broken('{"id":"', '"}'), /^2: has bytes that are not UTF-8/],
    ['a NUL', '{"id":"a\0"}', /^2: has NUL characters/],
    ['a NUL that is escaped', '{"id":"a\\u0000"}', /^2: has the escape \\u0000 \(NUL\), .* leave it out$/],
    ['a lost character that is escaped', '{"id":"a\\ufffd"}', /^2: has the escape \\ufffd/],
    ['half of a character', '{"id":"\\ud83d"}', /^2: has half of a character/],
    ['a name twice', '{"id":1,"a":{"x":1},"id":2}', /^2: has the name "id" twice in one object/],
    ['a name twice, written in two ways', '{"n":[{"id":1,"\\u0069d":2}]}', /^2: has the name "id" twice/],
    [
      'a number beyond 2^53',
      '{"id":9007199254740993}',
      /^2: has the number 9007199254740993, which would be rounded to 9007199254740992: give it as a text/,
    ],
    ['a number beyond 2^53 below zero', '{"id":-12345678901234567890}', /^2: .*which would be rounded/],
    ['a number beyond 2^53 with a fraction', '{"id":123456789012345678.90}', /^2: .*which would be rounded/],
    ['a number beyond every number', '{"id":1e999}', /^2: .*which would be rounded to Infinity/],
    [
      'a number below every number',
      '{"id":1e-400}',
      /^2: has the number 1e-400, which would be rounded to 0: give it as a text/,
    ],
    ['the same below zero', '{"id":[-1e-400]}', /^2: has the number -1e-400, which would be rounded to 0/],
    ['the same without an exponent', `{"id":0.${'0'.repeat(400)}1}`, /^2: .*which would be rounded to 0/],
    ['a number so small that its digits are lost', '{"id":3.14e-323}', /^2: .*which would be rounded to 3e-323/],
    ['deep nesting', `{"id":${'['.repeat(101)}${']'.repeat(101)}}`, /^2: is nested deeper than 100 levels/],
    [
      'nesting without end',
      `{"id":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
      /^2: is nested deeper than 100 levels/,
    ],
    ['a line that is cut', '{"id":', /^2: is not JSON/],
  ];
  test.each(cases)('%s', async (_what, row, reason) => {
    const text = Buffer.concat([Buffer.from('{"id":1}\n'), Buffer.from(row as string), Buffer.from('\n{"id":3}\n')]);
    expect(await read('ndjson', text)).toEqual(['1: 1', expect.stringMatching(reason), '3: 3']);
  });

  test.each([
    ['a byte order mark and Windows line ends', '\ufeff{"id":1}\r\n{"id":2}\r\n'],
    ['old Mac line ends', '{"id":1}\r{"id":2}'],
    [
      'the largest numbers that are kept',
      '{"id":1,"n":[9007199254740991,-9007199254740992,1e21,1.5e300,0.1,3.14159265358979323846]}\n{"id":2}',
    ],
    [
      'zero in every form, and the smallest numbers that are kept',
      '{"id":1,"n":[0,-0,0.0,0e7,-0.00e-999,5e-324,2.2250738585072014e-308,1e-300]}\n{"id":2}',
    ],
    ['the same name in two objects, and as a value', '{"id":1,"a":{"id":"id"},"b":[{"id":"a"},{"id":"a"}]}\n{"id":2}'],
    ['a hundred levels', `{"id":1,"a":${'['.repeat(99)}${']'.repeat(99)}}\n{"id":2}`],
    ['escapes of every kind', '{"id":1,"a":"\\"\\\\ \\ud83d\\ude00 {[:,"}\n{"id":2}'],
  ])('%s cost nobody', async (_what, text) => {
    expect(await read('ndjson', text)).toEqual(['1: 1', '2: 2']);
  });
});

describe('a malformed row of CSV costs itself alone, and says why', () => {
  const QUOTE = /^3: a double quote is out of place/;
  const cases: readonly (readonly [what: string, row: string | Buffer, reason: RegExp])[] = [
    ['an over-long line', `2,${long}`, /^3: is longer than 1,000,000 characters/],
    ['an over-long line of quotes', `2,"${long}"`, /^3: is longer than 1,000,000 characters/],
    ['bytes that are not UTF-8', broken('2,', ''), /^3: has bytes that are not UTF-8/],
    ['a NUL', '2,a\0b', /^3: has NUL characters/],
    ['a quote that nobody closes', '2,"a', QUOTE],
    ['a stray quote', '2,a "b" c', QUOTE],
    ['a field too few', '2', /^3: has 1 field where the header has 2/],
    ['a field too many', '2,a,b', /^3: has 3 fields where the header has 2/],
  ];
  test.each(cases)('%s', async (_what, row, reason) => {
    const text = Buffer.concat([
      Buffer.from('id,note\n1,a\n'),
      Buffer.from(row as string),
      Buffer.from('\n3,c\n4,d\n'),
    ]);
    expect(await read('csv', text)).toEqual(['2: 1', expect.stringMatching(reason), '4: 3', '5: 4']);
  });

  test('a quote that is open at an over-long line', async () => {
    expect(await read('csv', `id,note\n1,"a\n2,${long}\n3,c\n`)).toEqual([
      expect.stringMatching(/^2: a double quote/),
      expect.stringMatching(/^3: is longer than/),
      '4: 3',
    ]);
  });

  test('a quote that nobody closes swallows no file, however long it is', async () => {
    const rows = Array.from({ length: 5_000 }, (_, i) => `${i},n${i}`);
    const found = await read('csv', ['id,note', '-1,"open', ...rows].join('\n'));
    expect(found).toEqual([expect.stringMatching(/^2: a double quote/), ...rows.map((_, i) => `${i + 3}: ${i}`)]);
  });

  test.each([
    ['that is over-long', `id,${long}\n1,a\n`, /line 1, the header, is longer than/],
    ['that is not text', broken('id,', '\n1,a\n'), /line 1, the header, has bytes that are not UTF-8/],
    [
      'with a quote that nobody closes',
      'id,"note\n1,a\n2,b\n',
      /line 1, the header, has a double quote out of place: a name in/,
    ],
    ['with a stray quote', '\n\nid,no"te\n1,a\n', /line 3, the header, has a double quote out of place/],
    ['with a quote behind a space', 'id, "note"\n1,a\n', /line 1, the header, has a double quote out of place/],
    ['in UTF-16 without a mark', Buffer.from('id,note\n1,a\n', 'utf16le'), /line 1, the header, has NUL characters/],
  ])('a header %s is the file, and ends with its reason', async (_what, text, words) => {
    await expect(read('csv', text)).rejects.toMatchObject({
      code: 'FLAG_INVALID',
      message: expect.stringMatching(words),
    });
  });
});

test('a line without end is refused at once, and nothing of it is held', async () => {
  let chunks = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    for (; chunks < 2_000; chunks += 1) yield Buffer.alloc(65_536, 'x');
    yield Buffer.from('\r\n{"to":"a@x.org"}\n');
  }
  const rows = ndjsonRows(linesOf(endless()), RECIPIENT_SHAPE);
  expect((await rows.next()).value).toEqual([
    { kind: 'invalid', line: 1, reason: expect.stringMatching(/^is longer than/) },
  ]);
  expect(chunks).toBeLessThan(20);
  const before = process.memoryUsage().heapUsed;
  expect((await rows.next()).value).toMatchObject([{ line: 2, kind: 'recipient' }]);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(64_000_000);
});
