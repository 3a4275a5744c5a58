import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const notify = fileURLToPath(new URL('../../node_modules/.bin/notify', import.meta.url));
const seconds = Number(process.env.SOAK_SECONDS ?? 60);
const classes = ['security', 'document', 'transactional', 'legal', 'alert', 'marketing'];

/** Long random search over every provider model, class and way of waking; answers how many worlds failed. */
export function soakWorlds() {
  let failed = 0;
  for (const provider of ['keyed', 'lookup', 'plain'])
    for (const deliveryClass of classes)
      for (const queue of ['simulated', 'none']) {
        const seed = `soak-${Date.now()}`;
        const args = [
          'simulate',
          '--recipients',
          '200',
          '--for',
          `${seconds}s`,
          '--faults',
          'all',
          '--provider',
          provider,
          '--class',
          deliveryClass,
          '--queue',
          queue,
          '--seed',
          seed,
        ];
        const { status, stdout } = spawnSync(notify, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
        console.log(
          `${status === 0 ? 'ok    ' : `exit ${status}`} ${provider} ${deliveryClass} ${queue} --seed ${seed}`,
        );
        if (status === 0) continue;
        failed += 1;
        console.log(stdout);
      }
  return failed;
}
