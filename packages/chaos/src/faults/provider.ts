import type { Outcome } from '@sendonce/core';
import type { Send, SendScript, SimulatedProvider } from '../world/provider.ts';
import { callOf, type FaultKind, type Strike } from './kind.ts';
import { asItSays, atOnce } from './lengths.ts';
import { networkFaults } from './network.ts';
import type { Op } from './ops.ts';
import { inTransit, outage, percent, shortly } from './ranges.ts';

const SEND: readonly Op[] = ['provider.send'];
const LOOKUP: readonly Op[] = ['provider.lookup'];
const WAY = { component: 'provider', ops: [...SEND, ...LOOKUP], peer: 'the provider', slowMs: inTransit } as const;
const base = { component: 'provider', ops: SEND, ms: null, amount: null, lastsMs: atOnce } as const;

const unknown = (reason: string): Outcome => ({ kind: 'unknown', reason });

/** Everything that a provider's answer can hide, most of all that it took the message. */
export const PROVIDER_FAULTS: readonly FaultKind[] = [
  // A copy of a send would be the client's own second send: no adapter of ours makes one.
  ...networkFaults(WAY).filter((kind) => kind.do !== 'twice'),
  {
    ...base,
    do: '5xx-after-acceptance',
    phases: ['A'],
    means: 'the provider takes the message and answers with a 5xx',
    strike: (strike) => says(strike, unknown('500 Internal Server Error')),
  },
  {
    ...base,
    do: 'missing-id',
    phases: ['A'],
    means: 'the provider takes the message and answers 2xx without the id that it always sends',
    strike: (strike) => says(strike, unknown('missing-id')),
  },
  {
    ...base,
    do: 'throttle',
    phases: ['E'],
    ms: () => ({ least: 0, preset: 0, most: 600_000 }),
    lastsMs: asItSays,
    means: 'the provider answers 429, with a Retry-After of ms (0: without one), and takes nothing',
    strike: (strike) => {
      const wait = strike.ms > 0 ? { retryAfterMs: strike.ms } : {};
      script(strike, {
        kind: 'refuse',
        outcome: { kind: 'deferred', reason: '429 Too Many Requests', ...wait },
        reply: '429',
      });
    },
  },
  {
    ...base,
    do: 'reject',
    phases: ['E'],
    means: 'the provider rejects the address for good',
    strike: (strike) => script(strike, refusal('destination', '550 no such mailbox')),
  },
  {
    ...base,
    do: 'unauthorised',
    phases: ['E'],
    means: 'the provider refuses us, not the message: wrong key, quota spent',
    strike: (strike) => script(strike, refusal('provider', '401 invalid API key')),
  },
  {
    ...base,
    do: 'bounce',
    phases: ['A'],
    ms: () => ({ least: 1, preset: 30_000, most: 3_600_000 }),
    lastsMs: asItSays,
    means: 'the provider takes the message and reports a bounce later',
    strike: (strike) => {
      const outcome = outcomeOf(strike);
      if (outcome?.kind === 'accepted') strike.hands.bounce(sendOf(strike), outcome.providerMessageId, strike.ms);
    },
  },
  {
    ...base,
    do: 'key-in-progress',
    phases: ['E'],
    means: 'the provider is still at work on an earlier request with the same key (409) and takes nothing now',
    strike: (strike) =>
      script(strike, {
        kind: 'refuse',
        outcome: { kind: 'deferred', reason: '409 key in progress', retryAfterMs: 1_000 },
        reply: '409',
      }),
  },
  {
    ...base,
    do: 'key-forgotten',
    phases: ['A'],
    ms: ({ knobs }) => ({ least: knobs.keyWindowMs, preset: knobs.keyWindowMs + 1, most: 2 * knobs.keyWindowMs }),
    lastsMs: asItSays,
    means: 'the provider takes the message, the reply is lost, and it is out of reach until it forgot the key',
    strike: (strike) => {
      callOf(strike).replyLost = true;
      down(strike, providerOf(strike));
    },
  },
  {
    ...base,
    do: 'outage',
    ops: [...SEND, ...LOOKUP],
    phases: ['E'],
    ms: outage,
    lastsMs: asItSays,
    means: 'the provider refuses connections for seconds to hours',
    strike: (strike) => down(strike, providerOf(strike)),
  },
  {
    ...base,
    do: 'brown-out',
    phases: ['E'],
    ms: outage,
    amount: percent,
    lastsMs: asItSays,
    means:
      'for a while a share (percent) of sends is answered with a 503 that took nothing or a 502 that took the message',
    strike: (strike) => {
      const provider = providerOf(strike);
      provider.brownOut = { until: provider.setup.now() + strike.ms, percent: strike.amount };
    },
  },
  {
    ...base,
    do: 'throw',
    phases: ['B', 'A'],
    means:
      'the adapter throws what it did not map: before anything left (B), or after the provider took the message (A)',
    strike: (strike) => {
      if (strike.fault.phase === 'B') return script(strike, { kind: 'throw', when: 'before' });
      const error = new TypeError("Cannot read properties of undefined (reading 'id')");
      callOf(strike).answer = { kind: 'error', error };
    },
  },
  {
    ...base,
    do: 'error',
    ops: LOOKUP,
    phases: ['E'],
    means: 'the lookup fails and says so',
    strike: (strike) => callOf(strike).refuse({ kind: 'value', value: { kind: 'cannot-tell', reason: '503' } }),
  },
  {
    ...base,
    do: 'stale',
    ops: LOOKUP,
    phases: ['S'],
    ms: shortly,
    lastsMs: asItSays,
    means: 'lookups show messages as late as the settle time allows',
    strike: (strike) => {
      const provider = providerOf(strike);
      provider.laggingUntil = provider.setup.now() + strike.ms;
    },
  },
];

function sendOf(strike: Strike): Send {
  return callOf(strike).args as Send;
}

function outcomeOf(strike: Strike): Outcome | null {
  const { answer } = callOf(strike);
  return answer?.kind === 'value' ? (answer.value as Outcome) : null;
}

function providerOf(strike: Strike): SimulatedProvider {
  return (callOf(strike).args as { readonly provider: SimulatedProvider }).provider;
}

function script(strike: Strike, what: SendScript): void {
  sendOf(strike).script = what;
}

/** The provider has taken the message by now; only what the caller hears is changed. */
function says(strike: Strike, outcome: Outcome): void {
  callOf(strike).answer = { kind: 'value', value: outcome };
}

function refusal(scope: 'destination' | 'provider', reason: string): SendScript {
  return {
    kind: 'refuse',
    outcome: { kind: 'rejected', scope, reason, code: reason.slice(0, 3) },
    reply: reason.slice(0, 3),
  };
}

function down({ ms }: Strike, provider: SimulatedProvider): void {
  provider.downUntil = Math.max(provider.downUntil, provider.setup.now() + ms);
}
