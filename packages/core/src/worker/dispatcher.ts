import type { ClaimSelector, DeliveryVerdict, Lease, MarkVerdict } from '../ports/ledger.ts';
import type { ReceivedWake } from '../ports/queue.ts';
import type { Context } from '../stages/context.ts';
import {
  markRequest,
  marked,
  prepareAll,
  type Granted,
  type Marked,
  type NotPrepared,
  type Prepared,
} from '../stages/deliver.ts';
import { emitMove } from '../stages/events.ts';
import { ClaimedMoves } from './claimed-moves.ts';
import { releaseAll, releaseRefused, waitingState } from './give-back.ts';
import type { Health } from './health.ts';
import type { Leases } from './leases.ts';
import { Sends } from './sends.ts';
import type { Settler } from './settler.ts';
import { Bell, Crew } from './signals.ts';
import type { Wakes } from './wakes.ts';

/** Claim -> prepare -> mark -> send. Owns the send slots: one per delivery from its claim until its outcome is durable. */
export class Dispatcher {
  readonly #context: Context;
  readonly #owner: string;
  readonly #health: Health;
  readonly #leases: Leases;
  readonly #wakes: Wakes;
  readonly #claimedMoves: ClaimedMoves;
  readonly #crew = new Crew();
  readonly #bell = new Bell();
  #settler: Settler | null = null;
  #sends: Sends | null = null;
  #busy = 0;
  #stopping = false;

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
  }

  settleWith(settler: Settler): void {
    this.#settler = settler;
    this.#sends = new Sends(this.#context, settler);
  }

  get free(): number {
    return this.#context.settings.worker.concurrency - this.#busy;
  }

  get busy(): number {
    return this.#busy;
  }

  freed(count: number): void {
    this.#busy -= count;
    this.#bell.ring();
  }

  /** Resolves when slots fall free. */
  slots(): Promise<void> {
    return this.#bell.wait();
  }

  /** From now on nothing more is marked: what is claimed goes back at once. */
  stop(): void {
    this.#stopping = true;
    this.#bell.ring();
  }

  /** Claims up to `max` due deliveries and sets them going; returns how many were granted. */
  async takeDue(max: number, lateMs: number): Promise<number> {
    return this.#take({ due: max, lateMs }, max, new Map());
  }

  /** Claims what these wakes are about; a wake whose delivery is not granted is disposed of by rule 5. */
  async takeWakes(received: readonly ReceivedWake[]): Promise<number> {
    const byId = groupById(received);
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
    this.#busy += slots;
    const lease: Lease = {
      owner: this.#owner,
      requestId: this.#context.random.id(),
      leaseMs: this.#context.settings.worker.leaseMs,
    };
    let verdicts: readonly DeliveryVerdict[];
    try {
      verdicts = await this.#context.ledger.claim(selector, lease);
      this.#health.worked();
    } catch (thrown) {
      this.freed(slots);
      throw thrown;
    }
    const granted: Granted[] = [];
    const moved: string[] = [];
    for (const verdict of verdicts) {
      if (verdict.kind === 'granted') {
        this.#leases.hold(verdict.id, verdict.fence);
        granted.push(verdict);
      } else {
        this.#wakes.byVerdict(verdict, wakes.get(verdict.id) ?? []);
        if (this.#claimedMoves.isCandidate(verdict)) moved.push(verdict.id);
        if (verdict.kind === 'stray')
          this.#context.emit({ kind: 'delivery.stray', at: this.#context.clock.now(), id: verdict.id });
      }
    }
    if (moved.length > 0 && this.#context.heard) this.#crew.add(this.#claimedMoves.tell(moved).catch(ignore));
    if (granted.length < slots) this.freed(slots - granted.length);
    if (granted.length > 0) this.#crew.add(this.#start(granted, wakes));
    return granted.length;
  }

  /** Suspects come one by one after the rest: if one of them kills this process, the others have got past it already. */
  async #start(granted: readonly Granted[], wakes: ReadonlyMap<string, readonly ReceivedWake[]>): Promise<void> {
    const suspects = granted.filter(({ record }) => record.lapses > 0);
    if (suspects.length === 0) return this.#begin(granted, wakes);
    const rest = granted.filter(({ record }) => record.lapses === 0);
    if (rest.length > 0) await this.#begin(rest, wakes);
    for (const suspect of suspects) await this.#begin([suspect], wakes);
  }

  async #begin(granted: readonly Granted[], wakes: ReadonlyMap<string, readonly ReceivedWake[]>): Promise<void> {
    const results = await prepareAll(this.#context, granted);
    const prepared = results.filter((result): result is Prepared => result.kind === 'prepared');
    const refused = results.filter((result): result is NotPrepared => result.kind === 'not-prepared');
    if (refused.length > 0) await this.#giveBack(refused, wakes);
    if (this.#stopping) await this.#giveUp(prepared, wakes);
    else if (prepared.length > 0) await this.#mark(prepared, wakes);
  }

  async #giveUp(prepared: readonly Prepared[], wakes: ReadonlyMap<string, readonly ReceivedWake[]>): Promise<void> {
    await releaseAll(this.#context, prepared);
    for (const { granted } of prepared) {
      this.#leases.drop(granted.record.id);
      this.#wakes.later(wakes.get(granted.record.id) ?? [], 0);
    }
    this.freed(prepared.length);
  }

  async #giveBack(refused: readonly NotPrepared[], wakes: ReadonlyMap<string, readonly ReceivedWake[]>): Promise<void> {
    for (const { granted } of refused) this.#leases.drop(granted.record.id);
    for (const id of await releaseRefused(this.#context, refused)) this.#wakes.ack(wakes.get(id) ?? []);
    this.freed(refused.length);
  }

  async #mark(prepared: readonly Prepared[], wakes: ReadonlyMap<string, readonly ReceivedWake[]>): Promise<void> {
    const held = prepared.filter(({ granted }) => this.#leases.holds(granted.record.id, granted.fence));
    if (held.length < prepared.length) this.freed(prepared.length - held.length);
    if (held.length === 0) return;
    const requests = held.map((each) => markRequest(this.#context, each));
    const { clock, settings } = this.#context;
    const giveUpAt = clock.monotonic() + settings.worker.leaseMs;
    for (;;) {
      const before = { monotonic: clock.monotonic(), wall: clock.now() };
      let verdicts: readonly MarkVerdict[];
      try {
        verdicts = await this.#context.ledger.mark(requests);
        this.#health.worked();
      } catch (thrown) {
        // The reply may be lost and the mark durable. Repeating it tells; only its answer allows a send.
        await this.#health.failed(thrown);
        if (clock.monotonic() < giveUpAt) continue;
        // Not renewed any more, or nobody else could ever take them.
        for (const { id } of requests) this.#leases.drop(id);
        this.freed(held.length);
        return;
      }
      const going: Marked[] = [];
      verdicts.forEach((verdict, at) => {
        const item = held[at];
        const request = requests[at];
        if (item === undefined || request === undefined) return;
        this.#leases.drop(verdict.id);
        if (verdict.kind === 'go') going.push(marked(item, request.key, verdict, before));
        else this.#refused(item, verdict, wakes.get(verdict.id) ?? []);
      });
      if (going.length > 0) this.#sends?.start(going, wakes);
      return;
    }
  }

  #refused({ granted }: Prepared, verdict: Exclude<MarkVerdict, { kind: 'go' }>, wakes: readonly ReceivedWake[]): void {
    this.freed(1);
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

function groupById(received: readonly ReceivedWake[]): Map<string, ReceivedWake[]> {
  const groups = new Map<string, ReceivedWake[]>();
  for (const wake of received) {
    const group = groups.get(wake.id);
    if (group === undefined) groups.set(wake.id, [wake]);
    else group.push(wake);
  }
  return groups;
}

/** Telling is not worth failing for. */
const ignore = (): void => undefined;
