import {
  type Channel,
  CLASS_POLICIES,
  DELIVERY_CLASSES,
  type ClassPolicy,
  type MessageContent,
  normaliseAddress,
  SendonceError,
  type NotifierConfig,
  type Target,
  type TargetInput,
  type UnknownAction,
} from '@sendonce/core';
import { hashText, pick } from '../kernel/draw.ts';
import type { SimulationSetup } from '../plan.ts';
import type { KnownRecipients, Workload } from '../workload.ts';
import type { Knobs } from '../world/knobs.ts';
import { ITEMS } from './names.ts';

const DAY_MS = 86_400_000;

export interface Audience extends KnownRecipients {
  readonly channels: readonly Channel[];
  /** What the recipient is called, where the target itself does not say. */
  readonly nameOf: (number: number) => string | null;
  /** Published after the others, each the same as one of them. */
  readonly doubles: readonly TargetInput[];
}

/** One notification of the setup's class to all recipients, like a purchase order that everybody has to hear of. */
export function announcement(setup: SimulationSetup, knobs: Knobs, audience: Audience): Workload {
  const { numbers, targetOf, channels, doubles } = audience;
  const repeated = doublesOf({ numbers, targetOf }, doubles);
  const rows = numbers.length + repeated.length;
  function* everybody(): Generator<TargetInput> {
    for (const number of numbers) yield targetOf(number);
    yield* repeated;
  }
  return {
    notifications: { announcement: announcementType(setup, knobs, audience) },
    config: null,
    channels,
    known: { numbers, targetOf },
    input: { rows, merged: repeated.length, invalid: 0 },
    publications: 1,
    publication: () => ({ type: 'announcement', key: 'simulated', data: { order: 4711 }, recipients: everybody }),
  };
}

/** Those whose recipient is part of this run, under its number. */
function doublesOf({ numbers, targetOf }: KnownRecipients, doubles: readonly TargetInput[]): readonly TargetInput[] {
  if (doubles.length === 0) return [];
  const numberOf = new Map(numbers.map((number) => [identityOf(targetOf(number)), number]));
  return doubles.flatMap((double) => {
    const number = numberOf.get(identityOf(double));
    return number === undefined ? [] : [{ ...double, number }];
  });
}

function identityOf({ channel, to = '', id, destinationId }: TargetInput): string {
  return JSON.stringify([channel, id ?? normaliseAddress(channel, to), destinationId ?? '']);
}

function announcementType(
  setup: SimulationSetup,
  knobs: Knobs,
  { nameOf }: Audience,
): NotifierConfig['notifications'][string] {
  const deliveryClass = DELIVERY_CLASSES.find((each) => each === setup.class);
  if (deliveryClass === undefined)
    throw new SendonceError(
      'PLAN_INVALID',
      `setup.class must be one of ${DELIVERY_CLASSES.join(', ')}, got '${setup.class}'`,
    );
  const policy = CLASS_POLICIES[deliveryClass];
  return {
    class: deliveryClass,
    content: (_data: unknown, target: Target) => contentFor(target, nameOf),
    maxAttempts: knobs.maxAttempts,
    retry: capped(policy.retry, knobs.retryCapMs),
    expiresInMs: knobs.expiresInMs > 0 ? knobs.expiresInMs : (policy.expiresInMs ?? DAY_MS),
    ...(setup.onUnknown === null ? {} : { onUnknown: setup.onUnknown as UnknownAction }),
  };
}

function capped(retry: ClassPolicy['retry'], mostMs: number): ClassPolicy['retry'] {
  if ('schedule' in retry) return { schedule: retry.schedule.map((ms) => Math.min(ms, mostMs)) };
  return { ...retry, maxMs: Math.min(retry.maxMs, mostMs) };
}

/** Different for everybody, so that a mix-up inside a batch shows. */
function contentFor({ recipientId, to, data }: Target, nameOf: Audience['nameOf']): MessageContent {
  const item = pick(hashText(recipientId), ITEMS);
  const { name, number } = data;
  const known = typeof name === 'string' && name !== '' ? name : nameOf(Number(number));
  return { subject: `Order 4711: ${item}`, text: `Dear ${known ?? to}, your ${item} is on its way.` };
}
