import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SendonceError, type Ledger } from '@sendonce/core';
import { block } from './words.ts';

type Place = Pick<Ledger, 'capabilities'>;

/** Which ledger it is, where that is a file: what a person compares who sees an empty one. */
export function ledgerBlock({ capabilities }: Place): string[] {
  return block('ledger', capabilities.file === null ? [] : [capabilities.file]);
}

/** The same within a sentence: `, ledger /srv/app/sendonce.db`. */
export function ledgerWords({ capabilities }: Place): string {
  return capabilities.file === null ? '' : `, ledger ${capabilities.file}`;
}

/**
 * Whoever only looks must not make the file, and take the empty one for theirs. `config`: the file that names the ledger.
 * @throws SendonceError LEDGER_UNAVAILABLE
 */
export function checkLedgerExists({ capabilities: { file } }: Place, config: string): void {
  if (file === null || existsSync(file)) return;
  const home = dirname(resolve(config));
  const elsewhere =
    home === process.cwd()
      ? ''
      : ', or it is looked for in the wrong folder: a relative path is one of the folder in which a command runs. ' +
        `The folder of the config is ${home}: run from there, or give an absolute path`;
  throw new SendonceError(
    'LEDGER_UNAVAILABLE',
    `there is no ledger at ${file}; nothing was published into it yet${elsewhere}`,
  );
}
