import { ANY_PROVIDER } from '@sendonce/core';
import type { Outcome } from '@sendonce/core';
import type { EventOf } from '../history.ts';
import { Column } from './column.ts';
import type { Handlers } from './handlers.ts';
import { Names } from './names.ts';
import type { Slots } from './slots.ts';

/** One committed mark, as the history shows it. Names are numbers of `Names`. */
export interface MarkedAttempt {
  readonly n: number;
  readonly fence: number;
  readonly provider: number;
  readonly process: number;
  readonly at: number;
  open: boolean;
}

/** A possible duplicate that was written down and not used yet. */
export interface Declared {
  readonly kind: 'resend' | 'failover';
  readonly provider: string;
}

/**
 * The attempts of every delivery: marked, open, accepted, declared. The latest mark lives in columns; a list is kept only for a
 * delivery with more than one.
 */
export class Attempts {
  readonly providers = new Names();
  readonly processes = new Names();
  readonly on: Handlers = {
    mark: (event, slot) => this.#mark(event, slot),
    settle: ({ request, verdict }, slot) => {
      if (verdict.kind !== 'absent') this.#learn(slot, request.attempt, request.fence, request.outcome);
    },
    sweep: ({ result }) => {
      for (const record of result.moved)
        if (record.state !== 'dispatching') this.#inFlight.set(this.#slots.of(record.id), 0);
    },
    claim: ({ verdict }, slot) => {
      if (verdict.kind === 'unknown' || verdict.kind === 'settled') this.#inFlight.set(slot, 0);
    },
    reconcile: (event, slot) => this.#reconcile(event, slot),
    provider: ({ provider, outcome }, slot) => {
      if (outcome === 'accepted')
        this.#acceptedAt.set(slot, this.#acceptedAt.get(slot) | (1 << (this.providers.of(provider) & 31)));
    },
    // The store may have forgotten what it was told, and what it had marked.
    epoch: () => {
      this.#inFlight.clear();
      this.#accepted.clear();
    },
  };
  readonly #slots: Slots;
  readonly #count: Column;
  readonly #n: Column;
  readonly #fence: Column;
  readonly #provider: Column;
  readonly #process: Column;
  readonly #at: Column;
  readonly #open: Column;
  readonly #accepted: Column;
  readonly #inFlight: Column;
  readonly #extras: Column;
  readonly #acceptedAt: Column;
  readonly #lists = new Map<number, MarkedAttempt[]>();
  readonly #declared = new Map<number, Declared>();

  constructor(slots: Slots) {
    const { size } = slots;
    this.#slots = slots;
    this.#count = new Column('u16', size);
    this.#n = new Column('u16', size);
    this.#fence = new Column('f64', size);
    this.#provider = new Column('u8', size);
    this.#process = new Column('u16', size);
    this.#at = new Column('f64', size);
    this.#open = new Column('u8', size);
    this.#accepted = new Column('u8', size);
    this.#inFlight = new Column('u8', size);
    this.#extras = new Column('u8', size);
    this.#acceptedAt = new Column('u32', size);
  }

  /** Committed marks; a repeated answer to the same mark counts once. */
  count(slot: number): number {
    return this.#count.get(slot);
  }

  /** Whether this `go` answers the mark that already stands. */
  isRepeat(slot: number, fence: number): boolean {
    return this.#count.get(slot) > 0 && this.#fence.get(slot) === fence;
  }

  /** The fence and number of the latest mark; 0 without one. */
  lastFence(slot: number): number {
    return this.#fence.get(slot);
  }
  lastNumber(slot: number): number {
    return this.#n.get(slot);
  }
  lastAt(slot: number): number {
    return this.#at.get(slot);
  }

  /** Marked, and neither an outcome nor the sweeper has ended the window yet. */
  isInFlight(slot: number): boolean {
    return this.#inFlight.get(slot) === 1;
  }

  /** The ledger was told of an acceptance. */
  isAccepted(slot: number): boolean {
    return this.#accepted.get(slot) === 1;
  }

  /** This provider took a message of this delivery. */
  wasAcceptedAt(slot: number, provider: string): boolean {
    return (this.#acceptedAt.get(slot) & (1 << (this.providers.of(provider) & 31))) !== 0;
  }

  hasOpen(slot: number): boolean {
    return this.#open.get(slot) > 0;
  }

  isOpenAttempt(slot: number, n: number, fence: number): boolean {
    const list = this.#lists.get(slot);
    if (list === undefined)
      return this.#open.get(slot) > 0 && this.#n.get(slot) === n && this.#fence.get(slot) === fence;
    return list.some((attempt) => attempt.open && attempt.n === n && attempt.fence === fence);
  }

  /** When the first attempt that is still open at this provider was marked; Infinity when none is. */
  firstOpenAt(slot: number, provider: string): number {
    if (!this.hasOpen(slot)) return Infinity;
    const number = this.providers.of(provider);
    const list = this.#lists.get(slot);
    if (list === undefined) return this.#provider.get(slot) === number ? this.#at.get(slot) : Infinity;
    for (const attempt of list) if (attempt.open && attempt.provider === number) return attempt.at;
    return Infinity;
  }

  /** Whether anybody marked attempt `n`, and whether this process did: after an amnesia a number may be given again. */
  markOf(slot: number, n: number, process: string): 'own' | 'other' | null {
    const by = this.processes.of(process);
    const list = this.#lists.get(slot);
    if (list !== undefined) {
      const marks = list.filter((attempt) => attempt.n === n);
      if (marks.length === 0) return null;
      return marks.some((attempt) => attempt.process === by) ? 'own' : 'other';
    }
    if (this.#count.get(slot) === 0 || this.#n.get(slot) !== n) return null;
    return this.#process.get(slot) === by ? 'own' : 'other';
  }

  wasMarkedAt(slot: number, provider: string): boolean {
    const number = this.providers.of(provider);
    const list = this.#lists.get(slot);
    if (list === undefined) return this.#count.get(slot) > 0 && this.#provider.get(slot) === number;
    return list.some((attempt) => attempt.provider === number);
  }

  /** What was declared for the next mark. */
  declared(slot: number): Declared | null {
    return this.#declared.size === 0 ? null : (this.#declared.get(slot) ?? null);
  }

  /** Marks that were made under a declaration. */
  extras(slot: number): number {
    return this.#extras.get(slot);
  }

  #mark({ at, process, request, verdict }: EventOf<'mark'>, slot: number): void {
    if (verdict.kind !== 'go' || this.isRepeat(slot, request.fence)) return;
    const provider = this.providers.of(request.provider);
    const by = this.processes.of(process);
    if (this.#count.get(slot) > 0) {
      const list = this.#lists.get(slot) ?? [this.#latest(slot)];
      list.push({ n: verdict.attempt, fence: request.fence, provider, process: by, at, open: true });
      this.#lists.set(slot, list);
    }
    this.#count.add(slot, 1);
    this.#n.set(slot, verdict.attempt);
    this.#fence.set(slot, request.fence);
    this.#provider.set(slot, provider);
    this.#process.set(slot, by);
    this.#at.set(slot, at);
    this.#open.add(slot, 1);
    this.#inFlight.set(slot, 1);
    if (this.#declared.size > 0 && this.#declared.delete(slot)) this.#extras.add(slot, 1);
  }

  #latest(slot: number): MarkedAttempt {
    return {
      n: this.#n.get(slot),
      fence: this.#fence.get(slot),
      provider: this.#provider.get(slot),
      process: this.#process.get(slot),
      at: this.#at.get(slot),
      open: this.#open.get(slot) > 0,
    };
  }

  #learn(slot: number, n: number, fence: number, outcome: Outcome): void {
    const isLatest = this.#n.get(slot) === n && this.#fence.get(slot) === fence;
    if (isLatest) this.#inFlight.set(slot, 0);
    if (outcome.kind === 'unknown') return;
    if (outcome.kind === 'accepted') this.#accepted.set(slot, 1);
    const list = this.#lists.get(slot);
    if (list !== undefined) this.#close(slot, list, (attempt) => attempt.n === n && attempt.fence === fence);
    else if (isLatest) this.#open.set(slot, 0);
  }

  #close(slot: number, list: readonly MarkedAttempt[], which: (attempt: MarkedAttempt) => boolean): void {
    let open = 0;
    for (const attempt of list) {
      if (which(attempt)) attempt.open = false;
      if (attempt.open) open += 1;
    }
    this.#open.set(slot, open);
  }

  #reconcile({ request, verdict }: EventOf<'reconcile'>, slot: number): void {
    if (verdict.kind !== 'moved') return;
    const { decision } = request;
    const list = this.#lists.get(slot) ?? (this.#count.get(slot) > 0 ? [this.#latest(slot)] : []);
    switch (decision.kind) {
      case 'found':
        this.#accepted.set(slot, 1);
        this.#close(slot, list, (attempt) => attempt.n === decision.attempt);
        return;
      case 'absent': {
        const provider = this.providers.of(decision.provider);
        // Anywhere: every provider was asked, so it covers whatever the store has forgotten too.
        this.#close(slot, list, (attempt) => decision.provider === ANY_PROVIDER || attempt.provider === provider);
        return;
      }
      case 'declare':
        // Evidence first: the ledger may have known better than the decision.
        if (verdict.state === 'retry-scheduled')
          this.#declared.set(slot, { kind: decision.declaration, provider: decision.provider });
        return;
      case 'narrow':
      case 'replay':
      case 'assume-sent':
      case 'park':
      case 'wait':
    }
  }
}
