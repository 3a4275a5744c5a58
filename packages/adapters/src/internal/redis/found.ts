import type { AnswerFact, Found, StoreFact } from '../ahead/facts.ts';
import { unplain } from '../ahead/plain.ts';
import type { Wanted } from '../ahead/questions.ts';
import { isSameMemory, type Memory } from './memory.ts';
import { deliveryFact, notificationFact, type Row } from './packed.ts';
import { SEPARATOR } from './script.ts';

type Answer = readonly [
  head: Row,
  blocks: readonly string[],
  deliveries: Row[],
  notifications: Row[],
  values: Row[],
  pages: Row[],
];

export function schemaOf(answer: unknown): string {
  return (answer as Answer)[0][0] ?? '';
}

/** The memory that the data were last used in, as it stands in them. */
export function identityOf(answer: unknown): string {
  return (answer as Answer)[0][3] ?? '';
}

/** What the script that reads has answered. `isOurs`: whether it is the memory that this process has used before. */
export function foundIn(answer: unknown, wanted: Wanted, isOurs: (memory: Memory) => boolean): Found {
  const [head, blocks, deliveries, notifications, values, pages] = answer as Answer;
  return {
    store: storeFact(head, blocks, isOurs),
    deliveries: deliveries.map(deliveryFact),
    notifications: notifications.map(notificationFact),
    answers: [
      ...values.flatMap((row, i) => answersOf(row, wanted.questions[i])),
      ...pages.map(([id, x, y]) => ({ kind: 'page' as const, a: id ?? '', b: '0', x: x ?? '', y: y ?? '' })),
    ],
  };
}

function answersOf(row: Row, question: Wanted['questions'][number] | undefined): AnswerFact[] {
  const answers: AnswerFact[] = [];
  if (question === undefined) return answers;
  for (let i = 0; i < row.length; i += 2) answers.push({ ...question, x: row[i] ?? '', y: row[i + 1] ?? '' });
  return answers;
}

function storeFact(head: Row, blocks: readonly string[], isOurs: (memory: Memory) => boolean): StoreFact {
  const [, key, version, identity, changed, quiet, reckoned, gates, identityNow, sups, kept, now, fence] = head.map(
    (cell) => cell ?? '',
  ) as [string, ...string[]];
  const isKnown = isOurs({ key: key ?? '', hasChanged: changed !== '' });
  return {
    key: key ?? '',
    version: version ?? '',
    // The same for the same memory; of data that are not those from before, whatever stands in them, it is another.
    identity: isKnown && isSameMemory(identity ?? '', identityNow ?? '') ? (identityNow ?? '') : '',
    identityNow: identityNow ?? '',
    epoch: {
      last: Number(fence) - 1,
      changedAt: changed === '' ? null : Number(changed),
      quietUntil: Number(quiet),
      isReckoned: reckoned === '1',
    },
    gates: gates ?? '',
    hasSuppressions: sups === '1',
    hasKept: kept === '1',
    blocks: blocksOf(blocks),
    nowMs: Number(now),
    fence: Number(fence),
  };
}

function blocksOf(cells: readonly string[]): ReadonlyMap<string, number> {
  const blocks = new Map<string, number>();
  for (let i = 0; i + 1 < cells.length; i += 2)
    blocks.set(unplain(cells[i] as string), Number((cells[i + 1] as string).split(SEPARATOR)[0]));
  return blocks;
}
