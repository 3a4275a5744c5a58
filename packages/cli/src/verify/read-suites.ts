import { findConfig } from '../operate/find-config.ts';
import { fromAddress } from './from-address.ts';
import { fromConfig } from './from-config.ts';
import { fromModule } from './from-module.ts';
import type { VerifyFlags } from './flags.ts';
import { PORT_NAMES, type Suite } from './suite.ts';

/** The adapters that the flags name. A flag of its own goes before the config; without one, the config names them. */
export async function readSuites(flags: VerifyFlags): Promise<readonly Suite[]> {
  const named = PORT_NAMES.filter((port) => flags[port] !== undefined);
  const suites: Suite[] = [];
  for (const port of named) {
    const text = flags[port] ?? '';
    suites.push(fromAddress(port, text) ?? (await fromModule(port, text)));
  }
  if (named.length > 0 && flags.config === undefined) return suites;
  const left = PORT_NAMES.filter((port) => !named.includes(port));
  return [...suites, ...(await fromConfig(findConfig(flags.config), flags.config, left))];
}
