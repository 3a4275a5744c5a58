import { SendonceError } from '@sendonce/core';

/**
 * What an address needs, loaded now: `who` needs the package of that name.
 * @throws SendonceError DRIVER_MISSING when it is not installed. One that breaks as it loads keeps its own error.
 */
export async function driver<Library>(who: string, name: string, find: () => Promise<Library>): Promise<Library> {
  try {
    return await find();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new SendonceError('DRIVER_MISSING', `${who} needs the '${name}' package; run: npm install ${name}`, {
      cause,
    });
  }
}
