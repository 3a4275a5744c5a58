import type { FaultKind, RangeOf } from './kind.ts';
import { callOf } from './kind.ts';
import type { Component } from './kind.ts';
import type { Op } from './ops.ts';
import { asItSays, atOnce } from './lengths.ts';
import { beyondLease, shortly } from './ranges.ts';

export interface Way {
  readonly component: Component;
  readonly ops: readonly Op[];
  /** The other side, in a sentence. */
  readonly peer: string;
  /** How late a request may be. */
  readonly slowMs?: RangeOf;
}

/** What can happen to any call on its way, whatever it is about. */
export function networkFaults({ component, ops, peer, slowMs = beyondLease }: Way): readonly FaultKind[] {
  const base = { component, ops, amount: null };
  const once = { ...base, ms: null, lastsMs: atOnce };
  return [
    {
      ...once,
      do: 'request-lost',
      phases: ['B'],
      means: `the request never reaches ${peer}; the caller hears nothing and gives up`,
      strike: (strike) => void (callOf(strike).requestLost = true),
    },
    {
      ...once,
      do: 'reply-lost',
      phases: ['A'],
      means: `${peer} did it, and the reply is lost; the caller hears nothing and gives up`,
      strike: (strike) => void (callOf(strike).replyLost = true),
    },
    {
      ...base,
      do: 'slow',
      phases: ['D'],
      ms: slowMs,
      lastsMs: asItSays,
      means: `the request reaches ${peer} that much later`,
      strike: (strike) => void (callOf(strike).extraRequestMs += strike.ms),
    },
    {
      ...base,
      do: 'reply-slow',
      phases: ['D'],
      ms: beyondLease,
      lastsMs: asItSays,
      means: `${peer} does it in time, and the reply arrives that much later`,
      strike: (strike) => void (callOf(strike).extraReplyMs += strike.ms),
    },
    {
      ...base,
      do: 'twice',
      phases: ['2'],
      ms: shortly,
      lastsMs: asItSays,
      means: `a copy of the request reaches ${peer} that much later, as from a client that sends again after a reconnect`,
      strike: (strike) => void (callOf(strike).copyAfterMs = strike.ms),
    },
  ];
}

/** The other side says no, and did nothing. */
export function errorFault({ component, ops, peer }: Way, error: string): FaultKind {
  return {
    do: 'error',
    component,
    ops,
    phases: ['E'],
    ms: null,
    amount: null,
    lastsMs: atOnce,
    means: `${peer} refuses the call and says so: ${error}`,
    strike: (strike) => callOf(strike).refuse({ kind: 'error', error: new Error(error) }),
  };
}
