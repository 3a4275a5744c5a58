import type { Outcome } from '@sendonce/core';
import type { EventOf } from '../history.ts';
import { hashText } from '../kernel/draw.ts';
import type { Checker, CheckerContext } from './checker.ts';

/** Attempts beyond have no bit of their own. */
const BITS = 31;

/**
 * S17: what is written about an attempt is what its provider answered. An acceptance names a message that was taken, a refusal a request
 * that was refused; what was not sent did not arrive, and an outcome is unknown only where a fault, or a slow way, can have hidden it.
 * And one mark covers one request.
 */
export function answers(context: CheckerContext): Checker {
  const { causes } = context;
  /** Attempts whose request arrived, as bits. */
  const arrived = context.column('u32');
  /** The id of the first message that was taken; others are rare. */
  const firstId = context.column('u32');
  const otherIds = new Map<number, Set<number>>();
  /** What each refusal says, by attempt. */
  const refusals = new Map<number, Map<number, Outcome>>();

  function report(at: number, slot: number, deliveryId: string, message: string): void {
    context.report({ invariant: 'S17', at, slot, deliveryId, message });
  }

  function remember(slot: number, id: string): void {
    const hash = hashText(id) || 1;
    const first = firstId.get(slot);
    if (first === 0) firstId.set(slot, hash);
    else if (first !== hash) addTo(otherIds, slot, hash);
  }

  function wasTaken(slot: number, id: string): boolean {
    const hash = hashText(id) || 1;
    return firstId.get(slot) === hash || (otherIds.size > 0 && otherIds.get(slot)?.has(hash) === true);
  }

  function hasArrived(slot: number, attempt: number): boolean {
    return attempt <= BITS && (arrived.get(slot) & (1 << attempt)) !== 0;
  }

  function provider(
    { at, provider, attempt, outcome, refusal, deliveryId, providerMessageId }: EventOf<'provider'>,
    slot: number,
  ): void {
    // A store that lost its memory numbers attempts again.
    if (causes.losses === 0 && hasArrived(slot, attempt))
      report(at, slot, deliveryId, `attempt ${attempt} reached ${provider} a second time; its mark covers one request`);
    if (attempt <= BITS) arrived.set(slot, arrived.get(slot) | (1 << attempt));
    if (refusal !== undefined)
      refusals.set(slot, (refusals.get(slot) ?? new Map<number, Outcome>()).set(attempt, refusal));
    else if (outcome !== 'refused' && providerMessageId !== null) remember(slot, providerMessageId);
  }

  /** What is wrong with a refusal as it was written. */
  function falseRefusal(slot: number, attempt: number, written: Outcome): string | null {
    const of = refusals.get(slot) ?? NONE;
    // A store that lost its memory numbers attempts again.
    const said = causes.losses > 0 ? [...of.values()] : of.has(attempt) ? [of.get(attempt) as Outcome] : [];
    if (said.length === 0) return `was written as ${written.kind}, and no provider had refused it`;
    if (said.some((refusal) => isSame(refusal, written))) return null;
    return `was written as ${words(written)}, and its provider's answer was ${words(said[0] as Outcome)}`;
  }

  function falsehood({ at, request: { attempt, outcome } }: EventOf<'settle'>, slot: number): string | null {
    switch (outcome.kind) {
      case 'accepted':
        return wasTaken(slot, outcome.providerMessageId)
          ? null
          : `was written as accepted, and no provider gave a message the id '${outcome.providerMessageId}'`;
      case 'rejected':
      case 'deferred':
        return falseRefusal(slot, attempt, outcome);
      case 'not-sent':
        if (causes.losses === 0 && hasArrived(slot, attempt)) return 'was written as not sent, and it had arrived';
        return mayBeHidden(slot, attempt, at) ? null : 'was written as not sent, and nothing can have kept it';
      case 'unknown':
        // Where nothing at all had happened META says so.
        return causes.strikes.length === 0 || mayBeHidden(slot, attempt, at)
          ? null
          : 'was written as unknown, and no fault can have hidden its outcome';
    }
  }

  /** Of an earlier attempt than the latest it is not told apart which fault struck it. */
  function mayBeHidden(slot: number, attempt: number, at: number): boolean {
    return context.attempts.lastNumber(slot) === attempt ? causes.mayBeHidden(slot, at) : causes.isExcused(slot);
  }

  return {
    invariants: ['S17'],
    on: {
      provider,
      settle(event, slot) {
        const { at, request, verdict } = event;
        if (verdict.kind === 'absent') return;
        const wrong = falsehood(event, slot);
        if (wrong !== null) report(at, slot, request.id, `attempt ${request.attempt} ${wrong}`);
      },
      reconcile({ at, request: { id, decision }, verdict }, slot) {
        if (verdict.kind !== 'moved' || decision.kind !== 'found' || wasTaken(slot, decision.providerMessageId)) return;
        const message = `attempt ${decision.attempt} was written as found, and no provider gave a message the id '${decision.providerMessageId}'`;
        report(at, slot, id, message);
      },
    },
  };
}

function addTo(sets: Map<number, Set<number>>, slot: number, value: number): void {
  const known = sets.get(slot);
  if (known === undefined) sets.set(slot, new Set([value]));
  else known.add(value);
}

const NONE: ReadonlyMap<number, Outcome> = new Map();

/** What it means for what follows; how it is worded means nothing. */
function isSame(a: Outcome, b: Outcome): boolean {
  return words(a) === words(b);
}

function words(outcome: Outcome): string {
  if (outcome.kind === 'rejected') return `rejected (${outcome.scope})`;
  if (outcome.kind !== 'deferred') return outcome.kind;
  const { retryAfterMs } = outcome;
  return retryAfterMs === undefined ? 'deferred' : `deferred (for ${retryAfterMs} ms)`;
}
