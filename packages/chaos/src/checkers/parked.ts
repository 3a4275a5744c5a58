import type { Checker, CheckerContext } from './checker.ts';

const DISTURBING: ReadonlySet<string> = new Set(['kill', 'pause', 'resume', 'stop', 'stopped']);

/**
 * END, the bound on giving up: only a delivery that was in flight (marked, no outcome applied) at a fault, or unknown because the store
 * lost its memory, may end parked or assumed. A fault strikes for its length, and for as long as a request may be on the wire.
 */
export function parked(context: CheckerContext): Checker {
  const { attempts, slots, knobs } = context;
  /** Faults seen when the latest attempt was marked, plus one. */
  const faultsAtMark = context.column('u32');
  /** Losses of memory seen then. */
  const lossesAtMark = context.column('u8');
  const excused = context.column('u8');
  let faults = 0;
  let losses = 0;
  let strikesUntil = -Infinity;

  function strike(at: number, ms: number): void {
    faults += 1;
    strikesUntil = Math.max(strikesUntil, at + ms + knobs.transitMs);
  }

  function excuseIfStruck(slot: number): void {
    if (slot >= 0 && attempts.isInFlight(slot) && faultsAtMark.get(slot) !== faults + 1) excused.set(slot, 1);
  }

  return {
    invariants: ['END'],
    on: {
      fault({ at, what, fault }) {
        if (what === 'fired') strike(at, fault.ms ?? 0);
      },
      process({ at, what }) {
        if (DISTURBING.has(what)) strike(at, 0);
      },
      epoch({ at }) {
        strike(at, 0);
        losses += 1;
      },
      mark({ at, request, verdict }, slot) {
        if (verdict.kind !== 'go' || attempts.isRepeat(slot, request.fence)) return;
        faultsAtMark.set(slot, faults + 1);
        lossesAtMark.set(slot, losses);
        if (at <= strikesUntil) excused.set(slot, 1);
      },
      settle: (_event, slot) => excuseIfStruck(slot),
      claim({ verdict }, slot) {
        if (verdict.kind === 'unknown') excuseIfStruck(slot);
      },
      sweep({ result }) {
        for (const { id } of result.moved) excuseIfStruck(slots.of(id));
      },
      reconcile(_event, slot) {
        // Unknown, and not by a mark of ours since the loss: the store presumes what it may have forgotten.
        if (lossesAtMark.get(slot) < losses) excused.set(slot, 1);
      },
    },
    final({ id, state, assumed }, slot, at) {
      if ((state !== 'parked' && !assumed) || excused.get(slot) === 1) return;
      const what = assumed ? 'assumed to be sent' : 'parked';
      const message = `${what}, and no fault can have hidden its outcome`;
      context.report({ invariant: 'END', at, slot, deliveryId: id, message });
    },
  };
}
