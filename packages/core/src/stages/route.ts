import type { NotificationType } from '../config.ts';
import { reasonOf } from '../model/errors.ts';
import { frozenCopy } from '../model/json.ts';
import { toTarget, type TargetInput } from '../model/recipient.ts';
import type { NotificationRecord } from '../model/notification.ts';
import type { Context } from './context.ts';
import type { Routed } from './answered.ts';
import { changeable } from './lanes.ts';
import { drain } from './pages.ts';
import { BrokenTargets, isTargets, pagesInHand, TargetReader, type TargetPages } from './target-reader.ts';
import { isThenable } from './thenable.ts';

type Ask = NonNullable<NotificationType<never>['route']>;

/** Asks the type's route who gets it. What it throws is the route's failure, never the notification's end. Never rejects. */
export function askRoute(context: Context, ask: Ask, record: NotificationRecord): Routed | Promise<Routed> {
  try {
    const asked = (ask as (data: unknown) => unknown)(frozenCopy(record.data, 'data'));
    // No turn is waited for what is there: a list that its owner uses again is taken before it does.
    if (!isThenable(asked)) return taken(context, record, asked);
    return Promise.resolve(asked).then((targets) => takenLater(context, record, targets), threw);
  } catch (thrown) {
    return threw(thrown);
  }
}

function taken(context: Context, { type }: NotificationRecord, targets: unknown): Routed {
  const { addresses: rules, worker } = context.settings;
  const { chunk, leaseMs, maxTargets } = worker;
  if (!isTargets(targets))
    return failed(`route of '${type}' must return an array or (async) iterable of targets, got ${reasonOf(targets)}`);
  if (!Array.isArray(targets) && !(targets instanceof Set)) {
    const limit = { clock: context.clock, pageMs: leaseMs };
    return { kind: 'pages', pages: new TargetReader(targets, { pageSize: chunk, limit, rules }), from: [] };
  }
  // What is all there is taken whole, now: what its owner does with it afterwards is no part of what was answered.
  const all = Array.from(targets as Iterable<TargetInput>, (each) => toTarget(each, rules));
  if (all.length > maxTargets) return threw(tooMany(maxTargets));
  if (all.length <= chunk) return { kind: 'page', targets: all, from: [] };
  return { kind: 'pages', pages: pagesInHand(all, chunk), from: [] };
}

function takenLater(context: Context, record: NotificationRecord, targets: unknown): Routed {
  try {
    const routed = taken(context, record, targets);
    if (routed.kind !== 'page' && routed.kind !== 'pages') return routed;
    return { ...routed, from: changeable(targets instanceof Set ? [targets, ...targets] : targets) };
  } catch (thrown) {
    return threw(thrown);
  }
}

export function failed(reason: string): Routed {
  return { kind: 'failed', reason, from: [] };
}

function threw(thrown: unknown): Routed {
  return failed(`route threw ${reasonOf(thrown)}`);
}

function tooMany(maxTargets: number): Error {
  return new Error(`it has more than ${maxTargets} targets (worker option maxTargets)`);
}

interface Sealing {
  readonly held: { readonly record: NotificationRecord; readonly fence: number };
  readonly pages: TargetPages;
  readonly signal: AbortSignal;
}

/** Stores many page by page and seals them; null, or the reason why they could not be read. What the ledger throws goes up. */
export async function sealRouted(context: Context, { held, pages, signal }: Sealing): Promise<string | null> {
  try {
    await drain(context.ledger, held.record, bounded(context, pages, signal), held.fence);
    return null;
  } catch (thrown) {
    if (thrown instanceof BrokenTargets) return `route threw ${thrown.message}`;
    throw thrown;
  }
}

/** A route without an end would fill the ledger, or keep others of its type waiting for ever. */
function bounded({ clock, settings }: Context, pages: TargetPages, signal: AbortSignal): TargetPages {
  const { maxTargets, routeMs } = settings.worker;
  const until = clock.monotonic() + routeMs;
  let count = 0;
  return {
    page: async () => {
      // Its lease was given back, or could not be: either way the next worker begins again, and this one writes nothing any more.
      if (signal.aborted) throw new BrokenTargets(new Error('the worker stopped'));
      if (clock.monotonic() >= until)
        throw new BrokenTargets(new Error(`its targets came to no end within ${routeMs} ms (worker option routeMs)`));
      const page = await pages.page();
      count += page.targets.length;
      if (count > maxTargets) throw new BrokenTargets(tooMany(maxTargets));
      return page;
    },
    close: () => pages.close(),
  };
}
