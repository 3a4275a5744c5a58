import type { Awaitable, Targets } from '../config.ts';
import { reasonOf } from '../model/errors.ts';
import { toTarget, type Target, type TargetInput } from '../model/recipient.ts';
import type { NotificationRecord } from '../model/notification.ts';
import type { Context } from './context.ts';
import { inTime } from './in-time.ts';
import { drain } from './pages.ts';
import { BrokenTargets } from './target-reader.ts';

export type RouteResult =
  /** Few enough for one page: frozen by the same call that adds the deliveries. */
  | { readonly kind: 'page'; readonly targets: readonly Target[] }
  /** Many: drained into sealed pages. `record` says whether that worked out. */
  | { readonly kind: 'sealed'; readonly record: NotificationRecord }
  | { readonly kind: 'failed'; readonly reason: string }
  /** Not for this worker's config to say; another's may. */
  | { readonly kind: 'waits'; readonly reason: string };

/** Asks the type's route who gets it. What it throws is the route's failure, never the notification's end. */
export async function route(context: Context, record: NotificationRecord, fence: number): Promise<RouteResult> {
  const type = context.settings.types.get(record.type)?.type;
  const ask = type?.route as ((data: unknown) => Awaitable<Targets>) | undefined;
  if (ask === undefined) return { kind: 'waits', reason: `type '${record.type}' has no route in this worker's config` };
  const { chunk, leaseMs } = context.settings.worker;
  let targets: Targets;
  try {
    targets = await answered(context, ask(record.data));
    if (Array.isArray(targets) && targets.length <= chunk)
      return { kind: 'page', targets: (targets as TargetInput[]).map(toTarget) };
    if (
      typeof targets !== 'object' ||
      targets === null ||
      !(Symbol.iterator in targets || Symbol.asyncIterator in targets)
    )
      return {
        kind: 'failed',
        reason: `route of '${record.type}' must return an array or (async) iterable of targets, got ${targets === null ? 'null' : typeof targets}`,
      };
  } catch (thrown) {
    return { kind: 'failed', reason: `route threw ${reasonOf(thrown)}` };
  }
  try {
    const limit = { clock: context.clock, pageMs: leaseMs };
    return { kind: 'sealed', record: await drain(context.ledger, record, targets, { pageSize: chunk, fence, limit }) };
  } catch (thrown) {
    // What the ledger throws is the store's trouble and goes up; what reading the targets throws is the route's.
    if (!(thrown instanceof BrokenTargets)) throw thrown;
    return { kind: 'failed', reason: `route threw ${thrown.message}` };
  }
}

/** A route that never answers has failed: it must not keep this worker from everybody else's. */
async function answered({ clock, settings }: Context, asked: Awaitable<Targets>): Promise<Targets> {
  if (!(asked instanceof Promise)) return asked;
  const { leaseMs } = settings.worker;
  return inTime(clock, asked, leaseMs, () => {
    throw new Error(`no answer within ${leaseMs} ms`);
  });
}
