import type { CoverageData } from './coverage.ts';
import type { RunResult } from './result.ts';

/** A plan that was kept because of what it shows, and does not show it. */
export function unexpected({ violations }: RunResult, expect: string | undefined): readonly string[] {
  if (expect === undefined || expect === 'pass' || violations.some(({ invariant }) => invariant === expect)) return [];
  const broken = [...new Set(violations.map(({ invariant }) => invariant))];
  const instead = broken.length === 0 ? 'nothing was broken' : `${broken.join(', ')} was broken instead`;
  return [
    `the plan expects ${expect}, and ${instead}: if that is mended, set its expect to "pass"; else run it with the version, the config and the recipients that it was found with`,
  ];
}

/** Kinds that were armed often and never fired in a search that is large enough to tell. */
export function neverFired({ faults }: CoverageData): readonly string[] {
  const kinds = new Map<string, { armed: number; fired: number }>();
  for (const { kind, armed, fired } of faults) {
    const sum = kinds.get(kind) ?? { armed: 0, fired: 0 };
    kinds.set(kind, { armed: sum.armed + armed, fired: sum.fired + fired });
  }
  return [...kinds]
    .filter(([, { armed, fired }]) => armed >= 100 && fired === 0)
    .map(([kind, { armed }]) => `${kind} was armed ${armed} times and never fired`);
}
