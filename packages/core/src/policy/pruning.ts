/** When evidence about destinations is no longer taken at its word. */
export interface PruningOptions {
  /** Of what one provider said about one channel's destinations lately, more than this part says dead: nothing is deactivated. 0 to 1. @defaultValue 0.2 */
  readonly share?: number;
  /** Below so many dead ones nothing is stopped. 1 to 1,000,000. @defaultValue 10 */
  readonly least?: number;
  /** How far back "lately" goes. 60,000 to 86,400,000 ms. @defaultValue 3_600_000 */
  readonly windowMs?: number;
}

export type PruningSettings = Required<PruningOptions>;

/** How many sends said what. */
export interface Heard {
  readonly dead: number;
  readonly accepted: number;
}

/** What was heard lately, in parts of the window, the oldest first: at most thirteen, however much it is. */
export type Tally = readonly (Heard & { readonly from: number })[];

const PARTS = 12;

/** The tally with this in it, and without what is older than the window. `now` is monotonic, ms. */
export function tallied(tally: Tally, heard: Heard, now: number, { windowMs }: PruningSettings): Tally {
  const from = now - (now % (windowMs / PARTS));
  const young = tally.filter((part) => part.from > now - windowMs);
  const last = young.at(-1);
  if (last === undefined || last.from !== from) return [...young, { from, ...heard }];
  const both = { from, dead: last.dead + heard.dead, accepted: last.accepted + heard.accepted };
  return [...young.slice(0, -1), both];
}

export function sumOf(tally: Tally): Heard {
  let [dead, accepted] = [0, 0];
  for (const part of tally) {
    dead += part.dead;
    accepted += part.accepted;
  }
  return { dead, accepted };
}

/**
 * Whether too many look dead for that to be true. A wrong environment, a wrong key or another app's tokens make all of them look dead, and
 * whoever believes that loses every device at once.
 */
export function isTooMuch({ dead, accepted }: Heard, { share, least }: PruningSettings): boolean {
  return dead >= least && dead > share * (dead + accepted);
}
