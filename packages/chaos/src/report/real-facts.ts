import type { RealFacts, RealKill } from '../processes/facts.ts';
import type { ServerStrike } from '../processes/server-faults.ts';
import { count, duration, plural } from './format.ts';

type Fact = readonly [name: string, text: string];

const MOST_KILLS = 5;

const ENDS: Readonly<Record<RealFacts['end'], string>> = {
  settled: '',
  quiet: '; ended because nothing moved any more',
  timeout: '; ended because it took too long',
  interrupted: '; interrupted',
};

/** The lines of a run of real processes, where a virtual one tells of its time. */
export function realFacts(real: RealFacts, wallMs: number): Fact[] {
  const { ledger, queue, folder, leaseMs, dispatchMs, kills, messages, end, crashes, servers } = real;
  const clock = real.speed === 1 ? '' : `; their clock runs ${count(real.speed)} times as fast as this machine's`;
  const windows = `lease ${duration(leaseMs)}, dispatch window ${duration(dispatchMs)}${clock}`;
  const shown = kills.slice(0, MOST_KILLS).map((kill): Fact => ['killed', killWords(kill, real)]);
  const more: Fact[] = kills.length > MOST_KILLS ? [['killed', `and ${count(kills.length - MOST_KILLS)} more`]] : [];
  const ended: Fact[] =
    crashes.length === 0 ? [] : [['crashed', plural(crashes.length, 'worker process', 'worker processes')]];
  return [
    ['processes', `real ones; ${windows}`],
    ...shown,
    ...more,
    ...ended,
    ...servers.map((strike): Fact => [strike.do === 'wipe' ? 'wiped' : 'restarted', strikeWords(strike)]),
    ['ledger', folder === null && !isKept(real) ? `${ledger} (removed; --keep leaves it)` : ledger],
    ...(queue === null ? [] : [['queue', queue] as const]),
    ['mailbox', `${plural(messages, 'message')}${folder === null ? '' : `, in ${folder}/mailbox.ndjson`}`],
    ['took', `${duration(wallMs)}${ENDS[end]}`],
  ];
}

/** A ledger of the user's own stays where it is. */
function isKept({ ledger }: RealFacts): boolean {
  return !ledger.includes('sendonce-real-');
}

function strikeWords({ do: what, server, acceptance, startedAt, at }: ServerStrike): string {
  const back = what === 'wipe' && server === 'ledger' ? 'and published to again' : 'and back';
  return `the ${server}, at acceptance ${count(acceptance)}, ${back} after ${duration(at - startedAt)}`;
}

function killWords({ worker, pid, why, recovery }: RealKill, { recoverWithinMs }: RealFacts): string {
  const who = `${worker}, process ${pid} (${why})`;
  if (recovery === null) return who;
  const { orphans, firstMs, lastMs } = recovery;
  if (orphans === 0) return `${who}: it held nothing`;
  const held = `${who}: it held ${plural(orphans, 'delivery', 'deliveries')}`;
  if (firstMs === null || lastMs === null) return `${held}, and none of them moved again`;
  return `${held}; the first moved again ${duration(firstMs)} later, the last ${duration(lastMs)} (bound for the first: ${duration(recoverWithinMs)})`;
}
