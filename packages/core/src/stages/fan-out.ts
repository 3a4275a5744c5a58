import { CHANNELS } from '../model/classes.ts';
import { reasonOf } from '../model/errors.ts';
import { deliveryId } from '../model/keys.ts';
import type { NotificationRecord, NotificationState } from '../model/notification.ts';
import { addressProblem } from '../model/address.ts';
import type { Target } from '../model/recipient.ts';
import { MAX_ROUTING_FAILURES } from '../model/steps/notification.ts';
import { afterFailureMs } from '../policy/retry.ts';
import type { AddRequest, AddVerdict, NewDelivery } from '../ports/ledger.ts';
import { hint, unknownConfigDelayMs, type Context } from './context.ts';
import { route } from './route.ts';
import { settledSoon } from './thenable.ts';

/** A notification that this worker holds. */
export interface HeldNotification {
  readonly record: NotificationRecord;
  readonly fence: number;
  /** The page at the cursor; null when it has to be routed first. */
  readonly page: readonly Target[] | null;
  /** The wait for a worker that knows its channels is over: see `addOrWait`. */
  readonly waitedOut?: boolean;
}

export interface Expanded {
  /** Held on, at their next page. */
  readonly held: readonly HeldNotification[];
  /** Pages added of notifications that have more of them, held on or not. */
  readonly ahead: number;
}

/** What one step still needs, after the route was asked where there is one. */
type Step =
  | {
      readonly kind: 'add';
      readonly held: HeldNotification;
      readonly deliveries: readonly NewDelivery[];
      readonly sealTargets: number | null;
    }
  | {
      readonly kind: 'release';
      readonly held: HeldNotification;
      readonly failure: string | null;
      readonly reason: string | null;
      readonly delayMs: number;
    };

/**
 * Routes what has to be routed, then makes the deliveries of one page of each notification, together with its cursor: one `add` for
 * all. A crash anywhere repeats nothing.
 */
export async function fanOut(
  context: Context,
  held: readonly HeldNotification[],
  leaseMs: (at: number) => number,
): Promise<Expanded> {
  const begun: Promise<Step>[] = [];
  for (const each of held) {
    const step = stepOf(context, each);
    begun.push(step);
    await settledSoon(step);
  }
  const steps = await Promise.all(begun);
  await giveBack(
    context,
    steps.filter((step) => step.kind === 'release'),
  );
  const adds = steps.filter((step) => step.kind === 'add');
  if (adds.length === 0) return { held: [], ahead: 0 };
  const requests = adds.map((step, at) => addRequest(step, leaseMs(at)));
  const verdicts = await context.ledger.add(requests);
  verdicts.forEach((verdict, at) => tellStillborn(context, verdict, adds[at]?.held.record, requests[at]));
  await hint(
    context,
    context.queue,
    verdicts.flatMap((verdict) => (verdict.kind === 'added' ? verdict.inserted : [])),
  );
  return {
    held: verdicts.flatMap((verdict, at) => stillHeld(context, adds[at]?.held, verdict)),
    ahead: verdicts.filter((verdict) => verdict.kind === 'added' && verdict.record.cursor < verdict.record.pages)
      .length,
  };
}

async function stepOf(context: Context, held: HeldNotification): Promise<Step> {
  const { type } = held.record;
  // The type says how often to try and what can be opted out of: without it no delivery may be made.
  if (!context.settings.types.has(type)) return waits(context, held, `type '${type}' is not in this worker's config`);
  if (held.page !== null) return addOrWait(context, held, held.page, null);
  const routed = await route(context, held.record, held.fence);
  switch (routed.kind) {
    case 'page':
      return addOrWait(context, held, routed.targets, routed.targets.length);
    case 'sealed':
      // Sealed now: the next claim hands out page 0.
      return { kind: 'release', held, failure: null, reason: null, delayMs: 0 };
    case 'failed':
      return gaveUp(held, routed.reason);
    case 'waits':
      return waits(context, held, routed.reason);
  }
}

/**
 * A channel that this config does not know may be in another worker's, during a deploy: a delivery that is born failed would be beyond
 * that one's help. So the notification is left alone, visibly, for as long as a route may throw less one, which is a minute or two;
 * then no config is taken to know the channel, and what cannot be sent is born as a dead letter. The notification itself never fails
 * for it. The wait is once per lease, not per page: a million recipients on a channel that was forgotten are told today. A name that is
 * no channel at all is in nobody's config.
 */
function addOrWait(
  context: Context,
  held: HeldNotification,
  page: readonly Target[],
  sealTargets: number | null,
): Step {
  const { record } = held;
  const lacked = page.find(
    ({ channel, problem }) =>
      problem === undefined && !context.settings.channels.has(channel) && CHANNELS.includes(channel),
  )?.channel;
  if (lacked === undefined || held.waitedOut === true) return adding(context, held, page, sealTargets);
  if (record.failures >= MAX_ROUTING_FAILURES - 1)
    return adding(context, { ...held, waitedOut: true }, page, sealTargets);
  const reason = `channel '${lacked}' has no provider in this worker's config`;
  return { kind: 'release', held, failure: reason, reason, delayMs: unknownConfigDelayMs(context) };
}

/** Deliveries are made here, one notification at a time: one that cannot be expanded fails alone, and is a dead letter in the end. */
function adding(context: Context, held: HeldNotification, page: readonly Target[], sealTargets: number | null): Step {
  try {
    return {
      kind: 'add',
      held,
      deliveries: page.map((target) => newDelivery(context, held.record, target)),
      sealTargets,
    };
  } catch (thrown) {
    return gaveUp(held, `page ${held.record.cursor} of its targets cannot be expanded: ${reasonOf(thrown)}`);
  }
}

function gaveUp(held: HeldNotification, reason: string): Step {
  return { kind: 'release', held, failure: reason, reason, delayMs: afterFailureMs(held.record.failures) };
}

function waits(context: Context, held: HeldNotification, reason: string): Step {
  return { kind: 'release', held, failure: null, reason, delayMs: unknownConfigDelayMs(context) };
}

async function giveBack(context: Context, steps: readonly Extract<Step, { kind: 'release' }>[]): Promise<void> {
  if (steps.length === 0) return;
  const releases = steps.map(({ held: { record, fence }, failure, delayMs }) => ({
    id: record.id,
    fence,
    failure,
    delayMs,
  }));
  const verdicts = await context.ledger.release(releases);
  const again: string[] = [];
  verdicts.forEach((verdict, at) => {
    const step = steps[at];
    if (step === undefined) return;
    // A notification that ended is told by the sweep, whoever ended it.
    if (verdict.kind !== 'ok') return;
    const { record } = step.held;
    if (step.delayMs === 0) again.push(record.id);
    else moved(context, record, record.state, step.reason);
  });
  await hint(context, context.eventsQueue, again);
}

function addRequest({ held, deliveries, sealTargets }: Extract<Step, { kind: 'add' }>, leaseMs: number): AddRequest {
  const { record, fence } = held;
  return { notificationId: record.id, fence, page: record.cursor, deliveries, sealTargets, leaseMs };
}

function stillHeld(
  context: Context,
  held: HeldNotification | undefined,
  verdict: AddVerdict,
): readonly HeldNotification[] {
  if (held === undefined || (verdict.kind !== 'added' && verdict.kind !== 'repeated')) return [];
  const { record, next } = verdict;
  if (next !== null && record.leaseUntil !== null && record.fence === held.fence)
    return [{ ...held, record, page: next }];
  if (record.state === 'expanded') moved(context, record, 'expanded', null);
  return [];
}

function moved(context: Context, record: NotificationRecord, to: NotificationState, reason: string | null): void {
  context.emit({ kind: 'notification.moved', at: context.clock.now(), id: record.id, type: record.type, to, reason });
}

/** A delivery that is born as a dead letter is told like any other. */
function tellStillborn(
  context: Context,
  verdict: AddVerdict,
  of: NotificationRecord | undefined,
  request: AddRequest | undefined,
): void {
  if (verdict.kind !== 'added' || of === undefined || request === undefined) return;
  const failed = request.deliveries.filter((delivery) => delivery.failed !== null);
  if (failed.length === 0) return;
  const inserted = new Set(verdict.inserted);
  for (const { id, target, provider, failed: reason } of failed) {
    if (!inserted.delete(id)) continue;
    const { type, class: ofClass } = of;
    context.emit({
      kind: 'delivery.moved',
      at: context.clock.now(),
      id,
      type,
      class: ofClass,
      channel: target.channel,
      to: 'failed',
      provider,
      reason,
      assumed: false,
    });
  }
}

/** A derived id, so a repeated expansion makes the same delivery. What can never be sent is born as a dead letter with its reason. */
function newDelivery(context: Context, record: NotificationRecord, target: Target): NewDelivery {
  const type = context.settings.types.get(record.type);
  const { recipientId, channel, destinationId } = target;
  return {
    id: deliveryId({ notificationId: record.id, recipientId, channel, destinationId, generation: 0 }),
    target,
    provider: context.settings.channels.get(channel)?.order[0] ?? '',
    maxAttempts: type?.policy.maxAttempts ?? 1,
    topic: type?.topic ?? null,
    failed: problemOf(context, target),
  };
}

function problemOf({ settings }: Context, { channel, to, problem }: Target): string | null {
  if (problem !== undefined) return `invalid target: ${problem}`;
  if (!settings.channels.has(channel)) return `channel '${channel}' has no provider in the config`;
  const wrong = addressProblem(channel, to);
  return wrong === null ? null : `invalid address: ${wrong}`;
}
