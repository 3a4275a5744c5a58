import { kindOf } from '@sendonce/core';
import type { EventOf } from '../history.ts';
import type { Checker, CheckerContext } from './checker.ts';
import type { Addressee } from './context.ts';

interface OptOut {
  readonly tenant: string;
  readonly recipientId: string;
  readonly topic: string;
  readonly channel: string;
}

/**
 * S15: no mark, and so no send, after an acknowledged cancel or opt-out, or after the expiry; nothing arrives later than its send
 * deadline allows. A delivery that was answered `too-late` may still arrive by the attempt that was open, and gets no other.
 */
export function forbidden(context: CheckerContext): Checker {
  const { attempts, slots } = context;
  const expiresAt = context.column('f64');
  /** Counted from the latest mark, ms. */
  const sendWithin = context.column('u32');
  const cancelled = new Set<string>();
  const optOuts = new Map<string, OptOut>();

  function cancel({ request, verdict }: EventOf<'cancel'>): void {
    // A notification that was over already keeps its dead letters, and those may be replayed.
    const holds = verdict.kind === 'cancelled' || (verdict.kind === 'too-late' && kindOf(request.id) === 'delivery');
    if (holds) cancelled.add(request.id);
  }

  function suppress({ request }: EventOf<'suppress'>): void {
    const { tenant, recipientId, topic, channel } = request;
    const id = JSON.stringify([tenant, recipientId, topic, channel]);
    if (request.suppressed) optOuts.set(id, { tenant, recipientId, topic, channel });
    else optOuts.delete(id);
  }

  /** Without synchronous replication an acknowledged cancel or opt-out may go with the memory that the store lost. */
  function forget(): void {
    cancelled.clear();
    optOuts.clear();
  }

  function optedOut({ tenant, recipientId, topic, channel }: Addressee): boolean {
    if (topic === null) return false;
    for (const out of optOuts.values()) {
      const matches = out.tenant === tenant && out.recipientId === recipientId;
      if (matches && (out.topic === topic || out.topic === '*') && (out.channel === channel || out.channel === '*'))
        return true;
    }
    return false;
  }

  function whyNot(at: number, slot: number, id: string): string | null {
    const expires = expiresAt.get(slot);
    if (expires !== 0 && at >= expires) return 'after it had expired';
    if (cancelled.size === 0 && optOuts.size === 0) return null;
    if (cancelled.has(id)) return 'after its cancel had been acknowledged';
    const recipient = slots.recipientOf(slot);
    if (recipient < 0) return null;
    const addressee = context.addresseeOf(recipient);
    if (cancelled.has(addressee.notificationId)) return "after its notification's cancel had been acknowledged";
    return optedOut(addressee) ? 'after the recipient had opted out' : null;
  }

  return {
    invariants: ['S15'],
    on: {
      cancel,
      suppress,
      epoch: forget,
      claim({ verdict }, slot) {
        if (verdict.kind === 'granted' && verdict.record.expiresAt !== null)
          expiresAt.set(slot, verdict.record.expiresAt);
      },
      mark({ at, request, verdict }, slot) {
        if (verdict.kind !== 'go' || attempts.isRepeat(slot, request.fence)) return;
        sendWithin.set(slot, Math.max(0, verdict.sendWithinMs));
        const why = whyNot(at, slot, request.id);
        if (why !== null)
          context.report({
            invariant: 'S15',
            at,
            slot,
            deliveryId: request.id,
            message: `attempt ${verdict.attempt} was marked ${why}`,
          });
      },
      provider({ at, attempt, deliveryId }, slot) {
        const lateMs = at - attempts.lastAt(slot) - sendWithin.get(slot);
        if (attempt !== attempts.lastNumber(slot) || lateMs <= context.knobs.transitMs) return;
        const message = `attempt ${attempt} arrived ${lateMs} ms after its send deadline`;
        context.report({ invariant: 'S15', at, slot, deliveryId, message });
      },
    },
  };
}
