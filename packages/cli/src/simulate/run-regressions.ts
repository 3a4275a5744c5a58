import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlanFile, SimulateReport } from '@sendonce/chaos';
import { readPlan } from './read-plan.ts';

/** Plans that failed once, kept by the user below the folder that `notify` runs in. */
export const REGRESSIONS = join('sim', 'regressions');

export interface Regressions {
  /** Plans that were run. */
  readonly plans: number;
  /** The first one that fails (again), with its file. */
  readonly failed: { readonly file: string; readonly report: SimulateReport } | null;
}

/**
 * Runs every plan of a folder (null: none), in the order of their names, until one fails. The real worker has to pass whatever the plan
 * expected when it was found; a plan with a known-bad sender has to end as it says.
 */
export async function runRegressions(
  folder: string | null,
  replay: (plan: PlanFile, file: string) => Promise<SimulateReport>,
): Promise<Regressions> {
  if (folder === null) return { plans: 0, failed: null };
  const files = (await namesIn(folder)).filter((name) => name.endsWith('.plan.json')).sort();
  for (const [index, name] of files.entries()) {
    const file = join(folder, name);
    const plan = await readPlan(file);
    // What the real worker did when the plan was found is what it shall not do any more.
    const report = await replay(plan.setup.sender === null ? { ...plan, expect: 'pass' } : plan, file);
    if (!isExpected(plan, report)) return { plans: index + 1, failed: { file, report } };
  }
  return { plans: files.length, failed: null };
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}

function isExpected({ setup, expect = 'pass' }: PlanFile, { verdict, result }: SimulateReport): boolean {
  if (setup.sender === null || expect === 'pass') return verdict === 'pass';
  return result.violations.some(({ invariant }) => invariant === expect);
}
