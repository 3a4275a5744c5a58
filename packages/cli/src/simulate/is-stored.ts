import { statSync } from 'node:fs';

/** Why a file must be one, for a message. */
export const NOT_STORED = 'this is a pipe or a device and no file; store what it gives in a file first';

/** A pipe or a device may never answer, and a process whose read never ends hears no signal and cannot even exit. What is not there is for its reader to say. */
export function isStored(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined || stat.isFile() || stat.isDirectory();
}
