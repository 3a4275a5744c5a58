import { execute } from '@oclif/core/execute';
import { settings } from '@oclif/core/settings';

/** Finds the command that the arguments name, and runs it. `entry`: the URL of a file of this package. */
export async function main(entry: string): Promise<void> {
  // Under NODE_ENV=test or development oclif would look for a TypeScript loader; what runs here is always the build.
  settings.enableAutoTranspile = false;
  await execute({ dir: entry });
}
