import type { Place, PlaceOptions } from '../place.ts';
import { once } from '../place.ts';

/** A server that the run started for itself, on the loopback interface, at a free port, in a folder of its own. */
export interface OwnServer {
  readonly address: string;
  /** Crashes it, and brings it back with what it has on its disk. */
  restart(): Promise<void>;
  /** Crashes it, and brings it back empty. Null: what it forgets is of no use to anybody. */
  readonly wipe: (() => Promise<void>) | null;
  close(): Promise<void>;
}

/** The place at a server of the run's own: it goes with the server. */
export async function placeAt(
  server: OwnServer,
  make: (address: string, options: PlaceOptions) => Promise<Place>,
): Promise<Place> {
  try {
    // What is on it goes with it.
    const place = await make(server.address, { keep: true });
    return {
      ...place,
      restart: () => server.restart(),
      wipe: server.wipe ?? place.wipe,
      remove: once(async () => {
        await place.remove().finally(() => server.close());
      }),
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}
