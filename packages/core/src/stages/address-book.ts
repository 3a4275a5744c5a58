import { reasonOf } from '../model/errors.ts';
import type { Channel } from '../model/classes.ts';
import type { Target } from '../model/recipient.ts';
import type { Clock } from '../ports/clock.ts';
import { MOST_DESTINATIONS, type Destinations } from '../ports/destinations.ts';
import type { TelemetryEvent } from '../ports/telemetry.ts';
import type { PruningSettings } from '../policy/pruning.ts';
import { destined, questionOf, type Answer, type Destined, type Question } from './destined.ts';
import { inShares } from './in-shares.ts';
import { inTime } from './in-time.ts';

export interface AddressBookOptions {
  readonly clock: Clock;
  readonly emit: (event: TelemetryEvent) => void;
  readonly channels: ReadonlyMap<Channel, unknown>;
  readonly pruning: PruningSettings;
}

/** Targets that are asked about in one call of each kind, unless one page has more. */
const AT_ONCE = 1_000;

/** A page that waits for its answers. */
interface Asked {
  readonly questions: readonly Question[];
  readonly limitMs: number;
  readonly answer: (answers: readonly Answer[]) => void;
  readonly fail: (thrown: unknown) => void;
}

/**
 * The destinations as the stages use them: pages that are asked about in the same turn are one call of each kind, every call ends in its
 * time, and a store that is away is told once.
 */
export class AddressBook {
  readonly port: Destinations;
  readonly pruning: PruningSettings;
  readonly #options: AddressBookOptions;
  #asked: Asked[] = [];
  #isFailing = false;

  constructor(port: Destinations, options: AddressBookOptions) {
    this.port = port;
    this.pruning = options.pruning;
    this.#options = options;
  }

  /** The page as it is sent to, or why that is not known now. `limitMs`: how long it is waited for. Never rejects. */
  async lookUp(tenant: string, page: readonly Target[], limitMs: number): Promise<Destined | string> {
    const questions = page.map((target) => questionOf(tenant, target, this.#options.channels));
    if (questions.every(({ kind }) => kind === 'none')) return { targets: page, failures: new Map() };
    try {
      const found = destined(page, await this.#ask(questions, limitMs));
      this.worked();
      return found;
    } catch (thrown) {
      return `the destinations could not be read: ${this.failed(thrown)}`;
    }
  }

  /** Calls the store in time. @throws what it throws, or that it gave no answer. */
  async bounded<T>(work: Promise<T>, limitMs: number): Promise<T> {
    return inTime(this.#options.clock, work, limitMs, () => {
      throw new Error(`no answer within ${limitMs} ms`);
    });
  }

  /** Makes it heard, once until something works again; answers it in words. */
  failed(thrown: unknown): string {
    const reason = reasonOf(thrown);
    if (!this.#isFailing) this.#tell({ kind: 'worker.degraded', worker: WORKER, reason: `destinations: ${reason}` });
    this.#isFailing = true;
    return reason;
  }

  /** It answers again. */
  worked(): void {
    if (this.#isFailing) this.#tell({ kind: 'worker.recovered', worker: WORKER });
    this.#isFailing = false;
  }

  #tell(
    event: { kind: 'worker.degraded'; worker: string; reason: string } | { kind: 'worker.recovered'; worker: string },
  ): void {
    this.#options.emit({ ...event, at: this.#options.clock.now() });
  }

  #ask(questions: readonly Question[], limitMs: number): Promise<readonly Answer[]> {
    return new Promise((answer, fail) => {
      this.#asked.push({ questions, limitMs, answer, fail });
      if (this.#asked.length === 1) queueMicrotask(() => void this.#askAll(this.#asked.splice(0)));
    });
  }

  /** A part after the other, each in its own time: however many pages there are, what a slow store has answered goes on. */
  async #askAll(asked: readonly Asked[]): Promise<void> {
    let failure: { readonly thrown: unknown } | null = null;
    for (const some of inShares(asked, AT_ONCE, ({ questions }) => questions.length)) {
      try {
        // A store that is away is not waited for again by each part.
        if (failure !== null) throw failure.thrown;
        const limitMs = Math.min(...some.map((each) => each.limitMs));
        const answers = await this.bounded(this.#answersTo(some.flatMap((each) => each.questions)), limitMs);
        let from = 0;
        for (const each of some) each.answer(answers.slice(from, (from += each.questions.length)));
      } catch (thrown) {
        failure = { thrown };
        for (const each of some) each.fail(thrown);
      }
    }
  }

  async #answersTo(questions: readonly Question[]): Promise<readonly Answer[]> {
    const owners = questions.flatMap((each) => (each.kind === 'owner' ? [each.owner] : []));
    const addresses = questions.flatMap((each) => (each.kind === 'address' ? [each.address] : []));
    const [found, health] = await Promise.all([
      inParts(owners, (part) => this.port.of(part)),
      inParts(addresses, (part) => this.port.health(part)),
    ]);
    let [ofOwner, ofAddress] = [0, 0];
    return questions.map(({ kind }) => {
      if (kind === 'none') return null;
      return kind === 'owner' ? found[ofOwner++]! : health[ofAddress++]!;
    });
  }
}

/** The name by which telemetry tells of a store that is away. */
const WORKER = 'destinations';

/** @throws Error where the store does not answer one for each, in its place: whose answer is whose could not be told. */
async function inParts<Asked, Answered>(
  items: readonly Asked[],
  call: (part: readonly Asked[]) => Promise<readonly Answered[]>,
): Promise<readonly Answered[]> {
  const answers: Answered[] = [];
  for (let at = 0; at < items.length; at += MOST_DESTINATIONS) {
    const part = items.slice(at, at + MOST_DESTINATIONS);
    const answered: unknown = await call(part);
    if (!Array.isArray(answered) || answered.length !== part.length || answered.includes(undefined))
      throw new Error(`the store answered ${reasonOf(answered)} about ${part.length}`);
    answers.push(...(answered as Answered[]));
  }
  return answers;
}
