export { reasonToSkip, runLaw, runLaws } from './contract.ts';
export type { Law, LawResult, LawSubject, RunLawsOptions } from './contract.ts';
export { queueLaws } from './queue.ts';
export type { QueueSubject } from './queue.ts';
export { providerCapabilities, providerLaws, SERVICE_ANSWERS } from './provider.ts';
export type { ProviderSubject, ServiceAnswer } from './provider.ts';
export { clockLaws, randomLaws } from './clock.ts';
export type { ClockSubject, RandomSubject } from './clock.ts';
