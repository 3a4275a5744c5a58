import type { CallFault } from '../plan.ts';

/** Faults that a real provider can do: what becomes of one send at its side. */
export const SCRIPTED = [
  'request-lost',
  'reply-lost',
  'slow',
  'reply-slow',
  '5xx-after-acceptance',
  'missing-id',
  'throttle',
  'reject',
  'unauthorised',
  'outage',
  'key-forgotten',
] as const;
export type Scripted = (typeof SCRIPTED)[number];

/** Who a fault is about, as processes know it: they have no recipient numbers. */
export type Whose =
  | { readonly kind: 'delivery'; readonly id: string }
  | { readonly kind: 'worker'; readonly name: string }
  | { readonly kind: 'provider'; readonly name: string }
  | { readonly kind: 'any' };

/** One fault at one send. */
export interface Script extends Pick<CallFault, 'nth'> {
  /** Of the plan. */
  readonly index: number;
  readonly do: Scripted;
  readonly whose: Whose;
  /** Of the run's clock. */
  readonly ms: number;
}

export interface Arriving {
  readonly provider: string;
  readonly deliveryId: string;
  readonly worker: string;
}

/** Counts the sends that arrive, and says which script the nth of them has met. */
export class Scripts {
  readonly #ofDelivery = new Map<string, Counted[]>();
  readonly #others: readonly Counted[];

  constructor(scripts: readonly Script[]) {
    const others: Counted[] = [];
    for (const script of scripts) {
      const counted = { script, seen: 0 };
      if (script.whose.kind !== 'delivery') others.push(counted);
      else this.#ofDelivery.set(script.whose.id, [...(this.#ofDelivery.get(script.whose.id) ?? []), counted]);
    }
    this.#others = others;
  }

  /** Every script that strikes this send; the counts of all that are about it go up. */
  met(send: Arriving): readonly Script[] {
    const about = [
      ...(this.#ofDelivery.get(send.deliveryId) ?? []),
      ...this.#others.filter((each) => isAbout(each, send)),
    ];
    return about.filter((each) => ++each.seen === each.script.nth).map(({ script }) => script);
  }
}

interface Counted {
  readonly script: Script;
  seen: number;
}

function isAbout({ script: { whose } }: Counted, { provider, worker }: Arriving): boolean {
  switch (whose.kind) {
    case 'any':
      return true;
    case 'worker':
      return whose.name === worker;
    case 'provider':
      return whose.name === provider;
    case 'delivery':
      return false;
  }
}
