import { isOwn, isServer, withoutPassword } from '../real/address.ts';
import type { FlagName, SimulateFlags } from './flags.ts';

/** Flags that change only how the result is shown, or where it is left. */
const SHOWN_ONLY: ReadonlySet<FlagName> = new Set<FlagName>(['json', 'no-color', 'report', 'keep']);

/** The command that does the same again: the flags as given, and the seed that was used. */
export function againLine(flags: SimulateFlags, seed: string | null): string {
  const words = (Object.entries(flags) as [FlagName, SimulateFlags[FlagName]][])
    .filter(([name, value]) => !SHOWN_ONLY.has(name) && name !== 'seed' && value !== undefined)
    .flatMap(([name, value]) => wordsOf(name, lasting(name, value)));
  return ['npx notify simulate', ...words, ...(seed === null ? [] : [flagWords('seed', seed)])].join(' ');
}

/** A ledger's file is made by its run, and cannot be made again; a server is there for the next one. Its password is not printed. */
function lasting(name: FlagName, value: SimulateFlags[FlagName]): SimulateFlags[FlagName] {
  if ((name !== 'ledger' && name !== 'queue') || typeof value !== 'string') return value;
  if (isServer(value)) return withoutPassword(value);
  return name === 'queue' || isOwn(value) ? value : undefined;
}

function wordsOf(name: FlagName, value: SimulateFlags[FlagName]): string[] {
  if (typeof value === 'boolean') return [value ? `--${name}` : `--no-${name}`];
  const values = typeof value === 'string' ? [value] : (value ?? []);
  return values.map((text) => flagWords(name, text));
}

/** A value that begins with a dash would be read as the next flag, or as the end of them all. */
export function flagWords(name: string, text: string): string {
  return `--${name}${text.startsWith('-') ? '=' : ' '}${quoted(text)}`;
}

/** As a POSIX shell reads it. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
