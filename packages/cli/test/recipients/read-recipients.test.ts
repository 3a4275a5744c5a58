import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { collectRecipients } from '../../src/recipients/collect-recipients.ts';
import { csvRows } from '../../src/recipients/csv.ts';
import { linesOf } from '../../src/recipients/lines.ts';
import { RECIPIENT_SHAPE } from '../../src/recipients/read-recipients.ts';

const folder = mkdtempSync(join(tmpdir(), 'recipients-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** What is left of a file: each recipient as `channel:to`, doubles, and `line: reason` of what is invalid. */
async function read(name: string, content: string | Buffer): Promise<Record<string, unknown>> {
  const { targets, doubles, invalid, rows } = await collectRecipients(file(name, content));
  expect(rows).toBe(targets.length + doubles.length + invalid.length);
  return {
    to: targets.map(({ channel, to }) => `${channel}:${to}`),
    ...(doubles.length > 0 ? { merged: doubles.map(({ to }) => to) } : {}),
    ...(invalid.length > 0 ? { invalid: invalid.map(({ line, reason }) => `${line}: ${reason}`) } : {}),
  };
}

const QUOTE = 'a double quote is out of place: put the field in quotes and double those inside';
const NOT_UTF8 = 'has bytes that are not UTF-8; the file is perhaps Latin-1: save it as UTF-8';

describe('a CSV file of recipients', () => {
  const good: readonly [name: string, content: string | Buffer, expected: Record<string, unknown>][] = [
    ['an ordinary list', 'to,name\na@x.org,Ann\nb@x.org,Bob\n', { to: ['email:a@x.org', 'email:b@x.org'] }],
    ['no line end at the end', 'to\na@x.org', { to: ['email:a@x.org'] }],
    ['Windows line ends', 'to,name\r\na@x.org,Ann\r\nb@x.org,Bob\r\n', { to: ['email:a@x.org', 'email:b@x.org'] }],
    ['old Mac line ends', 'to,name\ra@x.org,Ann\rb@x.org,Bob', { to: ['email:a@x.org', 'email:b@x.org'] }],
    ['a byte order mark', '\ufeffto,name\na@x.org,Ann\n', { to: ['email:a@x.org'] }],
    [
      'UTF-16, as a spreadsheet saves it',
      Buffer.from('\ufeffto\tname\r\na@x.org\tÅsa\r\n', 'utf16le'),
      { to: ['email:a@x.org'] },
    ],
    ['semicolons', 'to;name\na@x.org;"Doe; Ann"\n', { to: ['email:a@x.org'] }],
    [
      'empty lines and lines of commas',
      '\n\nto,name\n\na@x.org,Ann\n,\n\nb@x.org,\n\n',
      { to: ['email:a@x.org', 'email:b@x.org'] },
    ],
    ['short rows', 'to,name,town\na@x.org\nb@x.org,Bob\n', { to: ['email:a@x.org', 'email:b@x.org'] }],
    ['a trailing comma on every line', 'to,\na@x.org,\n', { to: ['email:a@x.org'] }],
    ['header names in capitals and with spaces', ' Email , Name\na@x.org,Ann\n', { to: ['email:a@x.org'] }],
    ['a phone column', 'phone\n+49 (30) 1234567\n', { to: ['sms:+49 (30) 1234567'] }],
    ['phones and addresses in one column', 'to\n+4930123456\na@x.org\n', { to: ['sms:+4930123456', 'email:a@x.org'] }],
    [
      'both columns, e-mail first',
      'email,phone\na@x.org,+4930123456\n,+4930123457\n',
      { to: ['email:a@x.org', 'sms:+4930123457'] },
    ],
    ['a channel that picks the column', 'email,phone,channel\na@x.org,+4930123456,sms\n', { to: ['sms:+4930123456'] }],
    ['an escaped quote', 'to,name\na@x.org,"Ann ""A."" Doe"\n', { to: ['email:a@x.org'] }],
    [
      'a field over three lines',
      'to,town\na@x.org,"Main St\n10115\nBerlin"\nb@x.org,Bonn\n',
      { to: ['email:a@x.org', 'email:b@x.org'] },
    ],
    ['a quoted plus-address', 'to\n"a+list@x.org"\n', { to: ['email:a+list@x.org'] }],
  ];
  test.each(good)('with %s is read', async (_name, content, expected) => {
    expect(await read('good.csv', content)).toEqual(expected);
  });

  const partly: readonly [name: string, content: string | Buffer, expected: Record<string, unknown>][] = [
    [
      'a stray quote loses that row alone',
      'to,name\na@x.org,A\nb@x.org,B "b" B\nc@x.org,C\n',
      { to: ['email:a@x.org', 'email:c@x.org'], invalid: [`3: ${QUOTE}`] },
    ],
    [
      'a quote that is never closed loses that row alone',
      'to,name\na@x.org,A\nb@x.org,"B\nc@x.org,C\nd@x.org,D\n',
      { to: ['email:a@x.org', 'email:c@x.org', 'email:d@x.org'], invalid: [`3: ${QUOTE}`] },
    ],
    [
      'two stray quotes do not swallow the rows between them',
      'to,name\nb@x.org,"B\nc@x.org,C\nd@x.org,D"\ne@x.org,E\n',
      { to: ['email:c@x.org', 'email:e@x.org'], invalid: [`2: ${QUOTE}`, `4: ${QUOTE}`] },
    ],
    [
      'Latin-1 bytes are reported by line',
      Buffer.from('to,name\na@x.org,Ren\u00e9\nb@x.org,Bob\nj\u00f6rg@x.org,J\n', 'latin1'),
      { to: ['email:b@x.org'], invalid: [`2: ${NOT_UTF8}`, `4: ${NOT_UTF8}`] },
    ],
    [
      'too many fields are reported',
      'to,name\na@x.org,Doe, Ann\nb@x.org,Bob\n',
      { to: ['email:b@x.org'], invalid: ['2: has 3 fields where the header has 2'] },
    ],
    [
      'invalid addresses are reported, with the lines that empty lines and long fields take counted',
      'to,name\n\na@x.org,"A\nA"\nnobody,N\n,Empty\n',
      {
        to: ['email:a@x.org'],
        invalid: [`5: "nobody": an e-mail address needs something before and after an '@'`, '6: the address is empty'],
      },
    ],
    [
      'an unknown channel names the nearest',
      'to,channel\na@x.org,emial\nb@x.org,email\n',
      {
        to: ['email:b@x.org'],
        invalid: [
          '2: channel "emial" is unknown: did you mean email? Known: email, sms, push, whatsapp, line, slack, in-app, webhook',
        ],
      },
    ],
    [
      'doubles that differ only in case are merged',
      'to,name\nAnn@x.org,Ann\nann@X.ORG,ANN\nann+1@x.org,Ann\n',
      { to: ['email:Ann@x.org', 'email:ann+1@x.org'], merged: ['ann@X.ORG'] },
    ],
    [
      'phones that differ only in punctuation are merged',
      'phone\n+49 30 123456\n0049-30-123456\n',
      { to: ['sms:+49 30 123456'], merged: ['0049-30-123456'] },
    ],
    [
      'one id with two addresses is not merged in silence',
      'to,id\na@x.org,7\nA@x.org,7\nb@x.org,7\n',
      { to: ['email:a@x.org'], merged: ['A@x.org'], invalid: ["4: the id '7' stands for a@x.org already"] },
    ],
  ];
  test.each(partly)('with %s', async (_name, content, expected) => {
    expect(await read('partly.csv', content)).toEqual(expected);
  });

  test('turns unknown columns into data, and leaves empty ones out', async () => {
    const { targets } = await collectRecipients(
      file('data.csv', 'to,name,id,locale,__proto__\na@x.org,Ann,7,de,x\nb@x.org,,,,\n'),
    );
    expect(targets.map((target) => Object.entries(target))).toEqual([
      [
        ['name', 'Ann'],
        ['locale', 'de'],
        ['__proto__', 'x'],
        ['id', '7'],
        ['channel', 'email'],
        ['to', 'a@x.org'],
      ],
      [
        ['channel', 'email'],
        ['to', 'b@x.org'],
      ],
    ]);
  });
});

describe('an NDJSON file of recipients', () => {
  test('is read line by line, bad lines reported', async () => {
    const lines = [
      '{"to":"a@x.org","name":"Ann","tags":["x"]}',
      '',
      '{"email":"b@x.org"',
      '["c@x.org"]',
      '{"to":7}',
      '{"phone":"+4930123456","channel":"whatsapp"}',
      '{"to":"A@X.org"}',
      '{"name":"text with \u2028 inside","to":"d@x.org"}',
    ];
    expect(await read('list.ndjson', lines.join('\r\n'))).toEqual({
      to: ['email:a@x.org', 'whatsapp:+4930123456', 'email:d@x.org'],
      merged: ['A@X.org'],
      invalid: [
        '3: is not JSON',
        '4: is not a JSON object, such as {"to":"ann@example.com"}',
        "5: 'to' is not a text but 7",
      ],
    });
  });
});

describe('a recipients file that cannot be used', () => {
  const bad: readonly [name: string, content: string, message: string][] = [
    ['empty.csv', '', 'empty.csv: the file is empty: it needs a header line and a row per recipient'],
    ['blank.csv', '\n \n\n', 'blank.csv: the file is empty: it needs a header line and a row per recipient'],
    ['header.csv', 'to,name\n', 'header.csv: nobody to write to, it has no rows'],
    [
      'column.csv',
      'emial,name\na@x.org,Ann\n',
      "column.csv: no column is called to, email or phone. Did you mean email? The header has 'emial', 'name'",
    ],
    [
      'headless.csv',
      'a@x.org,Ann\nb@x.org,Bob\n',
      "headless.csv: no column is called to, email or phone. The first line has to name the columns. The header has 'a@x.org', 'Ann'",
    ],
    ['twice.csv', 'email,Email\na@x.org,b@x.org\n', "twice.csv: the column 'email' is there twice"],
    [
      'all-bad.csv',
      'to\nx\ny\n',
      `all-bad.csv: nobody to write to, no row is valid; line 2: "x": an e-mail address needs something before and after an '@'`,
    ],
    ['empty.ndjson', '', 'empty.ndjson: nobody to write to, it has no rows'],
  ];
  test.each(bad)('%s says why', async (name, content, message) => {
    await expect(collectRecipients(file(name, content))).rejects.toMatchObject({
      code: 'RECIPIENTS_FILE_INVALID',
      message,
    });
  });

  test('is named when it does not exist, is a folder, or is no list', async () => {
    const messages = await Promise.all(
      [join(folder, 'none.csv'), join(folder, 'list.xlsx')].map((path) =>
        collectRecipients(path).catch((error: Error) => error.message),
      ),
    );
    expect(messages).toEqual([
      'none.csv: there is no such file',
      `${join(folder, 'list.xlsx')}: the name has to end in one of .csv, .ndjson, .jsonl`,
    ]);
  });

  test('of one endless line is given up, not kept in memory', async () => {
    async function* endless(): AsyncGenerator<Buffer> {
      for (;;) yield Buffer.alloc(65_536, 'x');
    }
    const rows = csvRows(linesOf(endless()), RECIPIENT_SHAPE);
    await expect(rows.next()).rejects.toThrow('line 1, the header, is longer than 1,000,000 characters');
  });
});

describe('reading', () => {
  test('hands rows out while the file still comes in, however chunks cut its lines and letters', async () => {
    let read = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      const text = Buffer.from('to,name\r\n' + 'jörg@x.org,"J\r\nö"\r\nb@x.org,B\r\n'.repeat(1_000));
      for (;;) yield text.subarray((read * 7) % text.length, (++read * 7) % text.length || text.length);
    }
    const seen: string[] = [];
    for await (const rows of csvRows(linesOf(endless()), RECIPIENT_SHAPE)) {
      seen.push(...rows.map((row) => (row.kind === 'recipient' ? (row.input.to ?? '') : `${row.line}: ${row.reason}`)));
      if (seen.length >= 1_000) break;
    }
    expect(new Set(seen)).toEqual(new Set(['jörg@x.org', 'b@x.org']));
    expect(read).toBeLessThan(8_000);
  });
});
