import { runKeeper } from './servers/keeper.ts';

// The process that keeps a server of `notify simulate --real` alive as long as the run.
runKeeper();
