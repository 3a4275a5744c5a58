import type { RunResult } from '../result.ts';
import { count, plural } from './format.ts';
import type { FaultCoverage } from './types.ts';

/** Kinds, and kills told one by one: more are read by nobody. */
const MOST = 5;

/** Kinds that strike in numbers, in words; the others are told by their names, which docs/reference/faults.md explains. */
const WORDS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  'request-lost': ['request lost', 'requests lost'],
  'reply-lost': ['reply lost', 'replies lost'],
  'reply-slow': ['reply late', 'replies late'],
  kill: ['worker killed', 'workers killed'],
  'ledger-restarted': ['ledger restarted', 'ledger restarts'],
  'ledger-wiped': ['ledger wiped', 'ledger wipes'],
  'queue-restarted': ['queue restarted', 'queue restarts'],
  'queue-wiped': ['queue wiped', 'queue wipes'],
  'kill-producer': ['producer killed', 'producers killed'],
};

/** What fired by kind, whatever call it was done to, the most frequent first. `kills`: those to be told one by one, with their moments. */
export function firedWords(faults: readonly FaultCoverage[], kills: RunResult['kills']): string {
  const told = kills.length <= MOST ? kills : [];
  const parts = firedKinds(faults).flatMap(([kind, fired]) => {
    if (kind !== 'kill') return [kindWords(kind, fired)];
    const others = fired - told.length;
    return [...told.map(killWords), ...(others > 0 ? [kindWords(kind, others)] : [])];
  });
  const shown = parts.length > MOST ? [...parts.slice(0, MOST), `${parts.length - MOST} more`] : parts;
  return shown.join(', ');
}

function firedKinds(faults: readonly FaultCoverage[]): [kind: string, fired: number][] {
  const sums = new Map<string, number>();
  for (const { kind, fired } of faults) {
    const name = kind.split(' ')[0] ?? kind;
    if (fired > 0) sums.set(name, (sums.get(name) ?? 0) + fired);
  }
  return [...sums].sort(([, a], [, b]) => b - a);
}

function kindWords(kind: string, fired: number): string {
  const words = Object.hasOwn(WORDS, kind) ? WORDS[kind] : undefined;
  return words === undefined ? `${count(fired)} ${kind}` : plural(fired, ...words);
}

function killWords({ at, worker, phase }: RunResult['kills'][number]): string {
  return `${worker} killed at acceptance ${count(at)} (${phase})`;
}
