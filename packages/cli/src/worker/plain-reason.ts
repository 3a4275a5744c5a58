/** What a library calls its kind of error means nothing to whoever reads that a worker is in trouble: `SqliteError: disk I/O error`. */
const KIND = /^(?:[A-Z_$][\w$]*)?(?:Error|Exception): +/;

/** A reason without the names of classes that it begins with, unless there is nothing behind them. */
export function plainReason(reason: string): string {
  const rest = reason.replace(KIND, '');
  return rest === reason || rest === '' ? reason : plainReason(rest);
}
