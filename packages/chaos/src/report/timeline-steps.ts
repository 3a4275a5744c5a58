import type { HistoryEvent } from '../history.ts';
import type { CallFault } from '../plan.ts';
import { duration } from './format.ts';

/** One thing that somebody does at an instant; equal words by one actor at one instant become one cell of the timeline. */
export interface Step {
  readonly at: number;
  /** The column: `producer`, `w1`, `p0`, ...; null: a line across all of them. */
  readonly column: string | null;
  readonly words: string;
  /** Whom it is about (`r17`), or null. */
  readonly about: string | null;
  /** A fault, a kill, a refusal: what the reader looks for. */
  readonly loud: boolean;
}

/** What a reader of the timeline sees of an event: nothing for routine (polls, renewals, receipts), else one or two steps. */
export function stepsOf(event: HistoryEvent, nameOf: (deliveryId: string) => string): Step[] {
  const { at, process: column } = event;
  const step = (words: string, id: string | null, loud = false): Step => {
    return { at, column, words, about: id === null ? null : nameOf(id), loud };
  };
  switch (event.kind) {
    case 'process':
      return [processStep(event, step)];
    case 'fault':
      return faultSteps(event);
    case 'heal':
      return [{ at, column: null, words: 'no faults from here on', about: null, loud: true }];
    case 'epoch':
      return [
        {
          at,
          column: null,
          words: `✕ the store loses its last ${duration(event.lost)}, ${event.evicted.length} records with it`,
          about: null,
          loud: true,
        },
      ];
    case 'add':
      return event.verdict.kind === 'added'
        ? [step(`fans out ${event.verdict.inserted.length}`, null)]
        : [step(`fan-out ${event.verdict.kind}`, null)];
    case 'claim':
      return claimSteps(event.verdict, step);
    case 'claim-notification':
      return event.verdict.kind === 'granted' ? [step('takes the fan-out', null)] : [];
    case 'renew':
      return event.verdict.kind === 'ok' ? [] : [step('lost its lease of', event.request.id, true)];
    case 'release':
      return [
        step(
          event.verdict.kind === 'ok' ? 'gives back' : `gives back in vain (${event.verdict.kind})`,
          event.request.id,
        ),
      ];
    case 'mark':
      return event.verdict.kind === 'go'
        ? [step(event.verdict.attempt > 1 ? `marks #${event.verdict.attempt}` : 'marks', event.request.id)]
        : [step(`may not send (${event.verdict.kind})`, event.request.id, true)];
    case 'settle':
      return settleSteps(event, step);
    case 'sweep':
      return event.result.moved.map((record) => step(`sweeps to ${record.state}`, record.id));
    case 'reconcile':
      return [step(`reconciles (${event.request.decision.kind})`, event.request.id)];
    case 'cancel':
      return [step(`cancels (${event.verdict.kind})`, event.request.id)];
    case 'suppress':
      return [step('opts out', null)];
    case 'replay':
      return [step(`replays (${event.verdict.kind})`, event.request.id)];
    case 'queue':
      return queueSteps(event, step);
    case 'lookup':
      return [step(`asks ${event.provider} about`, event.deliveryId)];
    case 'provider':
      return providerSteps(event, nameOf);
  }
}

type StepMaker = (words: string, id: string | null, loud?: boolean) => Step;
type Of<K extends HistoryEvent['kind']> = Extract<HistoryEvent, { kind: K }>;

function processStep({ what, why }: Of<'process'>, step: StepMaker): Step {
  const because = why === null ? '' : ` (${why})`;
  switch (what) {
    case 'start':
      return step('starts', null);
    case 'kill':
      return step('✕ killed', null, true);
    case 'pause':
      return step(`sleeps${because}`, null, true);
    case 'resume':
      return step('wakes up', null, true);
    case 'stop':
      return step(`is told to stop${because}`, null, true);
    case 'stopped':
      return step('has stopped', null);
  }
}

function faultSteps({ at, process, what, fault, entity }: Of<'fault'>): Step[] {
  // A kill shows as the process's own line; what is armed has not happened yet; what has no length is over at once.
  if (what === 'armed' || fault.do === 'kill' || 'acceptance' in fault) return [];
  if (what === 'healed' && fault.ms === undefined) return [];
  const words = what === 'healed' ? `${fault.do} is over` : `! ${faultPhrase(fault)}`;
  return [{ at, column: process, words, about: entity, loud: true }];
}

function faultPhrase({ do: name, op, ms }: CallFault): string {
  const call = op.slice(op.indexOf('.') + 1);
  return `${call}: ${name.replaceAll('-', ' ')}${ms === undefined ? '' : ` ${duration(ms)}`}`;
}

function claimSteps(verdict: Of<'claim'>['verdict'], step: StepMaker): Step[] {
  switch (verdict.kind) {
    case 'granted':
      return [step('claims', verdict.id)];
    case 'held':
      return [step('finds held', verdict.id)];
    case 'settled':
      return [step(`finds ${verdict.state}`, verdict.id)];
    case 'unknown':
      return [step('finds unknown', verdict.id)];
    case 'stray':
      return [step('finds no record of', verdict.id, true)];
    case 'absent':
    case 'later':
      return [];
  }
}

function settleSteps({ request, verdict }: Of<'settle'>, step: StepMaker): Step[] {
  const outcome = request.outcome.kind;
  if (verdict.kind === 'absent') return [step(`writes ${outcome}, no record`, request.id, true)];
  const late = verdict.kind === 'evidence' ? ' as evidence' : '';
  const words = `writes ${outcome}${late} → ${verdict.state}`;
  return verdict.duplicate
    ? [step(words, request.id), step('! duplicate recorded', request.id, true)]
    : [step(words, request.id)];
}

function queueSteps({ at, process, op, id }: Of<'queue'>, step: StepMaker): Step[] {
  if (op === 'wiped') return [{ at, column: null, words: '✕ the queue is wiped', about: null, loud: true }];
  if (op === 'ack') return [step('acks the wake of', id)];
  return op === 'enqueue' && process === 'producer' ? [step('enqueues', id)] : [];
}

function providerSteps(event: Of<'provider'>, nameOf: (deliveryId: string) => string): Step[] {
  const { at, process, provider, attempt, deliveryId, outcome, reply } = event;
  const about = nameOf(deliveryId);
  const answers = {
    accepted: '● accepts',
    same: '○ knows the key of',
    refused: `refuses (${reply})`,
  } as const;
  return [
    { at, column: process, words: attempt > 1 ? `sends #${attempt}` : 'sends', about, loud: false },
    { at, column: provider, words: answers[outcome], about, loud: false },
  ];
}
