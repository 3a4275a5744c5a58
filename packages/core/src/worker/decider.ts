import type { ClaimSelector, NotificationVerdict } from '../ports/ledger.ts';
import type { ReceivedWake } from '../ports/queue.ts';
import type { Context } from '../stages/context.ts';
import { fanOut, type Expanded } from '../stages/fan-out.ts';
import { inShares } from '../stages/in-shares.ts';
import type { HeldNotification, Step } from '../stages/steps.ts';
import type { Backlog } from './backlog.ts';
import type { Health } from './health.ts';
import type { Leases } from './leases.ts';
import { Nap } from './nap.ts';
import { mostAdded, Places } from './places.ts';
import { Routing } from './routing.ts';
import type { Wakes } from './wakes.ts';

/** Wakes kept until there is a place for them. */
const INBOX = 1_000;
/** Failed rounds in a row after which each notification is expanded by itself: if it is not the store, it is one of them. */
const TOGETHER = 3;

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
  readonly #routing: Routing;
  readonly #places: Places;
  #inbox: ReceivedWake[] = [];
  #held: readonly HeldNotification[] = [];
  #failedRounds = 0;
  #granted = 0;
  /** When the ledger was last asked for what is due. */
  #askedAt: number;
  /** Whether that was the last thing it was asked: then the wakes have their turn. */
  #hasAsked = false;

  constructor(context: Context, owner: string, parts: DeciderParts) {
    this.#context = context;
    this.#owner = owner;
    this.#parts = parts;
    this.#nap = new Nap(context.clock);
    this.#places = new Places(context.settings.worker.chunk);
    this.#routing = new Routing(context, {
      onReady: () => this.#nap.wake(),
      onFailed: ({ record, fence }, thrown) => {
        // It lapses: what fails again and again ends by the cap, and keeps nobody.
        parts.leases.drop(record.id, fence);
        parts.health.noted('ledger', thrown);
      },
    });
    this.#askedAt = context.clock.monotonic();
  }

  /** Wakes about notifications, as far as there is room; the rest come again by themselves. */
  offer(wakes: readonly ReceivedWake[]): void {
    const taken = wakes.slice(0, Math.max(0, INBOX - this.#inbox.length));
    if (taken.length === 0) return;
    this.#inbox.push(...taken);
    this.#nap.wake();
  }

  /** Notifications granted so far. */
  get granted(): number {
    return this.#granted;
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
        this.#failedRounds += 1;
        await this.#parts.health.failed('ledger', thrown, { times: this.#failedRounds, signal });
      }
    }
    await this.#giveBack();
  }

  async #round(regardless: boolean): Promise<boolean> {
    const { backlog } = this.#parts;
    const claimed = await this.#claim();
    const fresh = await this.#putOff(claimed);
    const having = backlog.hasRoom ? this.#held.length : regardless ? backlog.regardless : 0;
    const going = [...this.#held.slice(0, having), ...fresh];
    const waiting = this.#held.slice(having);
    const steps = await this.#routing.take(going);
    this.#held = waiting;
    if (steps.length === 0) {
      this.#failedRounds = 0;
      // What was put off has others behind it.
      return going.length > 0 || claimed.length > 0;
    }
    const stepping = steps.map(({ held }) => held);
    // Until the step has answered, all of it is held: a step that throws is simply taken again, for its repeats write nothing.
    this.#held = [...waiting, ...stepping];
    const { leaseMs } = this.#context.settings.worker;
    const keep = this.#places.lasting - waiting.length;
    let expanded: Expanded;
    try {
      const leaseOf = (at: number): number => (at < keep ? leaseMs : 0);
      expanded =
        this.#failedRounds < TOGETHER ? await this.#together(steps, leaseOf) : await this.#oneByOne(steps, leaseOf);
    } finally {
      // Also after a failed round: a lease that is renewed without being worked on would never be anybody's again.
      for (const { record, fence } of stepping) this.#parts.leases.drop(record.id, fence);
    }
    this.#failedRounds = 0;
    this.#places.worked(steps.length, sum(steps.map(deliveriesOf)));
    const { held: more, ahead } = expanded;
    for (const { record, fence } of more) this.#parts.leases.hold(record.id, fence);
    backlog.added(ahead);
    this.#held = [...waiting, ...more];
    this.#parts.added();
    return true;
  }

  async #together(steps: readonly Step[], leaseMs: (at: number) => number): Promise<Expanded> {
    const parts: Expanded[] = [];
    let before = 0;
    for (const some of inShares(steps, mostAdded(this.#context.settings.worker.chunk), deliveriesOf)) {
      const from = before;
      parts.push(await fanOut(this.#context, some, (at) => leaseMs(from + at)));
      before += some.length;
    }
    return { held: parts.flatMap(({ held }) => held), ahead: sum(parts.map(({ ahead }) => ahead)) };
  }

  /** What fails alone is let go, and its lease with it: in the end it fails by the cap, and keeps nobody. What all fail at is the store. */
  async #oneByOne(steps: readonly Step[], leaseMs: (at: number) => number): Promise<Expanded> {
    const failures: unknown[] = [];
    const held: HeldNotification[] = [];
    let ahead = 0;
    for (const [at, each] of steps.entries()) {
      try {
        const one = await fanOut(this.#context, [each], () => leaseMs(at));
        held.push(...one.held);
        ahead += one.ahead;
      } catch (thrown) {
        failures.push(thrown);
      }
    }
    if (failures.length === steps.length) throw failures[0];
    for (const thrown of failures) this.#parts.health.noted('work', thrown);
    return { held, ahead };
  }

  /**
   * First pages never wait for room; later ones of a notification that found no place among the held do, and so does what a type's route
   * has no time for. They wait in the ledger, where nothing is ahead.
   */
  async #putOff(fresh: readonly HeldNotification[]): Promise<readonly HeldNotification[]> {
    const { backlog, leases } = this.#parts;
    const hasRoom = backlog.hasRoom || backlog.regardless > 0;
    const mayGo = ({ record, page }: HeldNotification): boolean =>
      page === null ? !this.#routing.isFull(record.type) : hasRoom || record.cursor === 0;
    const later = fresh.filter((each) => !mayGo(each));
    if (later.length === 0) return fresh;
    for (const { record, fence } of later) leases.drop(record.id, fence);
    await this.#release(later, this.#context.settings.worker.sweepMs);
    return fresh.filter(mayGo);
  }

  async #claim(): Promise<readonly HeldNotification[]> {
    const room = this.#places.count - this.#held.length - this.#routing.moving;
    if (room <= 0) return [];
    const { clock, eventsQueue, settings } = this.#context;
    // Also under wakes that never end: they may all be about nothing, and what has none is due all the same.
    const isTime = !this.#hasAsked && clock.monotonic() - this.#askedAt >= settings.worker.lateMs;
    const wakes = isTime ? [] : this.#inbox.splice(0, room);
    this.#hasAsked = wakes.length === 0;
    if (wakes.length > 0) return this.#claimBy(this.#selectorOf(wakes), wakes);
    this.#askedAt = clock.monotonic();
    if (this.#inbox.length > 0) this.#nap.wake();
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
    this.#parts.health.worked('ledger');
    const granted = new Map<string, HeldNotification>();
    verdicts.forEach((verdict, at) => {
      const wake = wakes[at];
      this.#dispose(verdict, wake === undefined ? [] : [wake]);
      if (verdict.kind !== 'granted') return;
      this.#parts.leases.hold(verdict.id, verdict.fence);
      granted.set(verdict.id, verdict);
    });
    this.#granted += granted.size;
    return [...granted.values()];
  }

  /** A granted notification's wake is done with at once: its lease is in the ledger, which brings it back if this process dies. */
  #dispose(verdict: NotificationVerdict, wakes: readonly ReceivedWake[]): void {
    if (verdict.kind === 'granted') this.#parts.wakes.ack(wakes);
    else this.#parts.wakes.byVerdict(verdict, wakes);
  }

  async #giveBack(): Promise<void> {
    const held = [...this.#held, ...this.#routing.stop()];
    if (held.length > 0) await this.#release(held, 0);
  }

  /** What cannot be given back lapses by itself. */
  async #release(held: readonly HeldNotification[], delayMs: number): Promise<void> {
    try {
      await this.#context.ledger.release(
        held.map(({ record, fence }) => ({ id: record.id, fence, delayMs, failure: null })),
      );
    } catch (thrown) {
      this.#parts.health.noted('ledger', thrown);
    }
  }
}

const deliveriesOf = (step: Step): number => (step.kind === 'add' ? step.deliveries.length : 0);

const sum = (counts: readonly number[]): number => counts.reduce((all, each) => all + each, 0);
