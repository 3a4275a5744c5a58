import { DELIVERY_CLASSES, UNKNOWN_ACTIONS } from '@sendonce/core';
import { INVARIANTS } from '../checkers/index.ts';
import { PROVIDER_MODELS, SETUP_RANGES, type PlanFile, type SimulationSetup } from '../plan.ts';
import { KNOWN_BAD_SENDERS } from '../senders/index.ts';
import { KNOBS, knobsOf } from '../world/knobs.ts';
import { limitsIn } from '../world/limits.ts';
import { fieldsOf, invalid, isWhole, oneOf, path, show, text, whole, type Fields } from './fields.ts';
import { parsePlan } from './parse.ts';

const FILE_FIELDS = ['schema', 'title', 'seed', 'setup', 'faults', 'expect'];
const SETUP_FIELDS = [
  'recipients',
  'workers',
  'concurrency',
  'provider',
  'class',
  'onUnknown',
  'queue',
  'sender',
  'knobs',
];
const KNOB_NAMES = KNOBS.map(({ name }) => name);
/** What a plan may expect. */
const ENDS = ['pass', ...INVARIANTS] as const;

/**
 * Checks a plan file: faults together with the seed and the world that they were found in.
 * @throws SendonceError PLAN_INVALID naming the place in the JSON, what came and what is allowed.
 */
export function parsePlanFile(json: unknown): PlanFile {
  const file = fieldsOf(json, '', FILE_FIELDS);
  const schema = file.of['schema'];
  if (schema !== 'sendonce.plan/1') invalid(`schema must be "sendonce.plan/1" for this version, got ${show(schema)}`);
  const setup = parseSetup(file.of['setup']);
  return {
    schema: 'sendonce.plan/1',
    title: text(file, 'title'),
    seed: text(file, 'seed'),
    setup,
    faults: parsePlan(file.of['faults'], limitsIn(setup, null)),
    ...(file.of['expect'] === undefined ? {} : { expect: oneOf(file, 'expect', ENDS) }),
  };
}

function parseSetup(json: unknown): SimulationSetup {
  const setup = fieldsOf(json, 'setup', SETUP_FIELDS);
  const { queue, onUnknown, sender } = setup.of;
  if (typeof queue !== 'boolean') invalid(`${path(setup, 'queue')} must be true or false, got ${show(queue)}`);
  return {
    recipients: recipients(setup),
    workers: whole(setup, 'workers', SETUP_RANGES.workers),
    concurrency: whole(setup, 'concurrency', SETUP_RANGES.concurrency),
    provider: oneOf(setup, 'provider', PROVIDER_MODELS),
    class: oneOf(setup, 'class', DELIVERY_CLASSES),
    onUnknown: onUnknown === null ? null : oneOf(setup, 'onUnknown', UNKNOWN_ACTIONS),
    queue,
    sender: sender === null ? null : oneOf(setup, 'sender', SENDERS),
    knobs: knobs(setup),
  };
}

const SENDERS = KNOWN_BAD_SENDERS.map(({ name }) => name);

function knobs(setup: Fields): SimulationSetup['knobs'] {
  const { of } = fieldsOf(setup.of['knobs'], 'setup.knobs', KNOB_NAMES);
  const set = of as SimulationSetup['knobs'];
  knobsOf(set);
  return set;
}

/** A count, or which ones: each number once, as far as a count could go. */
function recipients(setup: Fields): SimulationSetup['recipients'] {
  const value = setup.of['recipients'];
  const range = SETUP_RANGES.recipients;
  if (isWhole(value, range)) return value;
  const isNumber = (each: unknown): each is number => isWhole(each, { least: 0, most: range.most - 1 });
  if (Array.isArray(value) && value.length > 0 && value.every(isNumber) && new Set(value).size === value.length)
    return value;
  return invalid(
    `${path(setup, 'recipients')} must be a whole number from ${range.least} to ${range.most}, or a list of different recipient numbers below that, got ${show(value)}`,
  );
}
