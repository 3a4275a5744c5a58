export { memoryLedger } from './ledger.ts';
export type {
  AmnesiaReport,
  AmnesiaRequest,
  MemoryLedger,
  MemoryLedgerControl,
  MemoryLedgerOptions,
} from './ledger.ts';
export { memoryQueue } from './queue.ts';
export type { MemoryQueue, MemoryQueueOptions } from './queue.ts';
export { memoryProvider, PROVIDER_MODELS } from './provider.ts';
export type {
  MailboxItem,
  MemoryProvider,
  MemoryProviderOptions,
  ProviderAnswer,
  ProviderCall,
  ProviderModel,
} from './provider.ts';
export { memoryDestinations } from './destinations.ts';
export type { MemoryDestinationsOptions } from './destinations.ts';
export { manualClock } from './clock.ts';
export type { ManualClock, ManualClockOptions } from './clock.ts';
export { seededRandom } from './random.ts';
