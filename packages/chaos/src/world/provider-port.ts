import type { LookupAnswer, LookupRequest, Outcome, Provider, ProviderCapabilities } from '@sendonce/core';
import { opHash, opIndex, type Op } from '../faults/ops.ts';
import { draw, hashText } from '../kernel/draw.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Life } from '../kernel/process.ts';
import type { Answer, Site } from '../kernel/site.ts';
import type { Wire } from '../kernel/wire.ts';
import type { Knobs } from './knobs.ts';
import { AdapterBug, type Arrival, type Send, type SimulatedProvider } from './provider.ts';
import type { Registry } from './registry.ts';

export interface Find {
  readonly provider: SimulatedProvider;
  readonly request: LookupRequest;
}

export interface ProviderSites {
  readonly send: Site<Send, Outcome>;
  readonly lookup: Site<Find, LookupAnswer>;
  /** A process asks what became of a delivery, whether or not it will hear. */
  readonly asked: (find: Find, life: Life) => void;
}

export interface ProviderSitesParts {
  readonly kernel: Kernel;
  readonly knobs: Knobs;
  readonly registry: Registry;
  /** A send reached its provider; null: it was refused before anybody read it. */
  readonly arrived: (send: Send, arrival: Arrival | null, life: Life) => void;
  readonly asked: ProviderSites['asked'];
}

const NO_ANSWER: Answer<Outcome> = {
  kind: 'value',
  value: { kind: 'unknown', reason: 'no answer within the time limit' },
};
const CANNOT_TELL: Answer<LookupAnswer> = { kind: 'value', value: { kind: 'cannot-tell', reason: 'no answer' } };

/** The providers' side of the Provider port, with the adapter's own time limit in it. */
export function providerSites({ kernel, knobs, registry, arrived, asked }: ProviderSitesParts): ProviderSites {
  const span = [knobs.providerLeastMs, knobs.providerMostMs] as const;
  const of = (op: Op, awaited: boolean) => {
    const index = opIndex(op);
    return { op, index, hash: opHash(index), peer: 'provider', requestMs: span, replyMs: span, awaited } as const;
  };
  const send = of('provider.send', true);
  const withinMs = ({ context }: Send): number => Math.min(context.deadlineMs, knobs.sendTimeoutMs);
  return {
    send: {
      ...send,
      apply(request, life) {
        try {
          const { outcome, arrival } = request.provider.receive(request);
          arrived(request, arrival, life);
          return outcome;
        } catch (thrown) {
          if (thrown instanceof AdapterBug) arrived(request, thrown.arrival, life);
          throw thrown;
        }
      },
      lost: () => NO_ANSWER,
      timeoutMs: withinMs,
      patienceMs: withinMs,
      // By recipient, not by worker: who sends it and in which batch changes no latency.
      address: ({ slot, nth, message }) =>
        draw(kernel.seed, send.hash, slot < 0 ? hashText(message.deliveryId) : registry.numberOf(slot), nth),
    },
    lookup: {
      ...of('provider.lookup', false),
      apply: ({ provider, request }) => provider.find(request),
      lost: () => CANNOT_TELL,
      timeoutMs: () => knobs.sendTimeoutMs,
      patienceMs: () => knobs.sendTimeoutMs,
    },
    asked,
  };
}

export interface ProviderPortParts {
  readonly wire: Wire;
  readonly sites: ProviderSites;
  readonly registry: Registry;
}

/** The Provider port of one provider in the hands of one start of a process. */
export function providerPort(life: Life, provider: SimulatedProvider, parts: ProviderPortParts): Provider {
  const { wire, sites, registry } = parts;
  return {
    name: provider.name,
    capabilities: capabilitiesOf(provider, (request) => {
      const find = { provider, request };
      sites.asked(find, life);
      return wire.call(life, sites.lookup, find);
    }),
    send(message, context) {
      const slot = registry.slotOfDelivery(message.deliveryId);
      const nth = slot < 0 ? 0 : registry.nextSend(slot);
      return wire.call(life, sites.send, { provider, message, context, slot, nth, script: null });
    },
    close: () => Promise.resolve(),
  };
}

function capabilitiesOf(
  provider: SimulatedProvider,
  find: (request: LookupRequest) => Promise<LookupAnswer>,
): ProviderCapabilities {
  const { capabilities } = provider.setup;
  if (capabilities.lookup === 'none') return capabilities;
  return { ...capabilities, lookup: { ...capabilities.lookup, find } };
}
