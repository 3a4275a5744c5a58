import { isSendonceError, SendonceError, type ErrorCode } from '@sendonce/core';

/** What is told as it is: the parts below speak of a ledger. */
const OUR_OWN: readonly ErrorCode[] = ['OPTION_INVALID', 'DRIVER_MISSING', 'DESTINATIONS_NOT_MIGRATED'];

/** @throws SendonceError DESTINATIONS_UNAVAILABLE for whatever `work` throws, but for what the caller can mend. */
export async function told<T>(who: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (OUR_OWN.some((code) => isSendonceError(error, code))) throw error;
    const said = error instanceof Error ? error.message : String(error);
    throw new SendonceError('DESTINATIONS_UNAVAILABLE', `${who}: ${said}`, { cause: error });
  }
}
