import type { Schedule } from '../schedule.ts';

/** Notices a search in which nobody was to be written to: whatever it proves, it proves it of nothing. */
export class Nobody {
  #somebody = false;
  #schedules = 0;
  /** The first notification that gave up before it reached anybody, and why. */
  #failed: { readonly notification: string; readonly reason: string } | null = null;

  saw({ result, raw }: Schedule): void {
    this.#schedules++;
    // A producer that stopped half-way had somebody in mind, and its notification is listed.
    this.#somebody ||= result.requested > 0 || result.unsealed.length > 0;
    const [first] = raw.facts.failedNotifications;
    if (first === undefined || this.#failed !== null) return;
    const { notificationId, reason } = first;
    this.#failed = {
      notification: raw.publicationOf(notificationId) ?? notificationId,
      reason: reason ?? 'no reason given',
    };
  }

  /** Empty when somebody was to be written to, or when nothing has run. */
  doubts(): readonly string[] {
    if (this.#somebody || this.#schedules === 0) return [];
    if (this.#failed === null)
      return [
        'nobody was to be written to: nothing was published, or no route named a recipient; a run needs one recipient at least',
      ];
    const { notification, reason } = this.#failed;
    return [
      `nobody was to be written to: every route gave up, the first of ${notification}: ${reason}; mend the route, or what its type's sample makes`,
    ];
  }
}
