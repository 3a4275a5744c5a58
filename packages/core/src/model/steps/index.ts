export { claim, POISON_LAPSES, release, renew, SUSPECT_ROOM, suspicion } from './claim.ts';
export { cancel } from './cancel.ts';
export { witness } from './evidence.ts';
export { holdOfDelivery, holdOfNotification, tombstone, type Kept } from './forget.ts';
export { isCovered, mark, type MarkFacts } from './mark.ts';
export { RefusedMove } from './move.ts';
export {
  afterPage,
  claimNotification,
  newDelivery,
  newNotification,
  releaseNotification,
  wantsWork,
} from './notification.ts';
export { reconcile } from './reconcile.ts';
export { replay } from './replay.ts';
export { settle } from './settle.ts';
export { lapse, presume } from './sweep.ts';
