import type { ReplayRequest } from '../../ports/ledger.ts';
import { addressProblem } from '../address.ts';
import { openAttempts } from '../attempts.ts';
import { CHANNELS } from '../classes.ts';
import { deliveryId } from '../keys.ts';
import type { Target } from '../recipient.ts';
import { ANY_PROVIDER, isDeadLetter, type DeliveryRecord } from '../delivery.ts';

export type ReplayOutcome =
  | {
      readonly kind: 'replayed';
      readonly old: DeliveryRecord;
      readonly next: DeliveryRecord;
      readonly possibleDuplicate: boolean;
    }
  | { readonly kind: 'repeated'; readonly id: string }
  | { readonly kind: 'refused'; readonly reason: string };

export interface ReplayFacts {
  readonly suppressed: boolean;
  readonly notificationCancelled: boolean;
}

/** Rule 14: a deliberate second send is a new generation that names the one it replaces, atomically with that one's state. */
export function replay(old: DeliveryRecord, request: ReplayRequest, facts: ReplayFacts, now: number): ReplayOutcome {
  if (old.replacedBy !== null) return { kind: 'repeated', id: old.replacedBy };
  const refusal = refusalOf(old, facts, now);
  if (refusal !== null) return { kind: 'refused', reason: refusal };
  const next = nextGeneration(old, request, now);
  return {
    kind: 'replayed',
    old: { ...old, replacedBy: next.id },
    next,
    possibleDuplicate: next.declarations.length > 0,
  };
}

function refusalOf(old: DeliveryRecord, facts: ReplayFacts, now: number): string | null {
  if (!isDeadLetter(old.state)) return `it is ${old.state}; only dead, failed and parked deliveries are replayed`;
  if (facts.notificationCancelled) return 'its notification was cancelled';
  if (facts.suppressed) return 'the recipient opted out';
  if (old.expiresAt !== null && now >= old.expiresAt) return 'it has expired';
  // It was born as a dead letter, and would only be one again; a store may know no more of it than that.
  const wrong = hopeless(old.target);
  return wrong === null ? null : `its address can never work: ${wrong}; publish again with a right one`;
}

function hopeless({ channel, to, problem }: Target): string | null {
  if (problem !== undefined) return problem;
  return CHANNELS.includes(channel) ? addressProblem(channel, to) : `there is no channel '${channel}'`;
}

function nextGeneration(old: DeliveryRecord, request: ReplayRequest, now: number): DeliveryRecord {
  const { notificationId, target } = old;
  const generation = old.generation + 1;
  const id = deliveryId({
    notificationId,
    recipientId: target.recipientId,
    channel: target.channel,
    destinationId: target.destinationId,
    generation,
  });
  // The first one that was really tried: what is only presumed names none.
  const provider = old.attempts.find((attempt) => attempt.provider !== ANY_PROVIDER)?.provider ?? old.provider;
  // Open attempts of the old generation may have been delivered: said before the new one can be.
  const declarations =
    openAttempts(old).length > 0 ? [{ kind: 'replay-generation' as const, afterAttempt: 0, provider, at: now }] : [];
  return {
    ...old,
    id,
    generation,
    state: 'queued',
    owner: null,
    requestId: null,
    leaseUntil: null,
    dispatchUntil: null,
    dueAt: now,
    provider,
    attempts: [],
    charged: 0,
    lapses: 0,
    failures: 0,
    declarations,
    forbidden: null,
    assumed: false,
    reason: null,
    createdAt: now,
    updatedAt: now,
    settledAt: null,
    replaces: old.id,
    replacedBy: null,
    operator: { by: request.by, why: request.why },
    forced: request.forced,
    redrives: old.redrives + (request.automatic ? 1 : 0),
  };
}
