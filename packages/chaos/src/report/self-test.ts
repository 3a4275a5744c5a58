import { duration, pad, plural } from './format.ts';
import type { Paint } from './paint.ts';
import type { SelfTestReport, SelfTestRow } from './types.ts';

export interface SelfTestJson {
  readonly schema: 'sendonce.self-test/1';
  readonly verdict: 'pass' | 'fail' | 'interrupted';
  readonly seed: string;
  readonly senders: readonly {
    readonly sender: string;
    readonly expected: readonly string[];
    readonly caught: boolean;
    readonly seen: string | null;
    readonly faults: number | null;
    readonly recipients: number | null;
    readonly wallMs: number;
  }[];
  readonly wallMs: number;
}

export function selfTestJson({ passed, rows, wallMs, interrupted }: SelfTestReport, seed: string): SelfTestJson {
  return {
    schema: 'sendonce.self-test/1',
    verdict: interrupted ? 'interrupted' : passed ? 'pass' : 'fail',
    seed,
    senders: rows.map((row) => ({
      sender: row.sender,
      expected: row.expected,
      caught: row.caught,
      seen: row.seen,
      faults: row.plan?.faults.length ?? null,
      recipients: recipients(row),
      wallMs: Math.round(row.wallMs),
    })),
    wallMs: Math.round(wallMs),
  };
}

/** A line per known-bad sender: what it does wrong, what it was caught at, and how small the plan is. */
export function selfTestText(report: SelfTestReport, seed: string, paint: Paint): string {
  const { passed, rows, wallMs, interrupted } = report;
  const caught = rows.filter((row) => row.caught).length;
  const verdict = interrupted
    ? paint.yellow(paint.bold('INTERRUPTED'))
    : passed
      ? paint.green(paint.bold('PASS'))
      : paint.red(paint.bold('FAIL'));
  const width = Math.max(...rows.map((row) => row.sender.length), 0);
  return [
    `${verdict}  ${caught} of ${plural(rows.length, 'known-bad sender')} caught in ${duration(wallMs)}${interrupted ? '; nothing is known of the others' : ''}`,
    '',
    ...rows.map(
      (row) =>
        `  ${row.caught ? paint.green('caught') : paint.red('MISSED')}  ${pad(row.sender, width)}  ${rowWords(row)}`,
    ),
    '',
    '  See one of them fail: npx notify simulate --break NAME',
    `  Again: npx notify simulate --self-test --seed${seed.startsWith('-') ? '=' : ' '}${seed}`,
    '',
  ].join('\n');
}

function rowWords(row: SelfTestRow): string {
  const expected = row.expected.join(' or ');
  const size =
    row.plan === null
      ? ''
      : `, ${plural(row.plan.faults.length, 'fault')} and ${plural(recipients(row) ?? 0, 'recipient')}`;
  const seen = row.caught ? `${row.seen ?? expected}${size}` : `expected ${expected}, saw ${row.seen ?? 'nothing'}`;
  return `${seen}: ${row.about}`;
}

function recipients({ plan }: SelfTestRow): number | null {
  if (plan === null) return null;
  const { recipients: wanted } = plan.setup;
  return typeof wanted === 'number' ? wanted : wanted.length;
}
