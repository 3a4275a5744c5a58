import type { Connection } from './database.ts';
import { isMoment } from './sound.ts';

/** What the clock of the host said, and what the ledger made of it; epoch ms. */
export interface Tick {
  readonly wall: number;
  readonly time: number;
}

/** So far the ledger stays ahead of a host whose clock was set back: an hour, as by hand for summer time, and a little, ms. */
export const MOST_AHEAD_MS: number = 65 * 60_000;
/** How often it is written down, ms: after a step back the ledger's time goes on from what was written last. */
const WRITE_EVERY_MS = 1_000;

/**
 * The ledger's time, which does not go back with the clock of the host: what was due stays due, and what waits for its time goes on
 * waiting no longer than twice as long. While it is ahead it runs at half speed, until the two agree again. Beyond `MOST_AHEAD_MS` the
 * host is believed: one wrong date must not lead the ledger for a year.
 */
export function timeAt(wall: number, last: Tick | null): number {
  if (last === null || wall >= last.time || last.time - wall > MOST_AHEAD_MS) return wall;
  // Set back since: how long ago nobody knows, so no time has passed.
  const passed = Math.max(0, wall - last.wall);
  return Math.max(wall, last.time + Math.floor(passed / 2));
}

/** For whoever only looks. */
export function storeTime(connection: Connection, wall: number): number {
  return timeAt(wall, lastTick(connection));
}

/** The same in a transaction that writes: remembered, so that all processes on one file agree. */
export function tick(connection: Connection, wall: number): number {
  const last = lastTick(connection);
  const time = timeAt(wall, last);
  const isSetBack = last !== null && wall < last.wall - WRITE_EVERY_MS;
  if (last === null || isSetBack || time - last.time >= WRITE_EVERY_MS)
    connection.run(
      `INSERT INTO sendonce_clock (id, wall, time) VALUES (1, ?, ?)
       ON CONFLICT (id) DO UPDATE SET wall = excluded.wall, time = excluded.time`,
      wall,
      time,
    );
  return time;
}

function lastTick(connection: Connection): Tick | null {
  const row = connection.get<Tick>('SELECT wall, time FROM sendonce_clock');
  return row !== undefined && isMoment(row.wall) && isMoment(row.time) ? row : null;
}
