export { KILL_MOMENTS, PHASES, PROVIDER_MODELS } from './plan.ts';
export type * from './plan.ts';
export type * from './history.ts';
export { CLASSES_OF_END } from './result.ts';
export type * from './result.ts';
export * from './report/index.ts';
