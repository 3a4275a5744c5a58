import type { NewDelivery } from '@sendonce/core';
import type { EventOf } from '../history.ts';
import type { Checker, CheckerContext } from './checker.ts';
import type { EndFacts, FinalDelivery } from './facts.ts';
import { Lulls } from './lulls.ts';

type Event<K extends 'cancel' | 'suppress' | 'replay'> = EventOf<K>;
/** Of what is told: what may end a delivery as failed. */
const FINAL = 2 | 4 | 16;

type OptOut = EventOf<'suppress'>['request'];

/**
 * END, the bound on giving up: whoever ends without one known message has a cause. Parked, assumed and dead were in flight at a fault;
 * failed was refused by its provider, or was asked for so that it cannot be sent; expired was kept by faults or by too much work;
 * cancels and opt-outs come from people. Nobody wins by giving everybody up.
 */
export function explained(context: CheckerContext): Checker {
  const { causes, slots } = context;
  const channels = new Set(context.providers.map(({ channel }) => channel));
  /**
   * 1: a provider refused an attempt. 2: it was asked for with an address or channel that cannot work. 4: its content failed at a fault.
   * 8: its claims lapsed at one. 16: a provider refused its message or its destination for good.
   */
  const told = context.column('u8');
  const cancelled = new Set<string>();
  const optOuts: OptOut[] = [];
  const lulls = new Lulls(context);

  function report(at: number, slot: number, deliveryId: string | null, message: string): void {
    context.report({ invariant: 'END', at, slot, deliveryId, message });
  }

  function byItself(at: number, slot: number, id: string | null, process: string, did: string): boolean {
    if (!causes.isOwnProcess(process)) return false;
    report(at, slot, slot < 0 ? null : id, `${process} ${did}, and nobody had asked for it`);
    return true;
  }

  function cancel({ at, process, request, verdict }: Event<'cancel'>, slot: number): void {
    if (verdict.kind === 'absent' || byItself(at, slot, request.id, process, 'cancelled it')) return;
    cancelled.add(request.id);
  }

  function suppress({ at, process, request }: Event<'suppress'>): void {
    if (!request.suppressed) return;
    if (!byItself(at, -1, null, process, `opted ${request.recipientId} out`)) optOuts.push(request);
  }

  function replay({ at, process, request, verdict }: Event<'replay'>, slot: number): void {
    if (verdict.kind === 'replayed' && !request.automatic) byItself(at, slot, request.id, process, 'replayed it');
  }

  function made({ target, failed }: NewDelivery, slot: number): void {
    if (failed === null) return;
    const recipient = slots.recipientOf(slot);
    const asked = recipient < 0 ? target : context.targetOf(recipient);
    if (!channels.has(asked.channel) || context.addressProblemOf(asked) !== null) told.set(slot, told.get(slot) | 2);
  }

  /** The user's own function cannot make it. What only says so later is believed. */
  function isUnmakeable(id: string, slot: number): boolean {
    const recipient = slots.recipientOf(slot);
    if (recipient < 0) return true;
    try {
      const content: unknown = context.contentOf(recipient, context.targetOf(recipient), {
        deliveryId: id,
        generation: slots.generationOf(slot),
      });
      return content instanceof Promise || typeof content !== 'object' || content === null;
    } catch {
      return true;
    }
  }

  function isCancelled(id: string, slot: number): boolean {
    if (cancelled.has(id)) return true;
    const recipient = slots.recipientOf(slot);
    return recipient >= 0 && cancelled.size > 0 && cancelled.has(context.addresseeOf(recipient).notificationId);
  }

  function isOptedOut(slot: number): boolean {
    const recipient = slots.recipientOf(slot);
    if (recipient < 0 || optOuts.length === 0) return false;
    const who = context.addresseeOf(recipient);
    return optOuts.some(
      ({ tenant, recipientId, topic, channel }) =>
        tenant === who.tenant &&
        recipientId === who.recipientId &&
        (topic === '*' || topic === who.topic) &&
        (channel === '*' || channel === who.channel),
    );
  }

  /** What is wrong with the end of a delivery; null: it has its cause. */
  function without({ id, state, assumed, reason, createdAt, expiresAt }: FinalDelivery, slot: number): string | null {
    if (assumed) return causes.isExcused(slot) ? null : 'assumed to be sent, and no fault can have hidden its outcome';
    const because = reason === null ? '' : ` ('${reason}')`;
    switch (state) {
      case 'parked':
        return causes.isExcused(slot) ? null : 'parked, and no fault can have hidden its outcome';
      case 'dead':
        return causes.losses > 0 || told.get(slot) > 0 || causes.isExcused(slot) || causes.isStruckSinceClaim(slot)
          ? null
          : `dead${because}, and no fault can have kept it from being sent`;
      case 'failed':
        return causes.losses > 0 || (told.get(slot) & FINAL) > 0 || isUnmakeable(id, slot)
          ? null
          : `failed${because}, and no provider refused it for good, its address is well formed and its content can be made`;
      case 'expired':
        return causes.losses > 0 ||
          told.get(slot) > 0 ||
          causes.isExcused(slot) ||
          expiresAt === null ||
          !lulls.hadTime(createdAt, expiresAt)
          ? null
          : 'expired, and neither a fault nor other work can have kept it so long';
      case 'cancelled':
        return isCancelled(id, slot) ? null : 'cancelled, and nobody had asked for it';
      case 'suppressed':
        return isOptedOut(slot) ? null : 'suppressed, and the recipient had not opted out';
      default:
        return null;
    }
  }

  function end({ failedNotifications, liveness }: EndFacts): void {
    if (causes.strikes.length > 0) return;
    for (const { notificationId, reason } of failedNotifications) {
      if (context.failsToRoute(notificationId) !== false) continue;
      const message = `notification ${notificationId} failed ('${reason}'), and nothing was broken`;
      report(liveness.endedAt, -1, null, message);
    }
  }

  return {
    invariants: ['END'],
    made,
    on: {
      cancel,
      suppress,
      replay,
      provider({ outcome, refusal }, slot) {
        if (outcome !== 'refused') return;
        const isFinal = refusal?.kind === 'rejected' && refusal.scope !== 'provider';
        told.set(slot, told.get(slot) | (isFinal ? 17 : 1));
      },
      release({ at, request: { failure } }, slot) {
        if (slot >= 0 && failure !== null && (causes.isStriking(at) || causes.isStruckSinceClaim(slot)))
          told.set(slot, told.get(slot) | 4);
      },
      claim({ verdict }, slot) {
        // No store knows whether the process died that let a claim lapse, or never heard of it.
        if (verdict.kind === 'settled' && verdict.state === 'dead' && causes.isStruckInRow(slot))
          told.set(slot, told.get(slot) | 8);
      },
      mark({ at, verdict }) {
        if (verdict.kind === 'go') lulls.worked(at);
      },
    },
    final(delivery, slot, at) {
      const wrong = without(delivery, slot);
      if (wrong !== null) report(at, slot, delivery.id, wrong);
    },
    end,
  };
}
