import type { Awaitable, Targets } from '../config.ts';
import { reasonOf } from '../model/errors.ts';
import { toTarget, type Target, type TargetInput } from '../model/recipient.ts';
import type { NotificationRecord } from '../model/notification.ts';
import type { Context } from './context.ts';
import { drain } from './pages.ts';

export type RouteResult =
  /** Few enough for one page: frozen by the same call that adds the deliveries. */
  | { readonly kind: 'page'; readonly targets: readonly Target[] }
  /** Many: drained into sealed pages. `record` says whether that worked out. */
  | { readonly kind: 'sealed'; readonly record: NotificationRecord }
  | { readonly kind: 'failed'; readonly reason: string };

/** Asks the type's route who gets it. What it throws is the route's failure, never the notification's end. */
export async function route(context: Context, record: NotificationRecord, fence: number): Promise<RouteResult> {
  const type = context.settings.types.get(record.type)?.type;
  const ask = type?.route as ((data: unknown) => Awaitable<Targets>) | undefined;
  if (ask === undefined) return { kind: 'failed', reason: `type '${record.type}' has no route in this worker's config` };
  const { chunk } = context.settings.worker;
  let targets: Targets;
  try {
    targets = await ask(record.data);
    if (Array.isArray(targets) && targets.length <= chunk) return { kind: 'page', targets: (targets as TargetInput[]).map(toTarget) };
    if (typeof targets !== 'object' || !(Symbol.iterator in targets || Symbol.asyncIterator in targets))
      return { kind: 'failed', reason: `route of '${record.type}' must return an array or (async) iterable of targets, got ${typeof targets}` };
  } catch (thrown) {
    return { kind: 'failed', reason: `route threw ${reasonOf(thrown)}` };
  }
  const guarded = guardedTargets(targets);
  try {
    return { kind: 'sealed', record: await drain(context.ledger, record, guarded.targets, { pageSize: chunk, fence }) };
  } catch (thrown) {
    // What the ledger throws is the store's trouble and goes up; what the iterable throws is the route's.
    if (guarded.thrown() === null) throw thrown;
    return { kind: 'failed', reason: `route threw ${reasonOf(thrown)}` };
  }
}

function guardedTargets(targets: Targets): { readonly targets: AsyncIterable<TargetInput>; readonly thrown: () => unknown } {
  let thrown: unknown = null;
  async function* guard(): AsyncGenerator<TargetInput> {
    try {
      yield* targets;
    } catch (error) {
      thrown = error;
      throw error;
    }
  }
  return { targets: guard(), thrown: () => thrown };
}
