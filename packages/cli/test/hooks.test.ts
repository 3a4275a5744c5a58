import { describe, expect, test } from 'vitest';
import { unknownCommand } from '../src/hooks/command-not-found.ts';
import { notify } from './notify.ts';

describe('a command that does not exist', () => {
  test.each([
    ['simulat', 'there is no command "simulat". Did you mean notify simulate?'],
    ['dlq:lst', 'there is no command "dlq lst". Did you mean notify dlq list?'],
    ['frobnicate', 'there is no command "frobnicate". Commands: simulate, dlq list.'],
    ['simulate:2000', '"2000" belongs to no flag: every value follows its --flag'],
  ])('%s: %s', (id, message) => {
    expect(unknownCommand(id, ['simulate', 'dlq:list']).message).toBe(message);
  });

  test('exits with 2', async () => {
    const { code, stdout, stderr } = await notify(['simulat']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Did you mean notify simulate?');
  });
});
