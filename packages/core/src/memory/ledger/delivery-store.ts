import { DELIVERY_STATES, type DeliveryRecord, type DeliveryState } from '../../model/delivery.ts';
import { arena, type ChunkPool } from './arena.ts';
import { byteReader, byteWriter } from './bytes.ts';
import { codec, type Shared } from './codec.ts';
import { hashIndex } from './hash-index.ts';

/**
 * Where the delivery records are. Each has a slot, a small number, for as long as the ledger lives. A record is *live* (an object)
 * or *cold* (a row outside the heap): settled ones, and new ones beyond `liveLimit` that nobody has touched yet.
 */
export interface DeliveryStore {
  /** One more than the highest slot. */
  readonly size: number;
  /** -1 when there is no such delivery. */
  slotOf(id: string): number;
  at(slot: number): DeliveryRecord | undefined;
  stateAt(slot: number): DeliveryState | undefined;
  insert(record: DeliveryRecord): number;
  replace(slot: number, record: DeliveryRecord): void;
  /** Makes it cold, as the given record. */
  chill(slot: number, record: DeliveryRecord): void;
  /** Forgets it; its slot is not used again. */
  remove(slot: number): void;
}

const NOWHERE = 2 ** 32 - 1;
const NUMBER_OF: Readonly<Record<string, number>> = Object.fromEntries(
  DELIVERY_STATES.map((state, i) => [state, i + 1]),
);

export function deliveryStore(shared: Shared, liveLimit: number, pool: ChunkPool): DeliveryStore {
  const live = new Map<number, DeliveryRecord>();
  // Apart, because new rows leave in the order in which they came, and then free whole chunks.
  const fresh = arena(pool);
  const settled = arena(pool);
  const rows = codec(shared);
  const row = byteWriter();
  const reader = byteReader();
  const index = hashIndex((slot, id) => idAt(slot) === id);
  let addresses = new Uint32Array(128);
  /** The state's number, 0 when vacant. Lets lists and counts pass over a row without reading it. */
  let states = new Uint8Array(128);
  let size = 0;

  const arenaOf = (state: number): typeof fresh => (state === NUMBER_OF['queued'] ? fresh : settled);

  /** False when there is no row in that slot. */
  function locate(slot: number): boolean {
    const state = states[slot] ?? 0;
    if (state === 0) return false;
    arenaOf(state).locate(addresses[slot] as number, reader);
    return true;
  }

  function at(slot: number): DeliveryRecord | undefined {
    return live.get(slot) ?? (locate(slot) ? rows.read(reader) : undefined);
  }

  function idAt(slot: number): string | undefined {
    return live.get(slot)?.id ?? (locate(slot) ? rows.readId(reader) : undefined);
  }

  function leave(slot: number): void {
    if (!live.delete(slot) && addresses[slot] !== NOWHERE)
      arenaOf(states[slot] as number).free(addresses[slot] as number);
    addresses[slot] = NOWHERE;
  }

  function settleIn(slot: number, record: DeliveryRecord, isCold: boolean): void {
    const state = NUMBER_OF[record.state] as number;
    states[slot] = state;
    if (!isCold) {
      live.set(slot, record);
      return;
    }
    row.reset();
    rows.write(row, record);
    addresses[slot] = arenaOf(state).write(row);
  }

  function grow(): void {
    const [oldAddresses, oldStates] = [addresses, states];
    addresses = new Uint32Array(oldAddresses.length * 2);
    addresses.set(oldAddresses);
    states = new Uint8Array(oldStates.length * 2);
    states.set(oldStates);
  }

  return {
    get size() {
      return size;
    },
    slotOf: index.find,
    at,
    stateAt(slot) {
      return DELIVERY_STATES[(states[slot] ?? 0) - 1];
    },
    insert(record) {
      const slot = size;
      size += 1;
      if (slot >= states.length) grow();
      addresses[slot] = NOWHERE;
      settleIn(slot, record, record.state === 'queued' && live.size >= liveLimit);
      index.add(record.id, slot);
      return slot;
    },
    replace(slot, record) {
      if (!live.has(slot)) leave(slot);
      settleIn(slot, record, false);
    },
    chill(slot, record) {
      leave(slot);
      settleIn(slot, record, true);
    },
    remove(slot) {
      leave(slot);
      states[slot] = 0;
    },
  };
}
