import { PROVIDERS } from '@sendonce/adapters/catalogue';
import { describe, expect, test } from 'vitest';
import { providersText } from '../../src/providers/providers-text.ts';
import { notify } from '../notify.ts';

describe('notify providers', () => {
  test('lists every provider with its channel and what a lost answer comes to', async () => {
    const { code, stdout } = await notify(['providers']);
    expect(code).toBe(0);
    for (const { name } of PROVIDERS) expect(stdout).toMatch(new RegExp(`^  ${name} .*(exact|never twice)`, 'm'));
  });

  test('is one object with --json, in which nothing is lost', async () => {
    const { code, stdout } = await notify(['providers', '--json']);
    const told = JSON.parse(stdout) as { schema: string; providers: readonly { name: string; outcomes: unknown }[] };
    expect({ code, schema: told.schema }).toEqual({ code: 0, schema: 'sendonce.providers/1' });
    expect(told.providers.map(({ name, outcomes }) => ({ name, outcomes }))).toEqual(
      PROVIDERS.map(({ name, outcomes }) => ({ name, outcomes })),
    );
  });

  test.each(PROVIDERS.map((facts) => [facts.name, facts] as const))('shows each answer of %s', (name, { outcomes }) => {
    const lines = providersText(name, { isJson: false }).split('\n');
    for (const { code, is } of outcomes)
      expect(lines.some((line) => line.includes(code ?? '') && line.endsWith(is))).toBe(true);
  });

  test('says which there are where there is no such one', async () => {
    const { code, stderr } = await notify(['providers', 'resent']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/FLAG_INVALID: the provider 'resent' is unknown: did you mean resend\?/);
  });
});
