import { describe, expect, test } from 'vitest';
import type { SendFlags } from '../../src/send/flags.ts';
import { parseSend } from '../../src/send/request.ts';

describe('the flags of notify send', () => {
  test.each<[SendFlags, object]>([
    [{ data: 'a.csv' }, { source: { kind: 'rows', file: 'a.csv', format: 'csv' } }],
    [{ data: 'a.NDJSON' }, { source: { kind: 'rows', file: 'a.NDJSON', format: 'ndjson' } }],
    [{ data: '-' }, { source: { kind: 'rows', file: '-', format: 'ndjson' } }],
    [
      { data: '-', format: 'CSV', 'key-column': 'id' },
      { source: { format: 'csv' }, keyColumn: 'id' },
    ],
    [
      { 'data-json': '{"a":1}', key: 'k', tenant: 't' },
      { source: { kind: 'one', data: { a: 1 } }, key: 'k', tenant: 't' },
    ],
    [
      { 'recipients-file': 'p.csv', key: 'k' },
      { source: { kind: 'one', data: {} }, recipientsFile: 'p.csv' },
    ],
  ])('%j', (flags, request) => {
    expect(parseSend(flags)).toMatchObject(request);
  });

  test.each<[SendFlags, RegExp]>([
    [{}, /^nothing to send/],
    [{ data: 'a.csv', 'data-json': '{}' }, /contradict/],
    [{ data: 'a.xlsx' }, /^--data "a.xlsx": expected a name that ends in/],
    [{ data: 'a.ndjsn' }, /did you mean .ndjson\?/],
    [{ data: 'a.csv', format: 'csv' }, /^--format "csv": expected nothing here/],
    [{ data: '-', format: 'cvs' }, /did you mean csv\?/],
    [{ 'data-json': '{a:1}' }, /^--data-json "\{a:1\}": expected JSON/],
    [{ data: 'a.csv', key: 'k' }, /^--key "k": expected one notification/],
    [{ 'data-json': '{}', 'key-column': 'id' }, /^--key-column "id": expected rows/],
    [{ 'data-json': '{}', key: ' ' }, /^--key " ": expected a text/],
    [{ 'data-json': '{}', tenant: '' }, /^--tenant "": expected a text/],
  ])('%j are refused', (flags, message) => {
    expect(() => parseSend(flags)).toThrow(
      expect.objectContaining({ code: 'FLAG_INVALID', message: expect.stringMatching(message) }),
    );
  });
});
