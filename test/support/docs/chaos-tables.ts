import { COMPONENTS, type FaultKind } from '../../../packages/chaos/src/faults/kind.ts';
import { FAULTS } from '../../../packages/chaos/src/faults/index.ts';
import { INVARIANTS, LATER } from '../../../packages/chaos/src/checkers/index.ts';
import { INVARIANT_TEXTS } from '../../../packages/chaos/src/report/invariants.ts';
import { PROFILES } from '../../../packages/chaos/src/search/kinds.ts';
import { KNOWN_BAD_SENDERS } from '../../../packages/chaos/src/senders/index.ts';
import type { Tables } from './includes.ts';
import { table } from './table.ts';

/** The tables of the simulator: its faults, its profiles, its known-bad senders, and what it judges. */
export const chaosTables: Tables = {
  ...Object.fromEntries(COMPONENTS.map((component) => [`faults-${component}`, () => faultsOf(component)])),
  'fault-profiles': () =>
    table(
      ['profile', 'kinds'],
      Object.entries(PROFILES).map(([name, has]) => [`\`${name}\``, name === 'all' ? 'every kind' : kindsIn(has)]),
    ),
  senders: () =>
    table(
      ['name', 'what it does', 'what goes wrong', 'caught as', 'instead'],
      KNOWN_BAD_SENDERS.map(({ name, about, why, caughtBy, instead }) => [
        `\`${name}\``,
        about,
        why,
        caughtBy.join(' or '),
        instead,
      ]),
    ),
  invariants: () =>
    table(
      ['', 'promise', 'when it breaks', 'where to look'],
      INVARIANTS.flatMap((id) => {
        const text = INVARIANT_TEXTS[id];
        return text === undefined ? [] : [[id, text.title, text.why, text.advice]];
      }),
    ),
  'invariants-later': () =>
    table(
      ['', 'promise'],
      LATER.map(({ invariant, about }) => [invariant, about]),
    ),
};

function faultsOf(component: FaultKind['component']): string {
  const rows = FAULTS.filter((kind) => kind.component === component).map(({ do: name, ops, phases, means }) => [
    `\`${name}\``,
    places(ops),
    phases.join(' '),
    means,
  ]);
  return table(['fault', 'at', 'phase', 'what happens'], rows);
}

function kindsIn(has: (kind: FaultKind) => boolean): string {
  const names = new Set(FAULTS.filter(has).map((kind) => `\`${kind.do}\``));
  return [...names].join(' ');
}

/** Up to four calls by name; more are counted per port. */
function places(ops: readonly string[]): string {
  if (ops.length <= 4) return ops.map((op) => `\`${op}\``).join(' ');
  const ports = [...new Set(ops.map((op) => op.split('.')[0] ?? op))];
  return ports
    .map((port) => ops.filter((op) => op.startsWith(`${port}.`)))
    .map((of) => (of.length === 1 ? `\`${of[0]}\`` : `${of.length} calls of \`${of[0]?.split('.')[0]}\``))
    .join(', ');
}
