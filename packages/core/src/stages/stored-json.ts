import { reasonOf, SendonceError } from '../model/errors.ts';
import { jsonCopy, NotJson } from '../model/json.ts';

/**
 * What is stored is JSON, so what is seen later is what JSON keeps; a Date arrives there as its ISO string on every backend alike. `field`
 * is where it stands in what is published, `type` the notification type.
 * @throws SendonceError DATA_UNSERIALIZABLE for what JSON would drop or change without a word.
 */
export function storedJson(
  given: unknown,
  { field, type }: { readonly field: string; readonly type: string },
): unknown {
  try {
    return jsonCopy(given ?? null, field) ?? null;
  } catch (cause) {
    throw new SendonceError(
      'DATA_UNSERIALIZABLE',
      `${field} of '${type}' cannot be stored as JSON: ${cause instanceof NotJson ? cause.message : reasonOf(cause)}; publish plain values`,
      { cause },
    );
  }
}
