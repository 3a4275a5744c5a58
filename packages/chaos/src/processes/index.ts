export { runProviderProcess } from './provider-process.ts';
export { runReal } from './run-real.ts';
export { SERVERS, type ServerFault, type ServerName } from './server-faults.ts';
export { realKinds } from './split-plan.ts';
export type * from './facts.ts';
export type * from './types.ts';
export { runWorkerProcess } from './worker-process.ts';
export type * from './opening.ts';
export type { Openers } from './worker-process.ts';
