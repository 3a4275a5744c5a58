import { isSendonceError, SendonceError, type ErrorCode } from '@sendonce/core';
import { nearest } from './nearest.ts';

/** Exit codes of every command (docs/reference/simulate.md). */
export const EXIT = {
  pass: 0,
  safety: 1,
  usage: 2,
  liveness: 3,
  inconclusive: 4,
  nondeterminism: 5,
  selfTest: 6,
  internal: 70,
  output: 74,
  interrupted: 130,
} as const;

/** Mistakes in what the user gave us; anything else that is thrown is our own fault. */
const USAGE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'CONFIG_INVALID',
  'CONFIG_FILE_INVALID',
  'OPTION_INVALID',
  'CHANNEL_UNKNOWN',
  'DATA_INVALID',
  'DATA_UNSERIALIZABLE',
  'DELIVERY_NOT_FOUND',
  'DRIVER_MISSING',
  'FLAG_INVALID',
  'KEY_MISSING',
  'MODULE_INVALID',
  'NOTIFICATION_CONFLICT',
  'PLAN_INVALID',
  'RECIPIENTS_FILE_INVALID',
  'RECIPIENTS_MISSING',
  'STORE_NOT_EMPTY',
  'TYPE_UNKNOWN',
]);

export interface CommandError {
  readonly exitCode: number;
  /** For stderr. */
  readonly text: string;
  /** For stdout under `--json`: there is one object whatever happens. */
  readonly json: {
    readonly schema: 'sendonce.error/1';
    readonly error: { readonly code: string; readonly message: string; readonly docs: string | null };
  };
}

/** What a command says about anything that it throws. `flags`: the names it knows, without the dashes. `command`: its own name; null: there is no such command. */
export function commandError(
  thrown: unknown,
  flags: readonly string[],
  command: string | null = 'simulate',
): CommandError {
  const error = usageError(thrown, flags) ?? thrown;
  if (!isSendonceError(error)) return internalError(error);
  const { code, message, docs } = error;
  const all = command === null ? 'All commands: npx notify --help' : `All flags: npx notify ${command} --help`;
  const help = code === 'FLAG_INVALID' ? `\n  ${all}` : '';
  return {
    exitCode: exitCodeOf(code),
    text: `Error ${code}: ${message}\n  See ${docs}${help}\n`,
    json: { schema: 'sendonce.error/1', error: { code, message, docs } },
  };
}

function exitCodeOf(code: ErrorCode): number {
  if (code === 'DETERMINISM_VIOLATION') return EXIT.nondeterminism;
  if (code === 'OUTPUT_FAILED') return EXIT.output;
  return USAGE.has(code) ? EXIT.usage : EXIT.internal;
}

function internalError(thrown: unknown): CommandError {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const stack = thrown instanceof Error ? (thrown.stack ?? message) : message;
  return {
    exitCode: EXIT.internal,
    text: `Error INTERNAL: ${message}\n  This is a fault of notify itself, not of your configuration. Please report it with these lines:\n${stack}\n`,
    json: { schema: 'sendonce.error/1', error: { code: 'INTERNAL', message, docs: null } },
  };
}

/** Somebody did not wait for a schedule to end; `more` is a sentence about what kept it. */
export function interrupted(more: string): CommandError {
  const message = `interrupted before the schedule under way came to its end: nothing is known about it.${more}`;
  return {
    exitCode: EXIT.interrupted,
    text: `${message[0]?.toUpperCase()}${message.slice(1)}\n`,
    json: { schema: 'sendonce.error/1', error: { code: 'INTERRUPTED', message, docs: null } },
  };
}

/** The mistakes that oclif finds before a command runs, in our words. */
function usageError(thrown: unknown, flags: readonly string[]): SendonceError | null {
  if (!(thrown instanceof Error) || !('oclif' in thrown)) return null;
  const unknown = 'flags' in thrown && Array.isArray(thrown.flags) ? (thrown.flags as string[]) : [];
  if (unknown.length > 0)
    return new SendonceError('FLAG_INVALID', unknown.map((flag) => unknownFlag(flag, flags)).join('\n  '));
  if ('args' in thrown && Array.isArray(thrown.args)) {
    const missing = (thrown.args as readonly unknown[]).filter(isArgument);
    if (missing.length > 0)
      return new SendonceError(
        'FLAG_INVALID',
        missing.map(({ name, description }) => `${name.toUpperCase()} is missing: ${description}`).join('\n  '),
      );
    const given = thrown.args.map((word) => JSON.stringify(word)).join(', ');
    return new SendonceError('FLAG_INVALID', `${given} belongs to no flag: every value follows its --flag`);
  }
  return new SendonceError('FLAG_INVALID', thrown.message.split('\n')[0] ?? thrown.message, { cause: thrown });
}

/** What oclif tells of an argument that has to be given and was not; of one too much it tells the word. */
function isArgument(given: unknown): given is { readonly name: string; readonly description: string } {
  return typeof given === 'object' && given !== null && 'name' in given && 'description' in given;
}

function unknownFlag(given: string, flags: readonly string[]): string {
  const close = nearest(given.replace(/^-+/, ''), flags);
  return `there is no flag ${given}.${close === null ? '' : ` Did you mean --${close}?`}`;
}
