import type { Law } from './contract.ts';
import { queueDeliveringLaws } from './queue/delivering.ts';
import { queueHidingLaws } from './queue/hiding.ts';
import type { QueueSubject } from './queue/subject.ts';

export type { QueueSubject } from './queue/subject.ts';

/** What every queue promises. Empty receives, repeats and any order are allowed; losing or resurrecting a message is not. */
export const queueLaws: readonly Law<QueueSubject>[] = [...queueDeliveringLaws, ...queueHidingLaws];
