/** Notifications in hand at least: enough for batches, and few enough that a page of each is no matter. */
const LEAST = 20;
/** At most, while each is about a few people: a call of a ledger that writes as many is no longer cheaper by the piece. */
const MOST = 200;
/** Of these places, how many are kept for new ones whatever large ones are being expanded. */
const KEPT_FOR_NEW = 4;
/** Deliveries by notification up to which more are taken in hand. */
const FEW = 10;
/** Targets that may come at once with a claim, should all that is claimed turn out to be large. */
const TARGETS = 100_000;

/**
 * How many notifications a worker has in hand. A claim brings a page of each, and how large those are is known only then: so it takes
 * twice as many, again and again, as long as all places are taken and few deliveries come of them, and begins anew when many do.
 */
export class Places {
  readonly #most: number;
  #count = LEAST;

  /** @param chunk the worker option: targets per page at most */
  constructor(chunk: number) {
    this.#most = Math.max(LEAST, Math.min(MOST, Math.floor(TARGETS / chunk)));
  }

  get count(): number {
    return this.#count;
  }

  /** Places that large ones, with pages to come, may keep from one round to the next. */
  get lasting(): number {
    return LEAST - KEPT_FOR_NEW;
  }

  /** So many notifications made a step, and so many deliveries came of it. */
  worked(notifications: number, deliveries: number): void {
    if (deliveries > notifications * FEW) this.#count = LEAST;
    else if (notifications >= this.#count) this.#count = Math.min(this.#most, this.#count * 2);
  }
}

/** Deliveries that one call adds at most, unless one notification has more by itself: as many as the least of places may bring. */
export function mostAdded(chunk: number): number {
  return LEAST * chunk;
}
