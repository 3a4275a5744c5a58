/** Every code an error of ours can carry. Each has a section of the same name in docs/reference/errors.md. */
export const ERROR_CODES = [
  'CONFIG_INVALID',
  'OPTION_INVALID',
  'TYPE_UNKNOWN',
  'KEY_MISSING',
  'DATA_INVALID',
  'DATA_UNSERIALIZABLE',
  'NOTIFICATION_CONFLICT',
  'NOTIFICATION_SEALED',
  'PUBLISH_INTERRUPTED',
  'RECIPIENTS_MISSING',
  'CHANNEL_UNKNOWN',
  'DELIVERY_NOT_FOUND',
  'NOTIFIER_CLOSED',
  'WORKER_USED',
  'LEDGER_UNAVAILABLE',
  'LEDGER_LOCKED',
  'LEDGER_FULL',
  'LEDGER_READ_ONLY',
  'LEDGER_CORRUPT',
  'LEDGER_NEWER',
  'LEDGER_NOT_MIGRATED',
  'LEDGER_REFUSED',
  'QUEUE_UNAVAILABLE',
  'DESTINATIONS_UNAVAILABLE',
  'DESTINATIONS_NOT_MIGRATED',
  'DRIVER_MISSING',
  'LAW_BROKEN',
  'DETERMINISM_VIOLATION',
  'PLAN_INVALID',
  'RECIPIENTS_FILE_INVALID',
  'CONFIG_FILE_INVALID',
  'MODULE_INVALID',
  'STORE_NOT_EMPTY',
  'FLAG_INVALID',
  'OUTPUT_FAILED',
  'HARNESS_FAILED',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** The only error class of ours: what happened, which value, what to do, and a code that is stable across releases. */
export class SendonceError extends Error {
  readonly code: ErrorCode;
  /** The section of docs/reference/errors.md that explains this code. */
  readonly docs: string;

  constructor(code: ErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'SendonceError';
    this.code = code;
    this.docs = `docs/reference/errors.md#${code.toLowerCase()}`;
  }
}

/** True for an error of ours, and of this code when one is given. Compares fields, so it holds across duplicate installs. */
export function isSendonceError(error: unknown, code?: ErrorCode): error is SendonceError {
  if (typeof error !== 'object' || error === null || !('code' in error) || !('name' in error)) return false;
  return error.name === 'SendonceError' && (code === undefined || error.code === code);
}

/** How much of what was thrown or answered is kept, characters. */
const LONGEST_REASON = 300;
/** Names of fields that tell what an object is that has no message. */
const FIELDS_TOLD = 5;

/**
 * What anything that was thrown or answered says of itself, for reasons stored in the ledger: its message, or what it is where it has
 * none. Never throws, whatever it is given: a symbol, an object without a prototype, a getter or a proxy that throws. One line of at
 * most 300 characters, in text that every store can keep (no control characters, no halves of characters).
 */
export function reasonOf(thrown: unknown): string {
  let said: string;
  try {
    said = wordsOf(thrown);
  } catch {
    said = `${typeof thrown === 'function' ? 'a function' : 'an object'} that cannot be read`;
  }
  const text = said.length > LONGEST_REASON ? `${said.slice(0, LONGEST_REASON - 3)}...` : said;
  return text.replace(/[\p{Cc}\p{Cs}]/gu, ' ');
}

function wordsOf(thrown: unknown): string {
  if (thrown === '') return 'an empty text';
  if (typeof thrown === 'bigint') return `${thrown}n`;
  if (typeof thrown === 'function') return 'a function';
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  const { message, name } = thrown as { readonly message?: unknown; readonly name?: unknown };
  // Not `instanceof`: an error of another realm or of another library is an error too.
  if (typeof message === 'string') return `${typeof name === 'string' ? name : 'Error'}: ${message}`;
  if (Array.isArray(thrown)) return `a list of ${thrown.length}`;
  const fields = Object.keys(thrown);
  const told = fields.slice(0, FIELDS_TOLD).join(', ');
  return fields.length === 0
    ? 'an object without fields'
    : `an object with ${told}${fields.length > FIELDS_TOLD ? ', ...' : ''}`;
}
