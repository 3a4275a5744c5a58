import { describe, expect, test } from 'vitest';
import Archive from '../../src/commands/archive.ts';
import DlqList from '../../src/commands/dlq/list.ts';
import DlqShow from '../../src/commands/dlq/show.ts';
import Migrate from '../../src/commands/migrate.ts';
import Providers from '../../src/commands/providers.ts';
import ReplayDlq from '../../src/commands/replay-dlq.ts';
import Send from '../../src/commands/send.ts';
import Simulate from '../../src/commands/simulate.ts';
import Status from '../../src/commands/status.ts';
import Verify from '../../src/commands/verify.ts';
import Why from '../../src/commands/why.ts';
import Worker from '../../src/commands/worker.ts';

/** What is left of a terminal of 80 columns beside the indentation and the `$ ` of help. */
const COLUMNS = 74;

const examples = [
  Archive,
  DlqList,
  DlqShow,
  Migrate,
  Providers,
  ReplayDlq,
  Send,
  Simulate,
  Status,
  Verify,
  Why,
  Worker,
].flatMap(({ examples }) =>
  (examples as readonly (string | { readonly command: string })[]).map((each) =>
    (typeof each === 'string' ? each : each.command).replaceAll('<%= config.bin %>', 'notify'),
  ),
);

describe('an example of --help can be copied from a terminal of 80 columns', () => {
  test.each(examples.map((line) => [line]))('%s', (line) => {
    for (const part of brokenAt(line, COLUMNS)) expect({ part, isOpen: isOpen(part) }).toEqual({ part, isOpen: false });
  });
});

/** What stands before each place where help breaks the line. */
function brokenAt(line: string, columns: number): string[] {
  const parts: string[] = [];
  let rest = line;
  while (rest.length > columns) {
    const at = rest.lastIndexOf(' ', columns);
    if (at <= 0) break;
    rest = rest.slice(at + 1);
    parts.push(line.slice(0, line.length - rest.length - 1));
  }
  return parts;
}

function isOpen(text: string): boolean {
  let open = '';
  for (const letter of text) {
    if (letter === open) open = '';
    else if (open === '' && (letter === "'" || letter === '"')) open = letter;
  }
  return open !== '';
}
