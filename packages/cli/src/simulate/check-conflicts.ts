import { SendonceError } from '@sendonce/core';
import type { FlagName, SimulateFlags } from './flags.ts';

const OUTPUT: readonly FlagName[] = ['json', 'no-color', 'report'];

/** Flags that leave no room for most others: what may stand beside them, and why nothing else. */
const ALONE: readonly { readonly flag: FlagName; readonly beside: readonly FlagName[]; readonly why: string }[] = [
  {
    flag: 'self-test',
    beside: ['seed', 'json', 'no-color'],
    why: 'it runs every known-bad sender in a world of its own',
  },
  {
    flag: 'replay',
    beside: ['recipients-file', 'config', 'real', 'ledger', 'queue', 'keep', ...OUTPUT],
    why: 'the plan says everything else',
  },
];

interface Pair {
  readonly one: FlagName;
  readonly other: FlagName;
  readonly why: string;
  /** Beside this flag the two mean different things. */
  readonly unless?: FlagName;
}

const PAIRS: readonly Pair[] = [
  // With a config the file is for the types without a route, and the number is that of examples for the others.
  { one: 'recipients-file', other: 'recipients', why: 'the file says how many there are', unless: 'config' },
  { one: 'queue', other: 'no-queue', why: 'either there is one or there is none' },
  { one: 'schedules', other: 'for', why: 'either a number of schedules or a time ends the run' },
  { one: 'config', other: 'class', why: 'the types of the config bring their own' },
  { one: 'config', other: 'on-unknown', why: 'the types of the config bring their own' },
  { one: 'config', other: 'provider', why: 'the config brings its own providers' },
  { one: 'config', other: 'break', why: 'a known-bad sender has no types of its own' },
];

/** @throws SendonceError `FLAG_INVALID` for flags that contradict each other. */
export function checkConflicts(flags: SimulateFlags): void {
  const given = (Object.keys(flags) as FlagName[]).filter((name) => flags[name] !== undefined);
  for (const { flag, beside, why } of ALONE) {
    const tooMany = given.includes(flag) ? given.filter((name) => name !== flag && !beside.includes(name)) : [];
    if (tooMany.length > 0) throw conflict([flag, ...tooMany], why);
  }
  for (const { one, other, why, unless } of PAIRS) {
    if (unless !== undefined && given.includes(unless)) continue;
    if (given.includes(one) && given.includes(other)) throw conflict([one, other], why);
  }
}

function conflict([flag, ...others]: readonly FlagName[], why: string): SendonceError {
  const names = others.map((name) => `--${name}`).join(', ');
  return new SendonceError('FLAG_INVALID', `--${flag} does not go with ${names}: ${why}. Leave one of them out.`);
}
