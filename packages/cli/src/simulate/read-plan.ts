import { readFile } from 'node:fs/promises';
import type { PlanFile } from '@sendonce/chaos';
import { SendonceError } from '@sendonce/core';

/**
 * Reads a plan for `--replay`; what its faults and its setup mean is for the harness to check.
 *
 * @throws SendonceError `PLAN_INVALID` when the file cannot be read or is no plan.
 */
export async function readPlan(file: string): Promise<PlanFile> {
  const plan = parse(file, await read(file));
  const problem = problemOf(plan);
  if (problem !== null) throw new SendonceError('PLAN_INVALID', `${file}: ${problem}`);
  return plan as PlanFile;
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = missing ? 'there is no such file' : (error as Error).message;
    throw new SendonceError('PLAN_INVALID', `${file}: ${reason}`, { cause: error });
  }
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new SendonceError('PLAN_INVALID', `${file}: is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

function problemOf(plan: unknown): string | null {
  if (typeof plan !== 'object' || plan === null) return 'a plan is a JSON object';
  const { schema, seed, setup, faults } = plan as Partial<Record<keyof PlanFile, unknown>>;
  if (schema !== 'sendonce.plan/1')
    return `its schema is ${JSON.stringify(schema)}; this version reads "sendonce.plan/1"`;
  if (typeof seed !== 'string') return 'it has no seed';
  if (typeof setup !== 'object' || setup === null) return 'it has no setup';
  return Array.isArray(faults) ? null : 'it has no list of faults';
}
