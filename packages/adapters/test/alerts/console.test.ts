import { describe, expect, test, vi } from 'vitest';
import type { Alert } from '@sendonce/core';
import { consoleAlerts } from '../../src/alerts/console.ts';

const alert: Alert = {
  kind: 'dead-letter',
  at: Date.UTC(2026, 2, 1, 8),
  count: 1,
  examples: ['d_1'],
  summary: '1 message gave up and became dead letters',
  next: 'notify dlq list --reason',
};

async function lineFor(patch: Partial<Alert>): Promise<string> {
  const lines: string[] = [];
  await consoleAlerts({ write: (line) => lines.push(line) }).send({ ...alert, ...patch });
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}

describe('an alert on the console', () => {
  test('is one line: when, what, to which, and what to do', async () => {
    expect(await lineFor({})).toBe(
      '2026-03-01T08:00:00.000Z dead-letter: 1 message gave up and became dead letters (d_1). Next: notify dlq list --reason',
    );
  });

  test.each<[Partial<Alert>, RegExp]>([
    [{ count: 3, examples: ['d_1', 'd_2', 'd_3'] }, / \(d_1, d_2, d_3\)\. Next/],
    [
      { count: 2_000, examples: ['d_1', 'd_2', 'd_3', 'd_4', 'd_5'] },
      / \(d_1, d_2, d_3, d_4, d_5 and 1995 more\)\. Next/,
    ],
    [
      { kind: 'no-progress', examples: [], summary: 'nothing moves', next: 'notify status' },
      /: nothing moves\. Next: notify status$/,
    ],
    [{ examples: ['d_1\nsecond line\u001b[31m'] }, / \(d_1 second line \[31m\)\. Next/],
  ])('names what there is to name: %o', async (patch, line) => {
    expect(await lineFor(patch)).toMatch(line);
  });

  test('goes to standard error unless told otherwise', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const sink = consoleAlerts();
    await sink.send(alert);
    expect(write.mock.calls).toEqual([[expect.stringMatching(/^2026.*\n$/)]]);
    write.mockRestore();
    await sink.close();
    await sink.close();
  });
});
