export { INVARIANTS, LATER } from './all.ts';
export { createJudge, type Judge, type Judgement, type JudgeOptions } from './judge.ts';
export {
  policyFacts,
  type Addressee,
  type JudgeContext,
  type JudgeKnobs,
  type PolicyFacts,
  type ProviderFacts,
} from './context.ts';
export {
  finalDelivery,
  type EndFacts,
  type FinalDelivery,
  type LivenessFacts,
  type MailboxEntry,
  type NotMade,
} from './facts.ts';
export type { SeenMove } from './states.ts';
