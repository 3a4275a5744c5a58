// CPU time of a PostgreSQL server on this machine: on a busy one it says more than a rate.
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Seconds that the server behind this pool has used, with all its processes; NaN where that cannot be seen. */
export async function serverCpu(pool) {
  const { rows } = await pool.query('SELECT pg_backend_pid() AS pid');
  try {
    const parent = statOf(rows[0].pid).parent;
    // Those that have ended are counted by their parent.
    const living = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const own = living.map(statOf).filter((each) => each?.parent === parent);
    return own.reduce((sum, { ticks }) => sum + ticks, statOf(parent).ended) / TICKS_PER_SECOND;
  } catch {
    return NaN;
  }
}

function statOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ').map(Number);
    return { parent: fields[1], ticks: fields[11] + fields[12], ended: fields[13] + fields[14] };
  } catch {
    return undefined;
  }
}
