import { machineLine, table } from '../page.js';

const HEAD = [
  'who',
  'exactly once',
  'twice',
  'never',
  'of them in no list',
  'given up',
  'last recipient, s',
  'settled, s',
];

/** One table for each scenario, in the order of the runs. */
export function killTables(runs) {
  const scenarios = [...new Set(runs.map(({ scenario }) => scenario))];
  return scenarios
    .map((scenario) => {
      const rows = runs.filter((run) => run.scenario === scenario).map(rowOf);
      return `**${scenario[0].toUpperCase()}${scenario.slice(1)}**\n\n${table(HEAD, rows)}`;
    })
    .join('\n\n');
}

function rowOf({ name, once, twice, never, lost, gaveUp, left, lastRecipientS, settledS }) {
  return [
    name,
    once,
    twice,
    never,
    lost ?? 'not known',
    gaveUp,
    lastRecipientS,
    settledS ?? `not within the limit: ${left} left`,
  ];
}

export function killsSection({ machine, load, versions, runs }) {
  return `${machineLine(machine, load)} ${versions}\n\n${killTables(runs)}`;
}
