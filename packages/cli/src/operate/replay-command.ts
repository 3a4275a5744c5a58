import { isDeadLetter, type DeliveryRecord } from '@sendonce/core';

/** The words of the command that sends it again, whatever state of dead letter it is in. */
export function replayCommand({ id, state }: Pick<DeliveryRecord, 'id' | 'state'>): string {
  return `replay-dlq ${id}${isDeadLetter(state) && state !== 'dead' ? ` --include ${state}` : ''}`;
}
