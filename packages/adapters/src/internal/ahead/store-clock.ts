/**
 * The store's clock without asking it: its last answers, and this process's own clock since. What it says is never ahead of the store, so
 * a decision is made by a moment that the store had; by how much it may be behind is what one answer took on its way.
 */
export interface StoreClock {
  /** A moment of the store, from an answer to a request that left at `askedAt`. */
  sample(storeMs: number, askedAt: number): void;
  /** A moment that the store has reached, epoch ms; null: there is no answer good enough to say. */
  atLeast(): number | null;
}

interface Sample {
  readonly storeMs: number;
  readonly receivedAt: number;
  readonly tookMs: number;
}

/** An answer that took longer says too little. */
const WORST_MS = 250;
/** Two clocks of our time differ by less, per ms. */
const DRIFT = 0.000_5;
/** After that another answer takes the place of the best one, ms. */
const OLD_MS = 30_000;

export function storeClock(monotonic: () => number): StoreClock {
  let best: Sample | null = null;

  const least = ({ storeMs, receivedAt }: Sample, at: number): number =>
    storeMs + (at - receivedAt) - (at - receivedAt) * DRIFT;
  const most = (sample: Sample, at: number): number =>
    sample.storeMs + (at - sample.receivedAt) * (1 + DRIFT) + sample.tookMs + 1;

  /** Whether the clock went as it should between the two; if not, somebody has set it. */
  function agrees(before: Sample, { storeMs, receivedAt, tookMs }: Sample): boolean {
    return storeMs + tookMs + 1 >= least(before, receivedAt) && storeMs <= most(before, receivedAt);
  }

  return {
    sample(storeMs, askedAt) {
      const receivedAt = monotonic();
      const sample = { storeMs, receivedAt, tookMs: receivedAt - askedAt };
      const isBetter =
        best === null || sample.tookMs <= best.tookMs || receivedAt - best.receivedAt > OLD_MS || !agrees(best, sample);
      if (isBetter) best = sample;
    },
    atLeast: () => (best === null || best.tookMs > WORST_MS ? null : Math.floor(least(best, monotonic()))),
  };
}
