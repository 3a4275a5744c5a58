import { makeLedger } from './ledger-address.ts';
import type { Place, PlaceOptions } from './place.ts';
import { makeQueue } from './queue-address.ts';

/** What a run made for itself outside its folder. */
export interface Places {
  /** Null: in the folder of the run. */
  readonly ledger: Place | null;
  /** Null: the run's own, or none. */
  readonly queue: Place | null;
  /** Takes all of it away. A second call does nothing. */
  remove(): Promise<void>;
}

export interface Addresses {
  readonly ledger: string | null;
  readonly queue: string | null;
}

/** Makes both, or leaves nothing behind. @throws what making the ledger or the queue throws */
export async function makePlaces({ ledger, queue }: Addresses, options: PlaceOptions): Promise<Places> {
  const made: Place[] = [];
  const remove = async (): Promise<void> => {
    const results = await Promise.allSettled(made.map((place) => place.remove()));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  };
  const keep = (place: Place): Place => {
    made.push(place);
    return place;
  };
  try {
    return {
      ledger: ledger === null ? null : keep(await makeLedger(ledger, options)),
      queue: queue === null ? null : keep(await makeQueue(queue, options)),
      remove,
    };
  } catch (error) {
    await remove().catch(() => undefined);
    throw error;
  }
}
