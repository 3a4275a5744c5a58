import { SendonceError } from '@sendonce/core';
import { parseQueue } from '../flags/parse-queue.ts';
import type { FlagName, SimulateFlags } from '../simulate/flags.ts';

const NOT_FOR_REAL: Partial<Record<FlagName, string>> = {
  config: 'the providers of a config would really send; its types run in virtual time, without --real',
  faults:
    'it draws faults that only virtual time can show; real processes are struck by --kill-at, --drop-acks, --break or a plan (--replay)',
  schedules: 'a real run is one schedule; run it again for another',
  for: 'a real run is one schedule; run it again for another',
  'self-test': 'it searches, which takes virtual time; --real --break NAME shows one sender',
};

const ONLY_FOR_REAL: readonly FlagName[] = ['ledger', 'keep', 'restart', 'wipe'];

/** @throws SendonceError `FLAG_INVALID` for flags that mean nothing with `--real`, or nothing without it. */
export function checkRealFlags(flags: SimulateFlags): void {
  const queue = parseQueue(flags.queue, flags['no-queue'] === true);
  if (flags.replay !== undefined && queue !== null && queue.kind !== 'server')
    throw new SendonceError(
      'FLAG_INVALID',
      `--replay does not go with --queue ${queue.kind}: whether there is a queue, the plan says; with --real an address says where`,
    );
  if (flags.real !== true) {
    if (queue?.kind === 'server')
      throw new SendonceError('FLAG_INVALID', '--queue with an address needs --real: a virtual run opens no server');
    const lonely = ONLY_FOR_REAL.find((name) => flags[name] !== undefined);
    if (lonely === undefined) return;
    throw new SendonceError(
      'FLAG_INVALID',
      `--${lonely} needs --real: a virtual run has no ledger on a disk and no server`,
    );
  }
  for (const [name, why] of Object.entries(NOT_FOR_REAL) as [FlagName, string][])
    if (flags[name] !== undefined && flags[name] !== false)
      throw new SendonceError('FLAG_INVALID', `--real does not go with --${name}: ${why}`);
}
