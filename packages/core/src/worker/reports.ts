import { isSendonceError } from '../model/errors.ts';
import type { Outcome } from '../model/outcome.ts';
import { isTooMuch, sumOf, tallied, type Tally } from '../policy/pruning.ts';
import { LONGEST_ADDRESS, MOST_DESTINATIONS, type DestinationEvidence } from '../ports/destinations.ts';
import type { AddressBook } from '../stages/address-book.ts';
import type { Context } from '../stages/context.ts';
import type { Marked } from '../stages/deliver.ts';

/** Evidence that waits for a store that is away; the oldest is forgotten beyond it. */
const MOST_KEPT = MOST_DESTINATIONS;
/** How long a report may take, ms. */
const LIMIT_MS = 15_000;

/** What one provider says of one channel's destinations. */
interface Source {
  readonly channel: DestinationEvidence['channel'];
  readonly provider: string;
  tally: Tally;
  dead: number;
  accepted: number;
  isStopped: boolean;
}

/**
 * What attempts prove about addresses, on its way to the destinations: beside the work, in batches, and never waited for by a settle. What
 * is lost with the process costs one more try at a dead address, and nothing else.
 */
export class Reports {
  readonly #context: Context;
  readonly #book: AddressBook;
  readonly #sources = new Map<string, Source>();
  #waiting: DestinationEvidence[] = [];
  #flushing: Promise<void> | null = null;

  constructor(context: Context, book: AddressBook) {
    this.#context = context;
    this.#book = book;
  }

  /** Takes an outcome down. Never throws. */
  heard({ prepared: { granted, provider } }: Marked, outcome: Outcome): void {
    if (outcome.kind === 'accepted') this.#sourceOf(granted.record.target.channel, provider.name).accepted += 1;
    if (outcome.kind !== 'rejected' || outcome.scope !== 'destination') return;
    const { tenant, target, updatedAt } = granted.record;
    const { channel, to } = target;
    if (to === '' || to.length > LONGEST_ADDRESS) return;
    const { reason, goneAt } = outcome;
    const kind = goneAt === null ? 'suspect' : 'dead';
    if (kind === 'dead') this.#sourceOf(channel, provider.name).dead += 1;
    if (this.#waiting.length >= MOST_KEPT) this.#waiting.shift();
    // Without the provider's own time it was so at the earliest when the delivery was claimed: whoever registered since then wins.
    const at = goneAt ?? Math.floor(updatedAt);
    this.#waiting.push({ kind, tenant, channel, to, at, provider: provider.name, reason });
  }

  /** Reports what waits while the caller goes on. One that is under way is not joined by another. */
  flushSoon(): void {
    this.#judge();
    if (this.#waiting.length > 0) this.#flushing ??= this.#flush().finally(() => (this.#flushing = null));
  }

  /** Reports what is left, once. */
  async settled(): Promise<void> {
    await this.#flushing;
    this.flushSoon();
    await this.#flushing;
  }

  /** Before anything is believed, all that was heard meanwhile is looked at: of five hundred at once that look dead none is given up. */
  #judge(): void {
    const { clock, emit } = this.#context;
    for (const source of this.#sources.values()) {
      const { channel, provider, dead, accepted } = source;
      source.tally = tallied(source.tally, { dead, accepted }, clock.monotonic(), this.#book.pruning);
      source.dead = source.accepted = 0;
      const sum = sumOf(source.tally);
      const isStopped = isTooMuch(sum, this.#book.pruning);
      if (isStopped === source.isStopped) continue;
      source.isStopped = isStopped;
      emit({ kind: isStopped ? 'pruning.stopped' : 'pruning.resumed', at: clock.now(), channel, provider, ...sum });
    }
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting.splice(0);
    try {
      const evidence = batch.map((each) => (this.#isStopped(each) ? { ...each, kind: 'suspect' as const } : each));
      await this.#book.bounded(this.#book.port.report(evidence), LIMIT_MS);
      this.#book.worked();
    } catch (thrown) {
      this.#book.failed(thrown);
      // What is no evidence to the store never will be.
      if (isSendonceError(thrown, 'OPTION_INVALID')) return;
      this.#waiting = [...batch, ...this.#waiting].slice(-MOST_KEPT);
    }
  }

  #isStopped({ channel, provider }: DestinationEvidence): boolean {
    return this.#sourceOf(channel, provider).isStopped;
  }

  #sourceOf(channel: Source['channel'], provider: string): Source {
    const key = `${channel} ${provider}`;
    const known = this.#sources.get(key);
    if (known !== undefined) return known;
    const made: Source = { channel, provider, tally: [], dead: 0, accepted: 0, isStopped: false };
    this.#sources.set(key, made);
    return made;
  }
}
