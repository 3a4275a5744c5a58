import type { Hook } from '@oclif/core/hooks';
import { SendonceError } from '@sendonce/core';
import { commandError } from '../command-error.ts';
import { nearest } from '../nearest.ts';

/** Said instead of "command x not found": what was meant, or which commands there are. */
const commandNotFound: Hook.CommandNotFound = async ({ id, argv, config }) => {
  const spoken = knownPart(id, config.commandIDs)?.replaceAll(':', ' ') ?? null;
  const { exitCode, text, json } = commandError(unknownCommand(id, config.commandIDs), [], spoken);
  process.exitCode = exitCode;
  process.stderr.write(text);
  if (argv?.includes('--json') === true) process.stdout.write(`${JSON.stringify(json, null, 2)}\n`);
};

export default commandNotFound;

/** oclif joins words by colons: `simulate 2000` comes as `simulate:2000`, a command with a value too much. */
export function unknownCommand(id: string, known: readonly string[]): SendonceError {
  const command = knownPart(id, known);
  if (command !== undefined) {
    const given = id
      .slice(command.length + 1)
      .split(':')
      .map((word) => JSON.stringify(word))
      .join(', ');
    return new SendonceError('FLAG_INVALID', `${given} belongs to no flag: every value follows its --flag`);
  }
  const spoken = known.map((name) => name.replaceAll(':', ' '));
  const close = nearest(id.replaceAll(':', ' '), spoken);
  const hint = close === null ? `Commands: ${spoken.join(', ')}.` : `Did you mean notify ${close}?`;
  return new SendonceError('FLAG_INVALID', `there is no command ${JSON.stringify(id.replaceAll(':', ' '))}. ${hint}`);
}

/** The command that somebody gave a value too much. */
function knownPart(id: string, known: readonly string[]): string | undefined {
  return known.find((name) => id.startsWith(`${name}:`));
}
