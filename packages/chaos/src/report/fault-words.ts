import { faultKind } from '../faults/index.ts';
import type { CallFault, Fault, KillMoment, Phase } from '../plan.ts';
import { duration, ordinal } from './format.ts';

const MOMENTS: Readonly<Record<KillMoment, string>> = {
  'after-accept': 'after the provider accepted, before the worker knew',
  'before-send': 'after the mark, before the message left',
  'before-ack': 'after the outcome was written, before the queue message was acknowledged',
  'mid-batch': 'in the middle of its batch',
};

const PHASES: Readonly<Record<Phase, string>> = {
  B: 'before it takes effect',
  A: 'after it took effect',
  D: 'on its way',
  '2': 'when it is done',
  S: 'when it answers',
  E: 'when it is asked',
};

/** The fault as a sentence for somebody who has never seen a plan. */
export function faultWords(fault: Fault): string {
  if ('acceptance' in fault) {
    return `the worker that holds the ${ordinal(fault.acceptance)} acceptance is killed ${MOMENTS[fault.moment]}${backAfter(fault.ms)}`;
  }
  const kind = faultKind(fault.do, fault.op);
  // Most kinds say by themselves when they strike; a few can at several moments.
  const moment = kind?.phases.length === 1 ? '' : ` (${PHASES[fault.phase]})`;
  return `at ${callWords(fault)}: ${kind?.means ?? fault.do}${moment}${sizeWords(fault)}`;
}

function callWords({ op, entity, nth }: CallFault): string {
  const whose = entity === '*' ? 'anybody' : entity;
  return `the ${ordinal(nth)} ${op} of ${whose}`;
}

function sizeWords({ ms, amount }: CallFault): string {
  return (ms === undefined ? '' : `, for ${duration(ms)}`) + (amount === undefined ? '' : `, amount ${amount}`);
}

function backAfter(ms: number | undefined): string {
  return ms === undefined ? '' : ` and comes back ${duration(ms)} later`;
}
