import { readFileSync } from 'node:fs';
import { ERROR_CODES, SendonceError } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { commandError } from '../src/command-error.ts';

const flags = ['recipients', 'kill-at', 'json'];
const page = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8');

/** An error of oclif's parser, by the fields that it has. */
const parserError = (message: string, fields: object): Error =>
  Object.assign(new Error(message), { oclif: { exit: 2 }, ...fields });

describe('an error on the command line', () => {
  const cases: readonly [words: string, thrown: unknown, exitCode: number, text: string][] = [
    [
      'for a wrong value',
      new SendonceError('FLAG_INVALID', '--seed "": expected text'),
      2,
      'Error FLAG_INVALID: --seed "": expected text\n  See docs/reference/errors.md#flag_invalid\n  All flags: npx notify simulate --help\n',
    ],
    [
      'for a flag that does not exist',
      parserError('Nonexistent flag', { flags: ['--kil-at'] }),
      2,
      'Error FLAG_INVALID: there is no flag --kil-at. Did you mean --kill-at?\n  See docs/reference/errors.md#flag_invalid\n  All flags: npx notify simulate --help\n',
    ],
    [
      'for a value without a flag',
      parserError('Unexpected argument', { args: ['2000'] }),
      2,
      'Error FLAG_INVALID: "2000" belongs to no flag: every value follows its --flag\n  See docs/reference/errors.md#flag_invalid\n  All flags: npx notify simulate --help\n',
    ],
    [
      'for a flag without its value',
      parserError('Flag --seed expects a value\nSee more help with --help', {}),
      2,
      'Error FLAG_INVALID: Flag --seed expects a value\n  See docs/reference/errors.md#flag_invalid\n  All flags: npx notify simulate --help\n',
    ],
    [
      'for a bad file',
      new SendonceError('RECIPIENTS_FILE_INVALID', 'x.csv: there is no such file'),
      2,
      'Error RECIPIENTS_FILE_INVALID: x.csv: there is no such file\n  See docs/reference/errors.md#recipients_file_invalid\n',
    ],
    [
      'for code that reaches around the ports',
      new SendonceError('DETERMINISM_VIOLATION', 'Date.now in route'),
      5,
      'Error DETERMINISM_VIOLATION: Date.now in route\n  See docs/reference/errors.md#determinism_violation\n',
    ],
    [
      'for a store that is away',
      new SendonceError('LEDGER_UNAVAILABLE', 'gone'),
      70,
      'Error LEDGER_UNAVAILABLE: gone\n  See docs/reference/errors.md#ledger_unavailable\n',
    ],
  ];
  test.each(cases)('%s has its code, its page and its exit code', (_words, thrown, exitCode, text) => {
    expect(commandError(thrown, flags)).toMatchObject({ exitCode, text });
  });

  test('of our own making shows its stack and asks for a report', () => {
    const { exitCode, text, json } = commandError(new TypeError('x is not a function'), flags);
    expect(exitCode).toBe(70);
    expect(text).toContain('Error INTERNAL: x is not a function\n  This is a fault of notify itself');
    expect(text).toContain('command-error.test.ts');
    expect(json).toEqual({
      schema: 'sendonce.error/1',
      error: { code: 'INTERNAL', message: 'x is not a function', docs: null },
    });
  });

  test('is one object under --json', () => {
    expect(commandError(new SendonceError('PLAN_INVALID', 'no'), flags).json).toEqual({
      schema: 'sendonce.error/1',
      error: { code: 'PLAN_INVALID', message: 'no', docs: 'docs/reference/errors.md#plan_invalid' },
    });
  });
});

describe('the page of errors', () => {
  test.each(ERROR_CODES.map((code) => [code]))(
    'explains %s: what happened, why, what to do, and an example',
    (code) => {
      const section = page.split(/^## /m).find((part) => part.startsWith(`${code}\n`));
      expect(section).toBeDefined();
      for (const part of ['**What happened.**', '**Why.**', '**What to do.**', '```']) expect(section).toContain(part);
    },
  );

  test('explains nothing that does not exist', () => {
    const codes = [...page.matchAll(/^## ([A-Z_]+)$/gm)].map(([, code]) => code);
    expect(codes).toEqual([...ERROR_CODES]);
  });
});
