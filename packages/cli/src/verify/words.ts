import type { Paint } from '@sendonce/chaos';
import type { Judgement } from './judgement.ts';
import { aloneLine, type SuiteReport, type VerifyReport } from './report.ts';
import type { Suite } from './suite.ts';

export function heading({ port, from }: Pick<Suite, 'port' | 'from'>, paint: Paint): string {
  return `${paint.bold(`${port} of ${from}`)}\n\n`;
}

const INDENT = ' '.repeat(10);

/** A law in one line; of a broken one also why, and how to run it alone. */
export function lawLines(suite: Suite, judgement: Judgement, paint: Paint): string {
  switch (judgement.kind) {
    case 'kept':
      return `  ${paint.green('kept')}    ${judgement.law}\n`;
    case 'skipped':
      return `  ${paint.dim('-')}       ${judgement.law}\n${INDENT}${paint.dim(`cannot be judged: ${judgement.reason}`)}\n`;
    case 'broken': {
      const { law, reason, expected, seen, at } = judgement;
      const lines = [
        reason,
        ...(expected === null ? [] : [`expected  ${expected}`]),
        ...(seen === null ? [] : [`seen      ${seen}`]),
        ...(at === null ? [] : [`at        ${at}`]),
        `alone     ${aloneLine(suite, law)}`,
      ];
      return `  ${paint.red('BROKEN')}  ${paint.bold(law)}\n${lines.map((line) => `${INDENT}${line}\n`).join('')}`;
    }
  }
}

/** The sums of one adapter. */
export function sumLine({ port, kept, broken, skipped, missing }: SuiteReport): string {
  const parts = [
    `${kept} kept`,
    ...(broken === 0 ? [] : [`${broken} broken`]),
    ...(skipped === 0 ? [] : [`${skipped} cannot be judged`]),
    ...(missing === 0 ? [] : [`${missing} not run`]),
  ];
  return `\n${port}: ${parts.join(', ')}\n\n`;
}

const VERDICTS: Readonly<Record<VerifyReport['verdict'], string>> = {
  kept: 'KEPT  every law that could be judged is kept',
  broken: 'BROKEN  not every law is kept',
  inconclusive: 'OPEN  there is an adapter of which no law could be judged: nothing is known about it',
  interrupted: 'INTERRUPTED  no law was broken before that',
};

export function verdictLines({ verdict, loose }: VerifyReport, paint: Paint): string {
  const color = verdict === 'kept' ? paint.green : verdict === 'broken' ? paint.red : paint.yellow;
  const forgotten = loose.map(
    (words) => `  ${paint.red('BROKEN')}  a promise that nobody waited for was rejected: ${words}\n`,
  );
  return `${forgotten.join('')}${paint.bold(color(VERDICTS[verdict]))}\n`;
}
