import { mkdirSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { flagError } from '../flags/flag-error.ts';

/** Makes the folder that `--report` names and sees that files can be made in it, before anything is run. @throws SendonceError `FLAG_INVALID` */
export function checkReport(report: string | undefined): void {
  if (report === undefined) return;
  if (report.trim() === '') throw flagError('report', report, 'the name of a folder to write into, such as report');
  try {
    makeFolder(resolve(report));
    rmdirSync(mkdtempSync(join(report, '.notify-')));
  } catch (error) {
    throw flagError('report', report, `a folder that files can be written to; ${reasonOf(error)}`);
  }
}

/** One folder after the other: Node's own `recursive` never comes back from a place like /proc, where folders cannot be made. */
export function makeFolder(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return;
  if (stat !== undefined) throw Object.assign(new Error(path), { code: 'ENOTDIR' });
  makeFolder(dirname(path));
  mkdirSync(path);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTDIR: 'it is a file, or below one',
  EEXIST: 'it is a file, or below one',
  EACCES: 'writing there is not allowed',
  EPERM: 'writing there is not allowed',
  EROFS: 'nothing can be written there',
  ENOENT: 'no folder can be made there',
  ENOSPC: 'the disk is full',
};

export function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return REASONS[code] ?? message;
}

/** Whether it is an error of the operating system, such as ENOSPC. */
export function isRefused(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && /^E[A-Z]+$/.test((error as NodeJS.ErrnoException).code ?? '');
}
