import type { Law } from './contract.ts';
import { judgingLaws } from './destinations/judging.ts';
import { racingLaws } from './destinations/racing.ts';
import { registeringLaws } from './destinations/registering.ts';
import type { DestinationsSubject } from './destinations/subject.ts';

export type { DestinationsSubject } from './destinations/subject.ts';

/** What every store of destinations promises: one owner for a device, evidence that is kept, and the newer word in force. */
export const destinationLaws: readonly Law<DestinationsSubject>[] = [...registeringLaws, ...judgingLaws, ...racingLaws];
