/** Parts shared with our own packages and with ledger adapters that keep whole records. Unstable: no promise across releases. */
export * as steps from './model/steps/index.ts';
export { acceptedCount, isAccepted, isOpen, openAttempts, providerMessageId, provenState } from './model/attempts.ts';
export { checkedAddress } from './model/checked-address.ts';
export { groupBy } from './model/group-by.ts';
export { DEEPEST, frozenCopy } from './model/json.ts';
export { canonicalJson } from './model/keys.ts';
export {
  BOOLEAN_RULE,
  checkOptions,
  FUNCTION_RULE,
  isFields,
  nearestTo,
  numberRule,
  oneOfRule,
  shown,
  textRule,
} from './options.ts';
export type { Rule, Rules } from './options.ts';
export { addressRules, resolveSettings } from './settings.ts';
export { checkPort } from './settings/check-ports.ts';
export type { ResolvedType, Settings } from './settings.ts';
export { decideAfterLookup, decideUnknown } from './policy/unknown.ts';
export { nextProvider } from './policy/failover.ts';
export { retryDelayMs } from './policy/retry.ts';
export { checkPublishItem } from './stages/publish-options.ts';
export { LOOKUP_LIMIT_MS } from './stages/lookup-turns.ts';
export { changeable } from './stages/lanes.ts';
export { paced } from './stages/paced.ts';
export { settle } from './stages/settle.ts';
export { storedJson } from './stages/stored-json.ts';
export { isThenable } from './stages/thenable.ts';
export { PATIENCE } from './worker/upkeep.ts';
export { isNotificationOver } from './model/notification.ts';
