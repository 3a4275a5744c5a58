import { isSendonceError, SendonceError } from '@sendonce/core';
import { shown } from '@sendonce/core/internal';
import { importFile } from '../config-file/load-config.ts';
import { flagWords } from '../simulate/again.ts';
import { subjectOf } from './subject-of.ts';
import type { PortName, Suite } from './suite.ts';
import { thrownWords } from './thrown-words.ts';

const NOTHING = (): Promise<void> => Promise.resolve();

/**
 * The suite of a module whose default export makes an adapter.
 * @throws SendonceError MODULE_INVALID: no such file, it cannot be loaded, or has no function as its default export.
 */
export async function fromModule(port: PortName, file: string): Promise<Suite> {
  const exported = await imported(file);
  const maker = exported['default'];
  if (!isMaker(maker)) {
    const seen = maker === undefined ? 'has no default export' : `exports ${shown(maker)} as its default`;
    throw new SendonceError(
      'MODULE_INVALID',
      `${file}: ${seen}; write \`export default () => ...\`, a function that makes a new, empty ${port} each time: every law runs on one of its own`,
    );
  }
  return ownSuite({ port, file, flags: flagWords(port, file), what: `the default export of ${file}`, maker });
}

/** A function of the user's own, called without anything. */
export type Maker = () => unknown;

export function isMaker(given: unknown): given is Maker {
  return typeof given === 'function';
}

export interface OwnMaker {
  readonly port: PortName;
  readonly file: string;
  readonly flags: string;
  /** How an error names the function. */
  readonly what: string;
  readonly maker: Maker;
}

/** The suite of a function of the user's own. */
export function ownSuite({ port, file, flags, what, maker }: OwnMaker): Suite {
  return {
    port,
    from: file,
    flags,
    isOwn: true,
    async make() {
      let made: unknown;
      try {
        made = await maker();
      } catch (thrown) {
        // An adapter's own words about its options or its server say more.
        const code = isSendonceError(thrown) ? `${thrown.code}: ` : '';
        throw new SendonceError('MODULE_INVALID', `${what} threw ${code}${thrownWords(thrown)}`, { cause: thrown });
      }
      return subjectOf(port, made, what);
    },
    close: NOTHING,
  };
}

async function imported(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await importFile(file);
  } catch (error) {
    if (!isSendonceError(error, 'CONFIG_FILE_INVALID')) throw error;
    throw new SendonceError('MODULE_INVALID', error.message, { cause: error });
  }
}
