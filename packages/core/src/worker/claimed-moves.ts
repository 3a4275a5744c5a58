import type { DeliveryRecord } from '../model/delivery.ts';
import { POISON_LAPSES } from '../model/steps/claim.ts';
import type { DeliveryVerdict } from '../ports/ledger.ts';
import type { Context } from '../stages/context.ts';
import { emitMove, recordsToTell } from '../stages/events.ts';

/** Ids kept so that a wake which comes again does not tell a move again. */
const REMEMBERED = 1_000;
/** A death that is older was noticed when it happened; a wake that comes this late is a stray copy, ms. */
const FRESH_MS = 600_000;

/**
 * Tells the moves that a claim makes by itself: the last claim of a payload that kills its process ends it as poison, and a claim that
 * comes before the sweeper makes an overdue `dispatching` record `unknown`. The verdict says only how things stand, so the record and
 * its history are asked, and only where such a move is possible.
 */
export class ClaimedMoves {
  readonly #context: Context;
  readonly #owner: string;
  readonly #told = new Set<string>();

  constructor(context: Context, owner: string) {
    this.#context = context;
    this.#owner = owner;
  }

  /** Whether the claim itself may have made it so. */
  isCandidate(verdict: DeliveryVerdict): boolean {
    return verdict.kind === 'unknown' || (verdict.kind === 'settled' && verdict.state === 'dead');
  }

  async tell(ids: readonly string[]): Promise<void> {
    for (const record of await recordsToTell(this.#context, ids)) {
      if (this.#told.has(keyOf(record)) || !(await this.#isOurs(record))) continue;
      this.#remember(keyOf(record));
      emitMove(this.#context, record, record.state, record.reason);
    }
  }

  /**
   * A death by poison is told by whoever meets it first, since the process whose claim made it may not have heard the answer; better
   * told twice than never. What became `unknown` is told once more when it is decided, so there only the claim's own process tells it.
   */
  async #isOurs(record: DeliveryRecord): Promise<boolean> {
    if (record.state === 'dead')
      return record.lapses >= POISON_LAPSES && this.#context.clock.now() - (record.settledAt ?? 0) < FRESH_MS;
    if (record.state !== 'unknown') return false;
    const last = (await this.#context.ledger.history(record.id)).at(-1);
    return (
      last?.to === 'unknown' &&
      last.from !== 'unknown' &&
      last.by === this.#owner &&
      last.note === record.reason &&
      !this.#wasSettled(record)
    );
  }

  /** An outcome that is unknown was told by the settle that wrote it, under the same name. */
  #wasSettled(record: DeliveryRecord): boolean {
    return record.lapses < POISON_LAPSES && record.reason !== LAPSED;
  }

  #remember(key: string): void {
    if (this.#told.size >= REMEMBERED) this.#told.clear();
    this.#told.add(key);
  }
}

/** As `lapse` in the model words it. */
const LAPSED = 'no outcome inside the dispatch window';

function keyOf({ id, fence, state }: DeliveryRecord): string {
  return `${id} ${fence} ${state}`;
}
