import { faultKind } from '../faults/index.ts';
import type { CallFault, Fault, KillMoment, Phase } from '../plan.ts';
import { count, duration, ordinal } from './format.ts';

const MOMENTS: Readonly<Record<KillMoment, string>> = {
  'after-accept': 'after the provider accepted, before the worker knew',
  'before-send': 'after the mark, before the message left',
  'before-ack': 'after the outcome was written, before the queue message was acknowledged',
  'mid-batch': 'in the middle of its batch',
};

const PHASES: Readonly<Record<Phase, string>> = {
  B: 'before the call takes effect',
  A: 'after the call took effect',
  D: 'on its way',
  '2': 'when it is done',
  S: 'when it answers',
  E: 'when it is asked',
};

/** What a sentence is made of. */
interface Parts {
  /** `the 1st ledger.mark of r0` */
  readonly call: string;
  /** `the worker that makes the 1st ledger.mark of r0` */
  readonly worker: string;
  /** `w1`, or `that starts`: after "the worker". */
  readonly whose: string;
  readonly nth: number;
  readonly op: string;
  readonly isBefore: boolean;
  /** `before the request leaves`, or what comes after it. */
  readonly moment: string;
  /** `999 ms`, or `some time`. */
  readonly time: string;
  readonly amount: number | undefined;
}

const WORDS: Readonly<Record<string, (parts: Parts) => string>> = {
  kill: ({ worker, moment, time }) => `${worker} is killed ${moment}, and starts again ${time} later`,
  'kill-mid-batch': ({ worker, time }) =>
    `${worker} is killed in the middle of that batch, a part of which is applied, and starts again ${time} later`,
  'kill-loop': ({ whose, nth, time, amount }) =>
    `the worker ${whose} is killed right after its ${ordinal(nth)} start, ${times(amount)} in a row, each time back ${time} later`,
  gone: ({ worker, moment }) => `${worker} is killed ${moment}, and never comes back`,
  pause: ({ worker, op, isBefore, moment, time }) => {
    const when = op === 'provider.send' && isBefore ? 'between its last check and the first byte' : moment;
    return `${worker} stands still for ${time}, ${when}`;
  },
  stop: ({ worker, moment, time }) =>
    `${worker} is told to stop ${moment}, and killed ${time} later if it still runs; a new process follows`,
  'restart-config': ({ worker, moment, time, amount }) =>
    `${worker} is killed ${moment}, and runs for ${time} with another config${otherConfig(amount)}`,
  'kill-producer': ({ call, moment, time }) =>
    `the producer that makes ${call} is killed ${moment}, and ${time} later publishes again what it does not know to be accepted`,
  'producer-gone': ({ call, moment }) => `the producer that makes ${call} is killed ${moment}, and never comes back`,
  partition: ({ call, isBefore, time }) =>
    `the process that makes ${call} is cut off from the ledger for ${time}, ${ways(isBefore)}`,
  'partition-all': ({ call, isBefore, time }) =>
    `at ${call}: every process is cut off from the ledger for ${time}, ${ways(isBefore)}`,
  restart: ({ call, isBefore, time }) =>
    `at ${call}: the store restarts, and nobody can connect for ${time}${isBefore ? '' : '; the reply of this call is lost'}; nothing is forgotten`,
  amnesia: ({ call, time }) =>
    `at ${call}: the store fails over to a replica that lacks the writes of the last ${time}, though it had acknowledged them`,
  throw: ({ call, isBefore }) =>
    `at ${call}: the adapter throws an error of its own, ${isBefore ? 'before anything left' : 'after the provider took the message'}`,
  throttle: ({ call, time }) =>
    `at ${call}: the provider answers 429${time === 'some time' || time === duration(0) ? '' : ` with a Retry-After of ${time}`}, and takes nothing`,
  bounce: ({ call, time }) => `at ${call}: the provider takes the message, and reports a bounce ${time} later`,
  outage: ({ call, time }) => `at ${call}: the provider refuses connections for ${time}`,
  'brown-out': ({ call, time, amount }) =>
    `at ${call}: for ${time}, ${amount === undefined ? 'a share' : `${amount}%`} of the sends are answered with a 503 that took nothing or a 502 that took the message`,
  redeliver: ({ call, time }) =>
    `at ${call}: a message is handed out again ${time} later, while it is still in somebody’s hands`,
  duplicate: ({ call, amount }) => `at ${call}: the same message is in one batch ${times(amount)}`,
  ghost: ({ call, time }) => `at ${call}: a message that was acked is delivered again ${time} later`,
  deploy: ({ call, amount }) =>
    `at ${call}: a deploy while sending: every worker is stopped and replaced, one after the other, ${size(amount)} apart`,
  skew: ({ whose, nth, amount }) =>
    `the clock of the worker ${whose} is ${size(amount)} ${(amount ?? 0) < 0 ? 'behind' : 'ahead'} from its ${ordinal(nth)} start on`,
  'step-back': ({ worker, amount }) => `the clock of ${worker} is set back by ${size(amount)} before that`,
  'step-over-lease': ({ worker, amount }) =>
    `the clock of ${worker} jumps ahead by ${size(amount)} before that, over its lease`,
};

/** The fault as a sentence for somebody who has never seen a plan. */
export function faultWords(fault: Fault): string {
  if ('acceptance' in fault) {
    return `the worker that holds the ${ordinal(fault.acceptance)} acceptance is killed ${MOMENTS[fault.moment]}${backAfter(fault.ms)}`;
  }
  const own = Object.hasOwn(WORDS, fault.do) ? WORDS[fault.do] : undefined;
  return own === undefined ? otherWords(fault) : own(partsOf(fault));
}

function partsOf({ op, entity, nth, phase, ms, amount }: CallFault): Parts {
  const whose = entity === '*' ? 'anybody' : entity;
  const call = `the ${ordinal(nth)} ${op} of ${whose}`;
  return {
    call,
    worker: `the worker that makes ${call}`,
    whose: entity === '*' ? 'that starts' : entity,
    nth,
    op,
    isBefore: phase === 'B',
    moment: phase === 'B' ? 'before the request leaves' : 'after the call was applied and before its reply',
    time: ms === undefined ? 'some time' : duration(ms),
    amount,
  };
}

/** Most kinds say by themselves when they strike; a few can at several moments. */
function otherWords(fault: CallFault): string {
  const { call, time } = partsOf(fault);
  const kind = faultKind(fault.do, fault.op);
  const means = kind?.means ?? fault.do;
  const filled = means.replace('that much later', `${time} later`).replace('is that old', `is ${time} old`);
  const moment = kind?.phases.length === 1 ? '' : ` (${PHASES[fault.phase]})`;
  const length = filled !== means || fault.ms === undefined ? '' : `, for ${time}`;
  return `at ${call}: ${filled}${moment}${length}${fault.amount === undefined ? '' : `, size ${count(fault.amount)}`}`;
}

function ways(isBefore: boolean): string {
  return isBefore ? 'both ways' : 'and only replies are lost';
}

function times(amount: number | undefined): string {
  return amount === undefined ? 'several times' : `${count(amount)} times`;
}

/** An amount that is a time. */
function size(amount: number | undefined): string {
  return amount === undefined ? 'some time' : duration(Math.abs(amount));
}

function otherConfig(amount: number | undefined): string {
  const configs = ['one delivery at a time', 'providers in reverse order', 'the first provider missing'];
  const config = configs[(amount ?? 0) - 1];
  return config === undefined ? '' : `: ${config}`;
}

function backAfter(ms: number | undefined): string {
  return ms === undefined ? '' : ` and comes back ${duration(ms)} later`;
}
