export { blockScopes } from './block-scopes.ts';
export { evidenceKeys, keyOfEvidence, messageKey } from './evidence-keys.ts';
export { epochs, newEpoch } from './epochs.ts';
export type { Epochs, SavedEpoch } from './epochs.ts';
export { notificationWorkAt, openOf, watchAt, workAt } from './due-at.ts';
export { guarded } from './guarded.ts';
export { recordLedger } from './ledger.ts';
export { enter } from './reckoning.ts';
export type * from './store.ts';
