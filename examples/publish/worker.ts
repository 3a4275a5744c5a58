import { createNotifier } from '@sendonce/core';
import config from '../first-notifier/notify.config.ts';

// #region worker
const stop = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort());

const notifier = createNotifier(config);
const worker = notifier.worker({ concurrency: 20 });
await worker.run({ signal: stop.signal }); // resolves when what was marked has been sent and settled
await notifier.close();
// #endregion
