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
  'LEDGER_UNAVAILABLE',
  'LAW_BROKEN',
  'DETERMINISM_VIOLATION',
  'PLAN_INVALID',
  'RECIPIENTS_FILE_INVALID',
  'CONFIG_FILE_INVALID',
  'FLAG_INVALID',
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

/** The message of anything that was thrown, for reasons stored in the ledger. Bounded to 300 characters. */
export function reasonOf(thrown: unknown): string {
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return text.length > 300 ? `${text.slice(0, 297)}...` : text;
}
