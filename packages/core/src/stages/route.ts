import { reasonOf } from '../model/errors.ts';
import { frozenCopy } from '../model/json.ts';
import { toTarget, type Target, type TargetInput } from '../model/recipient.ts';
import type { NotificationRecord } from '../model/notification.ts';
import type { Context } from './context.ts';
import { inTime } from './in-time.ts';
import { drain } from './pages.ts';
import { BrokenTargets, isTargets, pagesInHand, TargetReader, type TargetPages } from './target-reader.ts';
import { isThenable } from './thenable.ts';

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
  const ask = type?.route as ((data: unknown) => unknown) | undefined;
  if (ask === undefined) return { kind: 'waits', reason: `type '${record.type}' has no route in this worker's config` };
  const { chunk, leaseMs } = context.settings.worker;
  let pages: TargetPages;
  try {
    const asked = ask(frozenCopy(record.data, 'data'));
    // No turn is waited for what is there: a list that its owner uses again is taken before it does.
    const targets = isThenable(asked) ? await answered(context, asked) : asked;
    if (!isTargets(targets))
      return {
        kind: 'failed',
        reason: `route of '${record.type}' must return an array or (async) iterable of targets, got ${reasonOf(targets)}`,
      };
    // An array is taken whole, now: what its owner does with it afterwards is no part of what was answered.
    const taken = Array.isArray(targets) ? Array.from(targets as TargetInput[], toTarget) : null;
    if (taken !== null && taken.length <= chunk) return { kind: 'page', targets: taken };
    const limit = { clock: context.clock, pageMs: leaseMs };
    pages = taken === null ? new TargetReader(targets, { pageSize: chunk, limit }) : pagesInHand(taken, chunk);
  } catch (thrown) {
    return { kind: 'failed', reason: `route threw ${reasonOf(thrown)}` };
  }
  try {
    return { kind: 'sealed', record: await drain(context.ledger, record, pages, fence) };
  } catch (thrown) {
    // What the ledger throws is the store's trouble and goes up; what reading the targets throws is the route's.
    if (!(thrown instanceof BrokenTargets)) throw thrown;
    return { kind: 'failed', reason: `route threw ${thrown.message}` };
  }
}

/** A route that never answers has failed: it must not keep this worker from everybody else's. */
function answered({ clock, settings }: Context, asked: PromiseLike<unknown>): Promise<unknown> {
  const { leaseMs } = settings.worker;
  return inTime(clock, Promise.resolve(asked), leaseMs, () => {
    throw new Error(`no answer within ${leaseMs} ms`);
  });
}
