import { existsSync } from 'node:fs';
import { SendonceError } from '@sendonce/core';

const NAMES = ['notify.config.ts', 'notify.config.js', 'notify.config.mjs'];

/**
 * The config file that was named, else the one of this folder.
 * @throws SendonceError CONFIG_FILE_INVALID when there is none.
 */
export function findConfig(given: string | undefined): string {
  const file = given ?? NAMES.find((name) => existsSync(name));
  if (file !== undefined) return file;
  throw new SendonceError(
    'CONFIG_FILE_INVALID',
    `there is no ${NAMES.join(', ')} in ${process.cwd()}; go to the folder that has one, or name it with --config FILE`,
  );
}
