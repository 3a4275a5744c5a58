import { DELIVERY_CLASSES, UNKNOWN_ACTIONS } from '@sendonce/core';
import { PROVIDER_MODELS, type PlanFile, type SimulationSetup } from '../plan.ts';
import { knobsOf } from '../world/knobs.ts';
import { fieldsOf, invalid, oneOf, only, show, text, whole } from './fields.ts';
import { parsePlan } from './parse.ts';

/**
 * Checks a plan file: faults together with the seed and the world that they were found in.
 * @throws SendonceError PLAN_INVALID as `parsePlan` does.
 */
export function parsePlanFile(json: unknown): PlanFile {
  const file = fieldsOf(json, 'the plan file');
  only(file, 'the plan file', ['schema', 'title', 'seed', 'setup', 'faults', 'expect']);
  if (file['schema'] !== 'sendonce.plan/1') invalid(`schema must be "sendonce.plan/1", got ${show(file['schema'])}`);
  const expect = file['expect'];
  return {
    schema: 'sendonce.plan/1',
    title: text(file, 'title', 'the plan file'),
    seed: text(file, 'seed', 'the plan file'),
    setup: parseSetup(file['setup']),
    faults: parsePlan(file['faults']),
    ...(expect === undefined ? {} : { expect: text(file, 'expect', 'the plan file') }),
  };
}

/**
 * Checks the world of a run.
 * @throws SendonceError PLAN_INVALID.
 */
export function parseSetup(json: unknown): SimulationSetup {
  const where = 'setup';
  const setup = fieldsOf(json, where);
  only(setup, where, [
    'recipients',
    'workers',
    'concurrency',
    'provider',
    'class',
    'onUnknown',
    'queue',
    'sender',
    'knobs',
  ]);
  const { onUnknown, queue, sender } = setup;
  if (typeof queue !== 'boolean') invalid(`setup: queue must be true or false, got ${show(queue)}`);
  const knobs = fieldsOf(setup['knobs'], 'setup.knobs') as Readonly<Record<string, number>>;
  knobsOf(knobs);
  return {
    recipients: recipients(setup['recipients']),
    workers: whole(setup, 'workers', where, 1),
    concurrency: whole(setup, 'concurrency', where, 1),
    provider: oneOf(setup, 'provider', where, PROVIDER_MODELS),
    class: oneOf(setup, 'class', where, DELIVERY_CLASSES),
    onUnknown: onUnknown === null ? null : oneOf(setup, 'onUnknown', where, UNKNOWN_ACTIONS),
    queue,
    sender: sender === null ? null : text(setup, 'sender', where),
    knobs,
  };
}

function recipients(value: unknown): number | readonly number[] {
  const isCount = (each: unknown): each is number => Number.isInteger(each) && (each as number) >= 0;
  if (isCount(value)) return value;
  if (Array.isArray(value) && value.every(isCount) && new Set(value).size === value.length) return value;
  return invalid(`setup: recipients must be a count, or a list of different recipient numbers, got ${show(value)}`);
}
