import type { FaultKind, Limits, Range } from '../faults/kind.ts';
import type { Op } from '../faults/ops.ts';
import { between, draw, hashText, pick, unit } from '../kernel/draw.ts';
import type { CallFault, SimulationSetup } from '../plan.ts';
import { recipientCount } from './case.ts';

export interface Generated {
  readonly faults: readonly CallFault[];
  /** Set beside the setup's own. */
  readonly knobs: Readonly<Record<string, number>>;
}

export interface GenerateOptions {
  readonly seed: number;
  readonly setup: SimulationSetup;
  readonly kinds: readonly FaultKind[];
  /** What lengths depend on, with the drawn knobs: a fault that is short in one world is far too long in another. */
  readonly limitsWith: (knobs: Generated['knobs']) => Limits;
  /** Whether some sender can be right with these knobs. */
  readonly isSound: (knobs: Generated['knobs']) => boolean;
}

/** How many faults, and how unevenly spread over the kinds: none, one, a few, a swarm (random kinds with weights 1 to 100), a storm. */
const MIX = [
  { upTo: 0.08, faults: [0, 0], swarm: false },
  { upTo: 0.33, faults: [1, 1], swarm: false },
  { upTo: 0.7, faults: [2, 4], swarm: false },
  { upTo: 0.92, faults: [3, 12], swarm: true },
  { upTo: 1, faults: [20, 60], swarm: true },
] as const;

const LABELS = [
  'mix',
  'count',
  'weight',
  'kind',
  'op',
  'phase',
  'entity',
  'nth',
  'ms',
  'amount',
  'knob',
  'knob-value',
  'window',
] as const;
type Label = (typeof LABELS)[number];
const HASH = Object.fromEntries(LABELS.map((label) => [label, hashText(label)])) as Record<Label, number>;

/** A plan from a number: the nth choice of a kind is the same whatever was chosen before it. */
export function generate({ seed, setup, kinds, limitsWith, isSound }: GenerateOptions): Generated {
  const bits = (label: Label, n = 0): number => draw(seed, HASH[label], 0, n);
  const share = unit(bits('mix'));
  const mix = MIX.find(({ upTo }) => share < upTo) ?? MIX[0];
  const count = between(bits('count'), mix.faults[0], mix.faults[1]);
  const weights = kinds.map((_, at) => (mix.swarm ? swarmWeight(bits('weight', at)) : 1));
  const chosen = Array.from({ length: count }, (_, n) => weighted(bits('kind', n), kinds, weights));
  const knobs = { ...shortWindow(chosen, bits, setup), ...(mix.swarm ? someKnobs(bits, setup, isSound) : {}) };
  const limits = limitsWith(knobs);
  const faults = chosen.map((kind, n) => oneFault(kind, n, { bits, setup, limits }));
  return { faults: tame(faults, setup), knobs };
}

/** Until a key is forgotten nobody can send: with the window of a day that is a day of empty sweeps. */
function shortWindow(
  chosen: readonly FaultKind[],
  bits: Drawing['bits'],
  { knobs }: SimulationSetup,
): Generated['knobs'] {
  const waits = chosen.some((kind) => kind.do === 'key-forgotten') && knobs['keyWindowMs'] === undefined;
  return waits ? { keyWindowMs: pick(bits('window'), KNOB_CHOICES['keyWindowMs'] ?? []) } : {};
}

/** Two kinds of three are left out of a swarm; the rest differ a hundredfold. */
function swarmWeight(bits: number): number {
  return unit(bits) < 0.66 ? 0 : between(bits >>> 3, 1, 100);
}

interface Drawing {
  readonly bits: (label: Label, n?: number) => number;
  readonly setup: SimulationSetup;
  readonly limits: Limits;
}

function oneFault(kind: FaultKind, n: number, { bits, setup, limits }: Drawing): CallFault {
  const op = pick(bits('op', n), usable(kind, setup));
  const ms = kind.ms === null ? {} : { ms: inRange(bits('ms', n), kind.ms(limits)) };
  const amount = kind.amount === null ? {} : { amount: inRange(bits('amount', n), kind.amount(limits)) };
  const entity = entityFor(kind, op, { bits: bits('entity', n), setup });
  return {
    do: kind.do,
    op,
    entity,
    nth: nthFor(bits('nth', n), entity),
    phase: pick(bits('phase', n), kind.phases),
    ...ms,
    ...amount,
  };
}

function weighted(bits: number, kinds: readonly FaultKind[], weights: readonly number[]): FaultKind {
  let left = unit(bits) * weights.reduce((sum, weight) => sum + weight, 0);
  const at = weights.findIndex((weight) => (left -= weight) < 0);
  return kinds[at] ?? pick(bits, kinds);
}

/** Without a queue nothing happens at its calls; half of the draws would be wasted on it. */
function usable({ ops }: FaultKind, setup: SimulationSetup): readonly Op[] {
  const here = setup.queue ? ops : ops.filter((op) => !op.startsWith('queue.'));
  return here.length === 0 ? ops : here;
}

/** Mostly one recipient, wherever a call carries recipients; else a worker, the producer or anybody. */
function entityFor(
  kind: FaultKind,
  op: Op,
  { bits, setup }: { readonly bits: number; readonly setup: SimulationSetup },
): string {
  if (kind.forever === true) return recipient(bits, setup);
  const share = unit(bits);
  const worker = `w${between(bits >>> 4, 1, setup.workers)}`;
  if (op === 'worker.start') return worker;
  if (op === 'ledger.accept' || op === 'ledger.seal') return 'producer';
  if (share < 0.75) return recipient(bits, setup);
  return share < 0.9 ? worker : '*';
}

function recipient(bits: number, setup: SimulationSetup): string {
  const { recipients } = setup;
  const at = between(bits >>> 7, 0, recipientCount(setup) - 1);
  return `r${typeof recipients === 'number' ? at : recipients[at]}`;
}

/** The first time mostly for a recipient; later ones for who calls often. */
function nthFor(bits: number, entity: string): number {
  const share = unit(bits);
  if (entity.startsWith('r')) return share < 0.75 ? 1 : share < 0.95 ? 2 : 3;
  return share < 0.3 ? 1 : between(bits >>> 5, 1, 40);
}

/** Evenly over the orders of magnitude: a second is as likely as an hour; the preset, at an edge of behaviour, more likely still. */
function inRange(bits: number, { least, preset, most }: Range): number {
  const share = unit(bits);
  if (share < 0.3) return preset;
  if (least < 1) return between(bits, least, most);
  return Math.round(least * (most / least) ** ((share - 0.3) / 0.7));
}

/** One worker at least stays, and a run has one lasting outage of each place at most: what never heals proves nothing. */
function tame(faults: readonly CallFault[], setup: SimulationSetup): readonly CallFault[] {
  let gone = 0;
  return faults.filter((fault) => fault.do !== 'gone' || ++gone < setup.workers);
}

/** Drawn where they suit the rest of the world: in some no sender can be right. */
const KNOB_CHOICES: Readonly<Record<string, readonly number[]>> = {
  batch: [1, 3, 1_000],
  leaseMs: [1_000, 5_000],
  dispatchMs: [12_000, 20_000],
  retryCapMs: [1, 1_000],
  maxAttempts: [1, 2],
  queueBatch: [1, 10],
  visibilityMs: [1_000, 120_000],
  // Not less: an outage of a day would be a million empty sweeps.
  sweepMs: [2_500, 30_000],
  lateMs: [0, 60_000],
  keyWindowMs: [180_000, 600_000],
  settleMs: [50, 300_000],
};

function someKnobs(
  bits: Drawing['bits'],
  setup: SimulationSetup,
  isSound: GenerateOptions['isSound'],
): Readonly<Record<string, number>> {
  const small = recipientCount(setup) <= 100 ? { ...KNOB_CHOICES, page: [1, 2, 7] } : KNOB_CHOICES;
  let knobs: Readonly<Record<string, number>> = {};
  for (const [at, [name, values]] of Object.entries(small).entries()) {
    if (unit(bits('knob', at)) >= 0.2 || setup.knobs[name] !== undefined) continue;
    const drawn = { ...knobs, [name]: pick(bits('knob-value', at), values) };
    if (isSound(drawn)) knobs = drawn;
  }
  return knobs;
}
