import { describe, expect, test } from 'vitest';
import { BaseCommand } from '../../src/base-command.ts';
import DlqList from '../../src/commands/dlq/list.ts';
import DlqShow from '../../src/commands/dlq/show.ts';
import ReplayDlq from '../../src/commands/replay-dlq.ts';
import Status from '../../src/commands/status.ts';
import Why from '../../src/commands/why.ts';
import { REPLAY_STATUSES } from '../../src/operate/replay/report.ts';
import { page as read, rowsBelow } from './support/page.ts';

const pages = ['reference/replay-dlq', 'reference/status', 'reference/why', 'how-to/replay-dead-letters'];
const COMMANDS = { 'replay-dlq': ReplayDlq, 'dlq list': DlqList, 'dlq show': DlqShow, status: Status, why: Why };
const flagsOf = (command: (typeof COMMANDS)[keyof typeof COMMANDS]): string[] =>
  Object.keys({ ...command.flags, ...BaseCommand.baseFlags });

describe('the pages of the operators’ commands', () => {
  test.each(pages.map((page) => [page]))('%s gives only flags that exist', (page) => {
    const lines = [...read(page).matchAll(/notify (replay-dlq|dlq list|dlq show|status|why)\b([^`\n|]*)/g)];
    expect(lines.length).toBeGreaterThan(0);
    for (const [line, name, words] of lines) {
      const known = flagsOf(COMMANDS[name as keyof typeof COMMANDS]);
      const given = [...words!.matchAll(/(?<!\S)--([a-z][\w-]*)/g)].map(([, flag = '']) => flag);
      expect({ line, unknown: given.filter((flag) => !known.includes(flag) && flag !== 'no-color') }).toEqual({
        line,
        unknown: [],
      });
    }
  });

  test.each([
    ['reference/replay-dlq', '## replay-dlq', ReplayDlq],
    ['reference/status', '# notify status', Status],
    ['reference/why', '# notify why', Why],
  ] as const)('%s has a row for each flag of its command', (page, heading, command) => {
    const text = read(page);
    const rows = heading.startsWith('# ')
      ? [...text.matchAll(/^\| (`--[^|]*)\|/gm)].map(([, cell = '']) => cell)
      : rowsBelow(text, heading);
    const documented = rows.flatMap((cell) => [...cell.matchAll(/--([a-z][\w-]*)/g)].map(([, flag = '']) => flag));
    expect([...new Set(documented)].sort()).toEqual(flagsOf(command).sort());
  });

  test('the page of replay-dlq names each status', () => {
    const page = read('reference/replay-dlq');
    expect(REPLAY_STATUSES.filter((status) => !page.includes(`\`${status}\``))).toEqual([]);
  });
});
