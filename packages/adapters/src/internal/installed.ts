import { SendonceError } from '@sendonce/core';

/** What Node says of a package that is not there: to `require`, and to `import`. */
const ABSENT: readonly unknown[] = ['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'];

/**
 * Loads a package of others; `message` ends with the line that installs it.
 * @throws SendonceError DRIVER_MISSING when it is not installed. One that breaks as it loads keeps its own error.
 */
export function installed<Library>(find: () => Library, message: string): Library {
  try {
    return find();
  } catch (error) {
    throw asked(error, message);
  }
}

/** The same for what is imported when it is first used, so that a bundler sees it. */
export function imported<Library>(find: () => Promise<Library>, message: string): () => Promise<Library> {
  let library: Promise<Library> | null = null;
  return () =>
    (library ??= find().catch((error: unknown) => {
      // Installed meanwhile, it is found by the next call.
      library = null;
      throw asked(error, message);
    }));
}

function asked(error: unknown, message: string): unknown {
  if (!ABSENT.includes((error as NodeJS.ErrnoException).code)) return error;
  return new SendonceError('DRIVER_MISSING', message, { cause: error });
}
