import { isSendonceError, SendonceError } from '@sendonce/core';

/** Longer than any adapter waits for a lock, shorter than a person at night, ms. */
const ANSWER_MS = 30_000;

/**
 * What the ledger answers, if it does in time.
 * @throws SendonceError LEDGER_UNAVAILABLE when it does not, or when it fails without a code of ours.
 */
export async function answering<Answer>(
  what: string,
  call: Promise<Answer>,
  answerMs: number = ANSWER_MS,
): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(unavailable(what, `no answer within ${answerMs / 1_000} s`)), answerMs);
  });
  try {
    return await Promise.race([call, late]);
  } catch (thrown) {
    if (isSendonceError(thrown)) throw thrown;
    throw unavailable(what, thrown instanceof Error ? thrown.message : String(thrown), thrown);
  } finally {
    clearTimeout(timer);
  }
}

function unavailable(what: string, problem: string, cause?: unknown): SendonceError {
  const message = `the ledger could not ${what}: ${problem}. See that its store runs and can be reached from here`;
  return new SendonceError('LEDGER_UNAVAILABLE', message, cause === undefined ? {} : { cause });
}
