import { readFile } from 'node:fs/promises';
import type { PlanFile } from '@sendonce/chaos';
import { isSendonceError, SendonceError } from '@sendonce/core';
import { isStored, NOT_STORED } from './is-stored.ts';

/**
 * Reads a plan and checks all of it before anything runs.
 *
 * @throws SendonceError `PLAN_INVALID` naming the file, the place in it, what came and what is allowed.
 */
export async function readPlan(file: string): Promise<PlanFile> {
  const json = parse(file, await read(file));
  const { parsePlanFile } = await import('@sendonce/chaos');
  return named(file, () => parsePlanFile(json));
}

/** What is wrong with a plan is said with its file, whenever it is found. @throws what `use` throws */
export async function named<Result>(file: string, use: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    if (!isSendonceError(error, 'PLAN_INVALID')) throw error;
    throw new SendonceError('PLAN_INVALID', `${file}: ${error.message}`, { cause: error });
  }
}

async function read(file: string): Promise<string> {
  if (!isStored(file)) throw new SendonceError('PLAN_INVALID', `${file}: ${NOT_STORED}`);
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
    // Editors on Windows begin a file with a byte order mark, which is no JSON.
    return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
  } catch (error) {
    throw new SendonceError('PLAN_INVALID', `${file}: is not JSON: ${(error as Error).message}`, { cause: error });
  }
}
