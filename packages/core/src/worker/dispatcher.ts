import { groupBy } from '../model/group-by.ts';
import type { ClaimSelector, DeliveryVerdict, Lease, MarkVerdict } from '../ports/ledger.ts';
import type { ReceivedWake } from '../ports/queue.ts';
import type { Context } from '../stages/context.ts';
import {
  markRequest,
  marked,
  prepareAll,
  type Batch,
  type Granted,
  type Later,
  type Marked,
  type NotPrepared,
  type Prepared,
} from '../stages/deliver.ts';
import { emitMove } from '../stages/events.ts';
import { ClaimedMoves } from './claimed-moves.ts';
import { releaseAll, releaseRefused, waitingState } from './give-back.ts';
import type { Health } from './health.ts';
import { InHand } from './in-hand.ts';
import type { Leases } from './leases.ts';
import { Patience } from './patience.ts';
import { Sends } from './sends.ts';
import type { Settler } from './settler.ts';
import { Crew } from './signals.ts';
import { Slots } from './slots.ts';
import type { Wakes } from './wakes.ts';

/**
 * Claim -> prepare -> mark -> send. Owns the send slots: one per delivery from its claim until its provider has answered. A delivery whose
 * content is stuck gives its slot to others until it comes. And the marks: as many, one per delivery from before its mark until its outcome
 * is durable, so that a process that dies leaves no more than that in doubt. The next are claimed while the last are settled.
 */
export class Dispatcher {
  readonly #context: Context;
  readonly #owner: string;
  readonly #health: Health;
  readonly #leases: Leases;
  readonly #wakes: Wakes;
  readonly #claimedMoves: ClaimedMoves;
  readonly #crew: Crew;
  readonly #slots: Slots;
  readonly #marks: Slots;
  readonly #inHand: InHand;
  readonly #patience: Patience;
  #settler: Settler | null = null;
  #sends: Sends | null = null;
  #faults = 0;
  readonly #stopping = new AbortController();

  constructor(
    context: Context,
    owner: string,
    parts: { readonly health: Health; readonly leases: Leases; readonly wakes: Wakes },
  ) {
    this.#context = context;
    this.#owner = owner;
    this.#health = parts.health;
    this.#leases = parts.leases;
    this.#wakes = parts.wakes;
    this.#claimedMoves = new ClaimedMoves(context, owner);
    this.#crew = new Crew((thrown) => this.#health.noted('work', thrown));
    this.#slots = new Slots(context.settings.worker.concurrency);
    this.#marks = new Slots(context.settings.worker.concurrency);
    this.#inHand = new InHand(parts.leases, { slots: this.#slots, marks: this.#marks });
    this.#patience = new Patience(context.clock);
  }

  settleWith(settler: Settler): void {
    this.#settler = settler;
    this.#sends = new Sends(this.#context, {
      settler,
      health: this.#health,
      answered: (count) => this.#slots.give(count),
    });
  }

  get free(): number {
    return this.#slots.free;
  }

  /** So many outcomes are durable, or left to the sweeper. */
  durable(count: number): void {
    this.#marks.give(count);
  }

  /** Resolves when `least` slots may be free, or the worker stops. */
  slots(least: number): Promise<void> {
    return this.#slots.changed(least);
  }

  /** How many are claimed and not yet on their way. */
  get held(): number {
    return this.#inHand.size;
  }

  /** For how long the oldest of them has been, ms. */
  get heldMs(): number {
    return Math.max(0, this.#context.clock.monotonic() - this.#inHand.oldest);
  }

  /** From now on nothing more is marked: what is claimed goes back at once. */
  stop(): void {
    this.#stopping.abort('stopping');
    this.#slots.wake();
    this.#marks.wake();
  }

  /** Claims up to `max` due deliveries and sets them going; returns how many were granted. */
  async takeDue(max: number, lateMs: number): Promise<number> {
    return this.#take({ due: max, lateMs }, max, new Map());
  }

  /** Claims what these wakes are about; a wake whose delivery is not granted is disposed of by rule 5. */
  async takeWakes(received: readonly ReceivedWake[]): Promise<number> {
    const byId = groupBy(received, ({ id }) => id);
    const ids = [...byId.keys()];
    const agesMs = ids.map((id) => Math.max(...(byId.get(id) ?? []).map((wake) => wake.ageMs)));
    const { strayAfterMs } = this.#context.settings.worker;
    return this.#take({ ids, strayAfterMs, agesMs }, ids.length, byId);
  }

  async #take(
    selector: ClaimSelector,
    slots: number,
    wakes: ReadonlyMap<string, readonly ReceivedWake[]>,
  ): Promise<number> {
    this.#slots.take(slots);
    const lease: Lease = {
      owner: this.#owner,
      requestId: this.#context.random.id(),
      leaseMs: this.#context.settings.worker.leaseMs,
    };
    let verdicts: readonly DeliveryVerdict[];
    try {
      verdicts = await this.#context.ledger.claim(selector, lease);
    } catch (thrown) {
      this.#slots.give(slots);
      throw thrown;
    }
    this.#health.worked('ledger');
    const granted = verdicts.filter((verdict) => verdict.kind === 'granted');
    const since = this.#context.clock.monotonic();
    for (const item of granted) this.#inHand.hold(item, since);
    try {
      this.#dispose(verdicts, wakes);
    } finally {
      // Whatever telling about the others comes to: what is granted has its slots, and goes.
      this.#slots.give(slots - granted.length);
      if (granted.length > 0) this.#crew.add(this.#start(granted, wakes));
    }
    return granted.length;
  }

  /** What was not granted. */
  #dispose(verdicts: readonly DeliveryVerdict[], wakes: ReadonlyMap<string, readonly ReceivedWake[]>): void {
    const { clock, emit, heard } = this.#context;
    const moved: string[] = [];
    for (const verdict of verdicts) {
      if (verdict.kind === 'granted') continue;
      this.#wakes.byVerdict(verdict, wakes.get(verdict.id) ?? []);
      if (this.#claimedMoves.isCandidate(verdict)) moved.push(verdict.id);
      if (verdict.kind === 'stray') emit({ kind: 'delivery.stray', at: clock.now(), id: verdict.id });
    }
    if (moved.length > 0 && heard)
      // Telling is not worth failing for.
      this.#crew.add(this.#claimedMoves.tell(moved).catch((thrown) => this.#health.noted('ledger', thrown)));
  }

  /**
   * Suspects come one by one after the rest: if one of them kills this process, the others have got past it already. One whose content is
   * stuck is not waited for.
   */
  async #start(granted: readonly Granted[], wakes: ReadonlyMap<string, readonly ReceivedWake[]>): Promise<void> {
    const suspects = granted.filter(({ record }) => record.lapses > 0);
    const rest = suspects.length === 0 ? granted : granted.filter(({ record }) => record.lapses === 0);
    const parts = [...(rest.length > 0 ? [rest] : []), ...suspects.map((suspect) => [suspect])];
    for (const part of parts) await this.#begin(part, wakes, () => this.#work(part, wakes));
  }

  /** Never rejects. */
  async #begin(
    granted: readonly Granted[],
    wakes: ReadonlyMap<string, readonly ReceivedWake[]>,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work();
      this.#faults = 0;
    } catch (thrown) {
      await this.#abandon(granted, wakes, thrown);
    }
  }

  /**
   * Ports that fail are met where they are called, so this is a bug, ours or of what the config gave us. The leases are left to lapse:
   * what is claimed after a lapse comes one by one, so whatever it is ends as poison and the others get past it. The slots come back
   * after a wait that grows, or a store that hands out what nobody can work on would be asked without a pause.
   */
  async #abandon(
    granted: readonly Granted[],
    wakes: ReadonlyMap<string, readonly ReceivedWake[]>,
    thrown: unknown,
  ): Promise<void> {
    const left = granted.filter((item) => this.#inHand.has(item));
    for (const { record, fence } of left) {
      this.#leases.drop(record.id, fence);
      this.#wakes.later(wakes.get(record.id) ?? [], this.#context.settings.worker.leaseMs);
    }
    this.#faults += 1;
    await this.#health.failed('work', thrown, { times: this.#faults, signal: this.#stopping.signal });
    this.#inHand.letGo(left);
  }

  /** Resolves when all of it is marked or given back, or set aside. */
  async #work(granted: readonly Granted[], wakes: ReadonlyMap<string, readonly ReceivedWake[]>): Promise<void> {
    const { concurrency } = this.#context.settings.worker;
    const { ready, later } = await prepareAll(this.#context, granted, {
      signal: this.#stopping.signal,
      isFull: (type) => this.#inHand.aside(type) >= concurrency,
    });
    await Promise.all([this.#proceed(ready, wakes), ...later.map((each) => this.#await(each, wakes))]);
  }

  async #await(later: Later, wakes: ReadonlyMap<string, readonly ReceivedWake[]>): Promise<void> {
    const { type, granted, made } = later;
    const come = await this.#patience.waitFor(type, made);
    if (come !== null) return this.#come(later, come, wakes);
    this.#inHand.setAside(granted);
    this.#crew.add(this.#begin(granted, wakes, async () => this.#come(later, await made, wakes)));
  }

  #come(
    { type }: Later,
    { results, isLate }: Batch,
    wakes: ReadonlyMap<string, readonly ReceivedWake[]>,
  ): Promise<void> {
    if (!isLate) this.#patience.moved(type);
    return this.#proceed(results, wakes);
  }

  async #proceed(
    results: readonly (Prepared | NotPrepared)[],
    wakes: ReadonlyMap<string, readonly ReceivedWake[]>,
  ): Promise<void> {
    // Also what could not be made: it may only have been given up because of the stop.
    if (this.#stopping.signal.aborted) return this.#giveUp(results, wakes);
    const prepared = results.filter((result): result is Prepared => result.kind === 'prepared');
    const refused = results.filter((result): result is NotPrepared => result.kind === 'not-prepared');
    if (refused.length > 0) await this.#giveBack(refused, wakes);
    for (let left = prepared; left.length > 0;) {
      const items = left.map(({ granted }) => granted);
      const count = await this.#inHand.seat(items, this.#stopping.signal);
      if (count === 0) return this.#giveUp(left, wakes);
      await this.#mark(left.slice(0, count), wakes);
      left = left.slice(count);
    }
  }

  async #giveUp(
    results: readonly (Prepared | NotPrepared)[],
    wakes: ReadonlyMap<string, readonly ReceivedWake[]>,
  ): Promise<void> {
    if (results.length === 0) return;
    const granted = results.map((result) => result.granted);
    await releaseAll(this.#context, this.#health, granted);
    for (const { record } of granted) this.#wakes.later(wakes.get(record.id) ?? [], 0);
    this.#inHand.letGo(granted);
  }

  async #giveBack(refused: readonly NotPrepared[], wakes: ReadonlyMap<string, readonly ReceivedWake[]>): Promise<void> {
    for (const { granted } of refused) this.#leases.drop(granted.record.id, granted.fence);
    const answered = new Set(await releaseRefused(this.#context, this.#health, refused));
    for (const { granted } of refused) {
      const { id } = granted.record;
      if (answered.has(id)) this.#wakes.ack(wakes.get(id) ?? []);
      else this.#wakes.later(wakes.get(id) ?? [], this.#context.settings.worker.leaseMs);
    }
    this.#inHand.letGo(refused.map(({ granted }) => granted));
  }

  async #mark(prepared: readonly Prepared[], wakes: ReadonlyMap<string, readonly ReceivedWake[]>): Promise<void> {
    const held = prepared.filter(({ granted }) => this.#leases.holds(granted.record.id, granted.fence));
    // A lease that could not be renewed is somebody else's by now.
    if (held.length < prepared.length)
      this.#inHand.letGo(prepared.filter((each) => !held.includes(each)).map(({ granted }) => granted));
    if (held.length === 0) return;
    const requests = held.map((each) => markRequest(this.#context, each));
    const { clock, settings } = this.#context;
    const giveUpAt = clock.monotonic() + settings.worker.leaseMs;
    for (let times = 1; ; times += 1) {
      const before = { monotonic: clock.monotonic(), wall: clock.now() };
      let verdicts: readonly MarkVerdict[];
      try {
        verdicts = await this.#context.ledger.mark(requests);
      } catch (thrown) {
        // The reply may be lost and the mark durable. Repeating it tells; only its answer allows a send.
        await this.#health.failed('ledger', thrown, { times });
        if (clock.monotonic() < giveUpAt) continue;
        // Not renewed any more, or nobody else could ever take them.
        this.#inHand.letGo(held.map(({ granted }) => granted));
        return;
      }
      this.#health.worked('ledger');
      const going: Marked[] = [];
      verdicts.forEach((verdict, at) => {
        const item = held[at];
        const request = requests[at];
        if (item === undefined || request === undefined) return;
        if (verdict.kind === 'go') going.push(marked(item, request.key, verdict, before));
        else this.#refused(item, verdict, wakes.get(verdict.id) ?? []);
      });
      if (going.length > 0) this.#send(going, wakes);
      return;
    }
  }

  /** From here on the slots come back with the answers, and the marks with the outcomes. */
  #send(going: readonly Marked[], wakes: ReadonlyMap<string, readonly ReceivedWake[]>): void {
    for (const { prepared } of going) this.#inHand.gone(prepared.granted);
    this.#sends?.start(going, wakes);
  }

  #refused({ granted }: Prepared, verdict: Exclude<MarkVerdict, { kind: 'go' }>, wakes: readonly ReceivedWake[]): void {
    this.#inHand.letGo([granted]);
    const { record } = granted;
    switch (verdict.kind) {
      case 'fenced':
        this.#wakes.later(wakes, this.#context.settings.worker.leaseMs);
        return;
      case 'settled':
      case 'cancelled':
      case 'suppressed':
      case 'expired':
        emitMove(this.#context, record, verdict.state, null);
        break;
      case 'blocked':
        emitMove(this.#context, record, waitingState(record), `blocked: ${verdict.scope}`);
        break;
      case 'window-closed':
        emitMove(this.#context, record, 'unknown', 'the key window closed over an open attempt');
    }
    this.#wakes.ack(wakes);
  }

  /** Resolves when everything that was begun has ended. */
  async settled(): Promise<void> {
    await this.#crew.settled();
    await this.#sends?.settled();
    await this.#settler?.idle();
  }
}
