import { machineLine, table } from '../page.js';
import { isOurs } from './set-ups.js';

const number = (value) => value.toLocaleString('en-US');
const perSecond = (run) => number(run.perSecond);
const small = (value) => (value === 0 ? '' : value.toFixed(2));

/** Each column's head, the runs that it is about, and what it says; empty where those have not been. */
const WORK = {
  'processed/s (least to most)': ['batch', (run) => `${perSecond(run)} (${range(run.rates)})`],
  'ours to this': ['batch', (_run, result, results) => ratio('batch', result, results)],
  'enqueued/s': ['batch', (run) => number(run.enqueuedPerSecond)],
  'CPU us each': ['batch', (run) => run.cpuUs],
  'peak MB': ['batch', (run) => run.rssMb],
  'round trips each': ['batch', (run) => small(run.roundTrips)],
  'SQS calls each': ['batch', (run) => small(run.apiCalls)],
};

const FLOW = {
  'accepted/s': ['accept', perSecond],
  'fan-out/s': ['fan-out', perSecond],
  'accepted and sent/s': ['flow', perSecond],
  'ours to this': ['flow', (_run, result, results) => ratio('flow', result, results)],
  'at half of it: p50 ms': ['latency', (run) => run.p50],
  'p95 ms': ['latency', (run) => run.p95],
  'p99 ms': ['latency', (run) => run.p99],
};

/** What each recipient costs once all are in the queue; and producers and worker at once. */
export function peersTables(results) {
  return [WORK, FLOW].map((columns) => tableOf(columns, results)).join('\n\n');
}

function tableOf(columns, results) {
  const cells = (result) =>
    Object.values(columns).map(([mode, say]) => (result[mode] === undefined ? '' : say(result[mode], result, results)));
  return table(
    ['set-up', ...Object.keys(columns)],
    results.map((result) => [result.name, ...cells(result)]),
  );
}

function range(rates) {
  return [Math.min(...rates), Math.max(...rates)].map(number).join(' to ');
}

/** The median of the rounds' own ratios: what stood beside each other in time is compared, whatever else the machine did then. */
function ratio(mode, result, results) {
  const ours = results.find(({ name, group }) => isOurs(name) && group === result.group);
  if (ours === undefined || ours === result) return '';
  const ratios = result[mode].rates.map((rate, round) => ours[mode].rates[round] / rate);
  return `${ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)].toFixed(1)} x`;
}

export function peersSection({ machine, load, versions, results }) {
  return `${machineLine(machine, load)} ${versions}\n\n${peersTables(results)}`;
}
