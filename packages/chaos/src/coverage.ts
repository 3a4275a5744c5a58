import { DELIVERY_STATES, TRANSITIONS, type DeliveryState } from '@sendonce/core';
import { INVARIANTS, LATER, type SeenMove } from './checkers/index.ts';
import type { EventOf, HistoryEvent, Observer } from './history.ts';
import type { Fault } from './plan.ts';

/** One kind of fault at one site in one phase. */
export interface FaultSite {
  readonly kind: string;
  /** `ledger.mark`, ...; `acceptance` for `--kill-at`. */
  readonly op: string;
  /** A phase, or the moment of a `--kill-at`. */
  readonly phase: string;
  readonly armed: number;
  readonly fired: number;
}

/** Kinds that fired in this order in one schedule. */
export interface FaultPair {
  readonly first: string;
  readonly then: string;
  readonly schedules: number;
}

/** What was tried and what was seen, over all schedules: data for a table or a heat map. */
export interface CoverageData {
  readonly schedules: number;
  readonly faults: readonly FaultSite[];
  readonly pairs: readonly FaultPair[];
  readonly moves: {
    readonly declared: number;
    readonly seen: readonly SeenMove[];
    readonly unseen: readonly { readonly from: DeliveryState; readonly to: DeliveryState }[];
  };
  readonly invariants: { readonly checked: readonly string[]; readonly later: typeof LATER };
}

/** What one schedule tried and saw: data. */
export interface Covered {
  readonly sites: ReadonlyMap<string, SiteCount>;
  /** Two kinds, `first\tthen`, each once. */
  readonly pairs: readonly string[];
  readonly moves: readonly SeenMove[];
}

/** Watches one schedule. */
export interface ScheduleCoverage extends Observer {
  /** With the moves that its judge saw. */
  end(moves: readonly SeenMove[]): Covered;
}

export interface Coverage {
  add(schedule: Covered): void;
  data(): CoverageData;
}

/** First and last firing of a kind in a schedule, as numbers in order. */
interface Span {
  readonly first: number;
  last: number;
}

interface SiteCount {
  armed: number;
  fired: number;
}

export function scheduleCoverage(): ScheduleCoverage {
  const sites = new Map<string, SiteCount>();
  const spans = new Map<string, Span>();
  let order = 0;

  function watch({ what, fault }: EventOf<'fault'>): void {
    if (what === 'healed') return;
    countOf(sites, siteOf(fault))[what] += 1;
    if (what !== 'fired') return;
    const span = spans.get(fault.do);
    if (span === undefined) spans.set(fault.do, { first: order, last: order });
    else span.last = order;
  }

  return {
    on(event: HistoryEvent) {
      if (event.kind !== 'fault') return;
      order += 1;
      watch(event);
    },
    end(moves) {
      const pairs: string[] = [];
      for (const [first, a] of spans)
        for (const [then, b] of spans) if (a.first < b.last) pairs.push(`${first}\t${then}`);
      return { sites, pairs, moves };
    },
  };
}

export function coverage(): Coverage {
  const sites = new Map<string, SiteCount>();
  const pairs = new Map<string, number>();
  const moves = new Map<string, number>();
  let schedules = 0;

  return {
    add(schedule) {
      schedules += 1;
      for (const [site, { armed, fired }] of schedule.sites) {
        const count = countOf(sites, site);
        count.armed += armed;
        count.fired += fired;
      }
      for (const pair of schedule.pairs) increase(pairs, pair, 1);
      for (const { from, to, times } of schedule.moves) increase(moves, `${from}\t${to}`, times);
    },
    data: () => ({
      schedules,
      faults: sorted(sites).map(([site, { armed, fired }]) => {
        const [kind = '', op = '', phase = ''] = site.split('\t');
        return { kind, op, phase, armed, fired };
      }),
      pairs: sorted(pairs).map(([pair, times]) => {
        const [first = '', then = ''] = pair.split('\t');
        return { first, then, schedules: times };
      }),
      moves: movesData(moves),
      invariants: { checked: INVARIANTS, later: LATER },
    }),
  };
}

function movesData(moves: ReadonlyMap<string, number>): CoverageData['moves'] {
  const declared = DELIVERY_STATES.flatMap((from) => TRANSITIONS[from].map((to) => ({ from, to })));
  const times = (from: string, to: string): number => moves.get(`${from}\t${to}`) ?? 0;
  return {
    declared: declared.length,
    seen: declared.flatMap(({ from, to }) => (times(from, to) > 0 ? [{ from, to, times: times(from, to) }] : [])),
    unseen: declared.filter(({ from, to }) => times(from, to) === 0),
  };
}

function siteOf(fault: Fault): string {
  return 'acceptance' in fault
    ? `${fault.do}\tacceptance\t${fault.moment}`
    : `${fault.do}\t${fault.op}\t${fault.phase}`;
}

function countOf(sites: Map<string, SiteCount>, site: string): SiteCount {
  const count = sites.get(site) ?? { armed: 0, fired: 0 };
  sites.set(site, count);
  return count;
}

function increase(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
