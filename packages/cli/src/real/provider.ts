import { runProviderProcess } from '@sendonce/chaos/processes';

// The provider process of `notify simulate --real`: the fake providers, their mailbox, and the queue.
await runProviderProcess();
