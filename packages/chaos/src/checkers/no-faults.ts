import type { Checker, CheckerContext, Finding } from './checker.ts';

const DISTURBING: ReadonlySet<string> = new Set(['kill', 'pause']);

/** META: without faults and slow ways there is no duplicate, no repeated request and no unknown, whatever the policy allows. */
export function noFaults(context: CheckerContext): Checker {
  const { attempts, causes, states } = context;
  const findings: Finding[] = [];
  let disturbed = false;

  function note(at: number, slot: number, deliveryId: string, message: string): void {
    if (!disturbed && findings.length === 0 && !causes.isSlow(slot))
      findings.push({ invariant: 'META', at, slot, deliveryId, message });
  }

  return {
    invariants: ['META'],
    on: {
      fault({ what }) {
        if (what === 'fired') disturbed = true;
      },
      process({ what }) {
        if (DISTURBING.has(what)) disturbed = true;
      },
      epoch() {
        disturbed = true;
      },
      provider({ at, outcome, deliveryId, provider }, slot) {
        if (!disturbed && outcome === 'same')
          note(at, slot, deliveryId, `${provider} was sent a message twice, and no fault had happened`);
      },
      mark({ at, request, verdict }, slot) {
        if (disturbed || verdict.kind !== 'go' || attempts.declared(slot) === null) return;
        note(at, slot, request.id, 'a possible duplicate was declared and marked, and no fault had happened');
      },
    },
    final({ id }, slot, endedAt) {
      if (states.everUnknown(slot))
        note(endedAt, slot, id, 'a delivery was believed unknown, and no fault had happened');
    },
    end() {
      if (disturbed) return;
      for (const finding of findings) context.report(finding);
    },
  };
}
