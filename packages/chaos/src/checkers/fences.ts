import { hashText } from '../kernel/draw.ts';
import type { EventOf } from '../history.ts';
import type { Checker, CheckerContext } from './checker.ts';

/** S3: fences rise with each grant, for ever; a write with an older one changes nothing but its own attempt's evidence. */
export function fences(context: CheckerContext): Checker {
  const { attempts } = context;
  const highest = context.column('f64');
  /** Losses of memory seen at the latest grant: what the store forgot gives no right to call a write old. */
  const lossesAtGrant = context.column('u8');
  let losses = 0;
  const request = context.column('u32');
  let lastRequest = '';
  let lastHash = 0;

  function hashOf(requestId: string): number {
    if (requestId === lastRequest) return lastHash;
    lastRequest = requestId;
    lastHash = hashText(requestId);
    return lastHash;
  }

  function report(at: number, slot: number, deliveryId: string, message: string): void {
    context.report({ invariant: 'S3', at, slot, deliveryId, message });
  }

  function granted({ at, requestId, verdict }: EventOf<'claim'>, slot: number): void {
    if (verdict.kind !== 'granted') return;
    const { fence, id } = verdict;
    const before = highest.get(slot);
    const hash = hashOf(requestId);
    if (fence === before && request.get(slot) === hash) {
      if (attempts.lastFence(slot) === fence)
        report(at, slot, id, `a late copy of a claim was granted fence ${fence} again, after the mark under it`);
      return;
    }
    if (fence <= before)
      report(at, slot, id, `a claim was granted fence ${fence}, and ${before} had been granted before`);
    else highest.set(slot, fence);
    lossesAtGrant.set(slot, losses);
    request.set(slot, hash);
  }

  function written(what: string, at: number, slot: number, deliveryId: string, fence: number): void {
    const now = highest.get(slot);
    if (slot < 0 || fence >= now || lossesAtGrant.get(slot) !== losses) return;
    report(at, slot, deliveryId, `${what} with fence ${fence} took effect, and ${now} had been granted`);
  }

  return {
    invariants: ['S3'],
    on: {
      claim: granted,
      epoch() {
        losses += 1;
      },
      mark({ at, request, verdict }, slot) {
        if (verdict.kind === 'go') written('a mark', at, slot, request.id, request.fence);
      },
      settle({ at, request, verdict }, slot) {
        if (verdict.kind === 'settled') written('a settle', at, slot, request.id, request.fence);
      },
      renew({ at, request, verdict }, slot) {
        if (verdict.kind === 'ok') written('a renewal', at, slot, request.id, request.fence);
      },
      release({ at, request, verdict }, slot) {
        if (verdict.kind !== 'fenced') written('a release', at, slot, request.id, request.fence);
      },
      reconcile({ at, request, verdict }, slot) {
        if (verdict.kind === 'moved') written('a reconciliation', at, slot, request.id, request.fence);
      },
    },
  };
}
