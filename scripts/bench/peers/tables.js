import { machineLine, table } from '../page.js';
import { isOurs } from './set-ups.js';

const number = (value) => value.toLocaleString('en-US');
const ratioTo = (own, other) => `${(own / other).toFixed(1)} x`;
const small = (value) => (value === 0 ? '' : value.toFixed(2));

/** What each recipient costs once all are in the queue, and how the others compare. */
export function workTable(results) {
  const head = [
    'set-up',
    'processed/s',
    'ours to this',
    'enqueued/s',
    'CPU us each',
    'peak MB',
    'round trips each',
    'SQS calls each',
  ];
  const rows = results.map((result) => {
    const { perSecond, enqueuedPerSecond, cpuUs, rssMb, roundTrips, apiCalls } = result.batch;
    const ratio = oursTo(result, results, (each) => each.batch.perSecond);
    return [
      result.name,
      number(perSecond),
      ratio,
      number(enqueuedPerSecond),
      cpuUs,
      rssMb,
      small(roundTrips),
      small(apiCalls),
    ];
  });
  return table(head, rows);
}

/** Producers and worker at once, and how long a recipient waits at half of that. */
export function flowTable(results) {
  const head = [
    'set-up',
    'accepted/s',
    'fan-out/s',
    'accepted and sent/s',
    'ours to this',
    'at half of it: p50 ms',
    'p95 ms',
    'p99 ms',
  ];
  const rows = results.map((result) => {
    const { accept, flow, latency } = result;
    const ratio = oursTo(result, results, (each) => each.flow.perSecond);
    const fanOut = result['fan-out'] === undefined ? '' : number(result['fan-out'].perSecond);
    return [
      result.name,
      number(accept.perSecond),
      fanOut,
      number(flow.perSecond),
      ratio,
      latency.p50,
      latency.p95,
      latency.p99,
    ];
  });
  return table(head, rows);
}

function oursTo(result, results, figureOf) {
  const ours = results.find(({ name, group }) => isOurs(name) && group === result.group);
  return ours === undefined || isOurs(result.name) ? '' : ratioTo(figureOf(ours), figureOf(result));
}

export function peersSection({ machine, load, versions, results }) {
  return `${machineLine(machine, load)} ${versions}\n\n${workTable(results)}\n\n${flowTable(results)}`;
}
