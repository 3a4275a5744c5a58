import type { Targets } from '../config.ts';
import { reasonOf } from '../model/errors.ts';
import { toTarget, type Target, type TargetInput } from '../model/recipient.ts';
import type { AddressRules } from '../ports/addresses.ts';
import type { Clock } from '../ports/clock.ts';
import { inTime } from './in-time.ts';
import { isThenable } from './thenable.ts';

/** The recipients could not be read: the fault of whoever gave them, not of the ledger. */
export class BrokenTargets extends Error {
  constructor(cause: unknown) {
    super(reasonOf(cause), { cause });
    this.name = 'BrokenTargets';
  }
}

export interface TargetReaderOptions {
  readonly pageSize: number;
  /** How long the source may take over one page; null: for ever. */
  readonly limit: { readonly clock: Clock; readonly pageMs: number } | null;
  readonly rules: AddressRules;
}

export interface TargetPage {
  readonly targets: readonly Target[];
  readonly last: boolean;
}

/** Recipients, page by page. */
export interface TargetPages {
  page(): Promise<TargetPage>;
  /** No more pages are wanted. */
  close(): void;
}

/** Recipients that are in hand already, as pages. */
export function pagesInHand(targets: readonly Target[], pageSize: number): TargetPages {
  let at = 0;
  return {
    async page() {
      const page = targets.slice(at, (at += pageSize));
      return { targets: page, last: at >= targets.length };
    },
    close: () => undefined,
  };
}

/** Reads a source of recipients page by page, each within its time. */
export class TargetReader implements TargetPages {
  readonly #options: TargetReaderOptions;
  readonly #source: Targets;
  #iterator: Iterator<TargetInput> | AsyncIterator<TargetInput> | null = null;
  /** One target of look-ahead tells the last page, so an exact multiple of the page size needs no empty one. */
  #ahead: Target | null = null;
  #ended = false;

  constructor(source: Targets, options: TargetReaderOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** @throws BrokenTargets whatever the source throws, or when it takes too long; it is not read any further then. */
  async page(): Promise<TargetPage> {
    const { limit } = this.#options;
    try {
      if (limit === null) return await this.#read();
      return await inTime(limit.clock, this.#read(), limit.pageMs, () => {
        throw new Error(`no page of targets within ${limit.pageMs} ms`);
      });
    } catch (thrown) {
      throw new BrokenTargets(thrown);
    }
  }

  async #read(): Promise<TargetPage> {
    const iterator = (this.#iterator ??= iteratorOf(this.#source));
    const { pageSize, rules } = this.#options;
    const held: Target[] = this.#ahead === null ? [] : [this.#ahead];
    this.#ahead = null;
    while (!this.#ended) {
      const step: Step | PromiseLike<Step> = iterator.next();
      const { done, value } = isResult(step) ? step : await step;
      if (done === true) this.#ended = true;
      else if (held.length < pageSize) held.push(toTarget(value, rules));
      else {
        this.#ahead = toTarget(value, rules);
        return { targets: held, last: false };
      }
    }
    return { targets: held, last: true };
  }

  /** Lets the source clean up. One that hangs is not waited for: it would hang here too. */
  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    try {
      void Promise.resolve(this.#iterator?.return?.()).catch(ignore);
    } catch {
      // It was abandoned; what it has to say about that is of no use to anybody.
    }
  }
}

/** What a source that was not checked may give. */
type Step = IteratorResult<TargetInput, TargetInput>;

const ignore = (): void => undefined;

/** A synchronous source costs no promise per target. */
function isResult(step: Step | PromiseLike<Step>): step is Step {
  return !isThenable(step);
}

/** Whether recipients can be read from it. A text could, letter by letter, and is refused: it is one address that lacks its brackets. */
export function isTargets(given: unknown): given is Targets {
  return typeof given === 'object' && given !== null && (Symbol.iterator in given || Symbol.asyncIterator in given);
}

function iteratorOf(source: Targets): Iterator<TargetInput> | AsyncIterator<TargetInput> {
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
}
