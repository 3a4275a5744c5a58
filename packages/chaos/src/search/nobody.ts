import type { Seen } from './seen.ts';

/** Schedules, each with samples of its own, after which a search in which nobody is reached is given up. */
const ENOUGH = 3;

/** Why a notification or a delivery came to nothing. */
interface Reason {
  readonly whose: string;
  readonly reason: string;
}

/**
 * Notices a search in which nobody was to be written to, or nobody could be: whatever it proves, it proves it of nothing. A fault of the
 * user's own that strikes some is listed, and the others show what the run is about.
 */
export class Nobody {
  #somebody = false;
  #messages = 0;
  #isOwnFault = false;
  #schedules = 0;
  /** The first notification that gave up before it reached anybody, and why. */
  #failed: Reason | null = null;
  /** The same of a recipient. */
  #given: Reason | null = null;

  saw(schedule: Seen): void {
    const { result, messages, gaveUp } = schedule;
    this.#schedules++;
    // A producer that stopped half-way had somebody in mind, and its notification is listed.
    this.#somebody ||= result.requested > 0 || result.unsealed.length > 0;
    this.#messages += messages;
    this.#isOwnFault ||= isOwnFault(schedule);
    const [given] = result.notSent;
    if (given !== undefined) this.#given ??= { whose: given.recipient, reason: `${given.state}, ${given.reason}` };
    this.#failed ??= gaveUp;
  }

  /** Nobody was reached so often, through code that no fault touches: more schedules reach nobody either. */
  get isHopeless(): boolean {
    const isOwn = this.#isOwnFault || this.#failed !== null;
    return this.#schedules >= ENOUGH && isOwn && this.doubts().length > 0;
  }

  /** Empty when somebody was to be written to and could be, or when nothing has run. */
  doubts(): readonly string[] {
    if (this.#schedules === 0) return [];
    if (!this.#somebody) return [this.#noRecipients()];
    return this.#messages === 0 && this.#isOwnFault ? [this.#nobodyReached()] : [];
  }

  #noRecipients(): string {
    if (this.#failed === null)
      return 'nobody was to be written to: nothing was published, or no route named a recipient; a run needs one recipient at least';
    const { whose, reason } = this.#failed;
    return `nobody was to be written to: every route gave up, the first of ${whose}: ${reason}; mend the route, or what its type's sample makes`;
  }

  #nobodyReached(): string {
    const first = this.#given === null ? '' : `, the first, ${this.#given.whose}: ${this.#given.reason}`;
    return `nobody got a message, and no fault kept it from them${first}; mend the content, the addresses or the expiry of the types`;
  }
}

/** Nothing was sent to anybody, and nothing that broke in the run can have been why. */
function isOwnFault({ result, messages, asked }: Seen): boolean {
  const { requested, tally, fired } = result;
  if (requested === 0 || messages > 0) return false;
  // A fault keeps a message; it does not make content that cannot be made, or an address that is none.
  return !fired.some(Boolean) || (tally.failed === requested && asked === 0);
}
