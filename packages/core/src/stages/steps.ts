import { addressProblem } from '../model/address.ts';
import { CHANNELS } from '../model/classes.ts';
import { reasonOf } from '../model/errors.ts';
import { groupBy } from '../model/group-by.ts';
import { deliveryId } from '../model/keys.ts';
import type { NotificationRecord } from '../model/notification.ts';
import type { Target } from '../model/recipient.ts';
import { MAX_ROUTING_FAILURES } from '../model/steps/notification.ts';
import { afterFailureMs } from '../policy/retry.ts';
import type { NewDelivery } from '../ports/ledger.ts';
import type { Routed } from './answered.ts';
import { atCheckedAddresses } from './checked-page.ts';
import { unknownConfigDelayMs, type Context } from './context.ts';
import { askRoute, failed, sealRouted } from './route.ts';

/** A notification that this worker holds. */
export interface HeldNotification {
  readonly record: NotificationRecord;
  readonly fence: number;
  /** The page at the cursor; null when it has to be routed first. */
  readonly page: readonly Target[] | null;
  /** The wait for a worker that knows its channels is over: see `addOrWait`. */
  readonly waitedOut?: boolean;
}

/** What one step still needs, after the route was asked where there is one. */
export type Step =
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
 * The next step of each: what has its page is there at once, what has to be routed when the type's `route` has answered and, where those
 * are many, they are sealed. A step rejects with what the ledger throws.
 */
export function stepsOf(
  context: Context,
  held: readonly HeldNotification[],
  signal: AbortSignal,
): readonly (Step | Promise<Step>)[] {
  const { types } = context.settings;
  const toRoute = held.filter(({ record, page }) => page === null && types.get(record.type)?.type.route !== undefined);
  const routed = askRoutes(context, toRoute, signal);
  return held.map((each) => {
    const { type } = each.record;
    // The type says how often to try and what can be opted out of: without it no delivery may be made.
    if (!types.has(type)) return waits(context, each, `type '${type}' is not in this worker's config`);
    if (each.page !== null) return expanded(context, each, each.page, null);
    const answer = routed.get(each);
    if (answer === undefined) return waits(context, each, `type '${type}' has no route in this worker's config`);
    return answer.then((known) => routedStep(context, each, known, signal));
  });
}

/** What the routes of these answer, which all have one. */
function askRoutes(
  context: Context,
  held: readonly HeldNotification[],
  signal: AbortSignal,
): ReadonlyMap<HeldNotification, Promise<Routed>> {
  const { clock, settings, lanes } = context;
  const limitMs = settings.worker.leaseMs;
  // A route that never answers has failed: it must not keep this worker from everybody else's.
  const late = failed(`route threw Error: no answer within ${limitMs} ms`);
  const options = { clock, limitMs, late, signal };
  const routed = new Map<HeldNotification, Promise<Routed>>();
  for (const [type, all] of groupBy(held, ({ record }) => record.type)) {
    const ask = settings.types.get(type)!.type.route!;
    const asks = all.map((each) => () => askRoute(context, ask, each.record));
    const answers = lanes.route.askAll({ type, ask }, asks, options);
    for (const [at, each] of all.entries())
      routed.set(
        each,
        answers.then((known) => known[at]!),
      );
  }
  return routed;
}

async function routedStep(
  context: Context,
  held: HeldNotification,
  routed: Routed,
  signal: AbortSignal,
): Promise<Step> {
  switch (routed.kind) {
    case 'page':
      return expanded(context, held, routed.targets, routed.targets.length);
    case 'pages': {
      const problem = await sealRouted(context, { held, pages: routed.pages, signal });
      // Sealed now: the next claim hands out page 0.
      return problem === null
        ? { kind: 'release', held, failure: null, reason: null, delayMs: 0 }
        : gaveUp(held, problem);
    }
    case 'failed':
      return gaveUp(held, routed.reason);
  }
}

/** The page with the recipients' own destinations in it. Where these cannot be asked now it is let go, visibly, and counts as no failure. */
function expanded(
  context: Context,
  held: HeldNotification,
  page: readonly Target[],
  sealTargets: number | null,
): Step | Promise<Step> {
  const { destinations, settings } = context;
  const { addresses, worker } = settings;
  // Whoever sealed it may not have had the rules, and what a store of destinations keeps was not read by any.
  const asked = atCheckedAddresses(addresses, page);
  if (destinations === null) return addOrWait(context, held, { page: asked, sealTargets });
  return destinations.lookUp(held.record.tenant, asked, worker.leaseMs).then((found) => {
    if (typeof found === 'string') return waits(context, held, found);
    const { targets, failures } = found;
    return addOrWait(context, held, { page: atCheckedAddresses(addresses, targets, failures), failures, sealTargets });
  });
}

/** What becomes of a page. */
interface Page {
  readonly page: readonly Target[];
  readonly sealTargets: number | null;
  /** Why some of its targets are not sent to, whatever else is known of them. */
  readonly failures?: ReadonlyMap<Target, string>;
}

/**
 * A channel that this config does not know may be in another worker's, during a deploy: a delivery that is born failed would be beyond
 * that one's help. So the notification is left alone, visibly, for as long as a route may throw less one, which is a minute or two;
 * then no config is taken to know the channel, and what cannot be sent is born as a dead letter. The notification itself never fails
 * for it. The wait is once per lease, not per page: a million recipients on a channel that was forgotten are told today. A name that is
 * no channel at all is in nobody's config.
 */
function addOrWait(context: Context, held: HeldNotification, of: Page): Step {
  const { record } = held;
  const lacked = of.page.find(
    ({ channel, problem }) =>
      problem === undefined && !context.settings.channels.has(channel) && CHANNELS.includes(channel),
  )?.channel;
  if (lacked === undefined || held.waitedOut === true) return adding(context, held, of);
  if (record.failures >= MAX_ROUTING_FAILURES - 1) return adding(context, { ...held, waitedOut: true }, of);
  const reason = `channel '${lacked}' has no provider in this worker's config`;
  return { kind: 'release', held, failure: reason, reason, delayMs: unknownConfigDelayMs(context) };
}

/** Deliveries are made here, one notification at a time: one that cannot be expanded fails alone, and is a dead letter in the end. */
function adding(context: Context, held: HeldNotification, { page, sealTargets, failures }: Page): Step {
  try {
    return {
      kind: 'add',
      held,
      deliveries: page.map((target) => newDelivery(context, held.record, target, failures?.get(target))),
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

/** A derived id, so a repeated expansion makes the same delivery. What can never be sent is born as a dead letter with its reason. */
function newDelivery(context: Context, record: NotificationRecord, target: Target, failure?: string): NewDelivery {
  const type = context.settings.types.get(record.type);
  const { recipientId, channel, destinationId } = target;
  return {
    id: deliveryId({ notificationId: record.id, recipientId, channel, destinationId, generation: 0 }),
    target,
    provider: context.settings.channels.get(channel)?.order[0] ?? '',
    maxAttempts: type?.policy.maxAttempts ?? 1,
    topic: type?.topic ?? null,
    failed: failure ?? problemOf(context, target),
  };
}

function problemOf({ settings }: Context, { channel, to, problem }: Target): string | null {
  if (problem !== undefined) return `invalid target: ${problem}`;
  if (!settings.channels.has(channel)) return `channel '${channel}' has no provider in the config`;
  const wrong = addressProblem(channel, to);
  return wrong === null ? null : `invalid address: ${wrong}`;
}
