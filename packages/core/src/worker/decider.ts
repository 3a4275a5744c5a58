import type { ClaimSelector, NotificationVerdict } from '../ports/ledger.ts';
import type { ReceivedWake } from '../ports/queue.ts';
import type { Context } from '../stages/context.ts';
import { fanOut, type Expanded, type HeldNotification } from '../stages/fan-out.ts';
import type { Backlog } from './backlog.ts';
import type { Health } from './health.ts';
import type { Leases } from './leases.ts';
import { Nap } from './nap.ts';
import type { Wakes } from './wakes.ts';

/** Notifications expanded side by side, and how many of these places are kept for new ones. */
const PLACES = 20;
const KEPT_FOR_NEW = 4;

export interface DeciderParts {
  readonly health: Health;
  readonly leases: Leases;
  readonly wakes: Wakes;
  readonly backlog: Backlog;
  /** Deliveries were added: no need to wait for the next poll. */
  readonly added: () => void;
}

/** The deciding stage of a worker: rounds of one page per notification, so that a big one never holds up a small one. */
export class Decider {
  readonly #context: Context;
  readonly #owner: string;
  readonly #parts: DeciderParts;
  readonly #nap: Nap;
  #inbox: ReceivedWake[] = [];
  #held: readonly HeldNotification[] = [];

  constructor(context: Context, owner: string, parts: DeciderParts) {
    this.#context = context;
    this.#owner = owner;
    this.#parts = parts;
    this.#nap = new Nap(context.clock);
  }

  /** Wakes about notifications. */
  offer(wakes: readonly ReceivedWake[]): void {
    if (wakes.length === 0) return;
    this.#inbox.push(...wakes);
    this.#nap.wake();
  }

  wake(): void {
    this.#nap.wake();
  }

  /** Runs rounds until the signal aborts; then gives its leases back. */
  async run(signal: AbortSignal): Promise<void> {
    const { eventsQueue, settings } = this.#context;
    const idleMs = eventsQueue === null ? settings.worker.pollMs : settings.worker.sweepMs;
    this.#parts.backlog.onRoom = () => this.#nap.wake();
    let waited = false;
    while (!signal.aborted) {
      try {
        // Whoever waited for room through a whole nap gets a page regardless, within bounds: a steady load must not starve a large one.
        const worked = await this.#round(waited);
        waited = !worked;
        if (!worked && !signal.aborted) await this.#nap.sleep(idleMs);
      } catch (thrown) {
        await this.#parts.health.failed(thrown, signal);
      }
    }
    await this.#giveBack();
  }

  async #round(regardless: boolean): Promise<boolean> {
    const { backlog } = this.#parts;
    const fresh = await this.#putOff(await this.#claim());
    const having = backlog.hasRoom ? this.#held.length : regardless ? backlog.regardless : 0;
    const going = [...this.#held.slice(0, having), ...fresh];
    const waiting = this.#held.slice(having);
    if (going.length === 0) return false;
    // Until the step has answered, all of it is held: a step that throws is simply taken again, for its repeats write nothing.
    this.#held = [...waiting, ...going];
    const { leaseMs } = this.#context.settings.worker;
    const keep = PLACES - KEPT_FOR_NEW - waiting.length;
    let expanded: Expanded;
    try {
      expanded = await fanOut(this.#context, going, (at) => (at < keep ? leaseMs : 0));
    } finally {
      // Also after a failed round: a lease that is renewed without being worked on would never be anybody's again.
      for (const { record } of going) this.#parts.leases.drop(record.id);
    }
    const { held: more, ahead } = expanded;
    for (const { record, fence } of more) this.#parts.leases.hold(record.id, fence);
    backlog.added(ahead);
    this.#held = [...waiting, ...more];
    this.#parts.added();
    return true;
  }

  /** First pages never wait. Later ones of a notification that found no place among the held wait in the ledger, where nothing is ahead. */
  async #putOff(fresh: readonly HeldNotification[]): Promise<readonly HeldNotification[]> {
    const { backlog, leases } = this.#parts;
    if (backlog.hasRoom || backlog.regardless > 0) return fresh;
    const later = fresh.filter(({ record }) => record.cursor > 0);
    if (later.length === 0) return fresh;
    const delayMs = this.#context.settings.worker.sweepMs;
    for (const { record } of later) leases.drop(record.id);
    await this.#context.ledger.release(
      later.map(({ record, fence }) => ({ id: record.id, fence, delayMs, failure: null })),
    );
    return fresh.filter(({ record }) => record.cursor === 0);
  }

  async #claim(): Promise<readonly HeldNotification[]> {
    const room = PLACES - this.#held.length;
    if (room <= 0) return [];
    const wakes = this.#inbox.splice(0, room);
    if (wakes.length > 0) return this.#claimBy(this.#selectorOf(wakes), wakes);
    const { eventsQueue, settings } = this.#context;
    return this.#claimBy({ due: room, lateMs: eventsQueue === null ? 0 : settings.worker.lateMs }, []);
  }

  #selectorOf(wakes: readonly ReceivedWake[]): ClaimSelector {
    const { strayAfterMs } = this.#context.settings.worker;
    return { ids: wakes.map((wake) => wake.id), agesMs: wakes.map((wake) => wake.ageMs), strayAfterMs };
  }

  async #claimBy(selector: ClaimSelector, wakes: readonly ReceivedWake[]): Promise<readonly HeldNotification[]> {
    const { ledger, random, settings } = this.#context;
    const lease = { owner: this.#owner, requestId: random.id(), leaseMs: settings.worker.leaseMs };
    const verdicts = await ledger.claimNotifications(selector, lease);
    this.#parts.health.worked();
    const granted = new Map<string, HeldNotification>();
    verdicts.forEach((verdict, at) => {
      const wake = wakes[at];
      this.#dispose(verdict, wake === undefined ? [] : [wake]);
      if (verdict.kind !== 'granted') return;
      this.#parts.leases.hold(verdict.id, verdict.fence);
      granted.set(verdict.id, verdict);
    });
    return [...granted.values()];
  }

  /** A granted notification's wake is done with at once: its lease is in the ledger, which brings it back if this process dies. */
  #dispose(verdict: NotificationVerdict, wakes: readonly ReceivedWake[]): void {
    if (verdict.kind === 'granted') this.#parts.wakes.ack(wakes);
    else this.#parts.wakes.byVerdict(verdict, wakes);
  }

  async #giveBack(): Promise<void> {
    if (this.#held.length === 0) return;
    const requests = this.#held.map(({ record, fence }) => ({ id: record.id, fence, delayMs: 0, failure: null }));
    try {
      await this.#context.ledger.release(requests);
    } catch {
      // Their leases lapse by themselves.
    }
  }
}
