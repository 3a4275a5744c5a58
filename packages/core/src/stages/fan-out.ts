import type { NotificationRecord, NotificationState } from '../model/notification.ts';
import type { AddRequest, AddVerdict } from '../ports/ledger.ts';
import type { Context } from './context.ts';
import { hint } from './hint.ts';
import type { HeldNotification, Step } from './steps.ts';

export interface Expanded {
  /** Held on, at their next page. */
  readonly held: readonly HeldNotification[];
  /** Pages added of notifications that have more of them, held on or not. */
  readonly ahead: number;
}

/**
 * Makes the deliveries of one page of each notification, together with its cursor: one `add` for all. A crash anywhere repeats nothing.
 */
export async function fanOut(
  context: Context,
  steps: readonly Step[],
  leaseMs: (at: number) => number,
): Promise<Expanded> {
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

async function giveBack(context: Context, steps: readonly Extract<Step, { kind: 'release' }>[]): Promise<void> {
  if (steps.length === 0) return;
  const releases = steps.map(({ held: { record, fence }, failure, delayMs, reason }) => ({
    id: record.id,
    fence,
    failure,
    delayMs,
    reason,
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
