import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { invalid } from '../options.ts';

/**
 * Whether the SDK can find a region, so that a missing one is met here and not by every mail. A file of profiles counts as one that may name
 * it: what is in it the SDK reads when it signs.
 * @throws SendonceError OPTION_INVALID
 */
export function checkRegion(
  who: string,
  region: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
  exists: (file: string) => boolean = existsSync,
): void {
  if (region !== undefined || (env['AWS_REGION'] ?? '') !== '') return;
  const files = [
    env['AWS_CONFIG_FILE'] ?? join(homedir(), '.aws', 'config'),
    env['AWS_SHARED_CREDENTIALS_FILE'] ?? join(homedir(), '.aws', 'credentials'),
  ];
  if (files.some(exists)) return;
  invalid(
    `${who}: region is missing: it is not given, AWS_REGION is not set, and there is no ${env['AWS_CONFIG_FILE'] ?? '~/.aws/config'} that could name it; give the region whose SES sends for you, such as region: 'eu-west-1'`,
  );
}
