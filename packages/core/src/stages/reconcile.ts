import { ANY_PROVIDER, type DeliveryRecord } from '../model/delivery.ts';
import { reasonOf } from '../model/errors.ts';
import { providerKey } from '../model/keys.ts';
import { decideAfterLookup, decideUnknown, type AskLookup, type UnknownFacts } from '../policy/unknown.ts';
import { CLASS_POLICIES } from '../policy/policy.ts';
import type { ReconcileDecision, ReconcileRequest, SweepResult } from '../ports/ledger.ts';
import type { Lookup, LookupAnswer, LookupRequest } from '../ports/provider.ts';
import { hint, type Context } from './context.ts';
import { emitMove } from './events.ts';
import { inTime } from './in-time.ts';

/** How long a provider may take to answer a lookup, ms. */
const LOOKUP_LIMIT_MS = 10_000;

/** Decides each `unknown` delivery that a sweep handed out, asks lookups where they can tell, and writes the decisions in one call. */
export async function reconcile(context: Context, swept: SweepResult, signal: AbortSignal): Promise<void> {
  if (swept.unknown.length === 0) return;
  const requests = await decideAll(context, swept, signal);
  const verdicts = await context.ledger.reconcile(requests);
  const again: string[] = [];
  verdicts.forEach((verdict, at) => {
    const record = swept.unknown[at];
    const request = requests[at];
    // A decision to wait moves nothing.
    if (verdict.kind !== 'moved' || verdict.state === 'unknown' || record === undefined || request === undefined) return;
    emitMove(context, record, verdict.state, reasonIn(request.decision), request.decision.kind === 'assume-sent');
    if (request.decision.kind === 'declare' && request.decision.declaration === 'failover')
      context.emit({ kind: 'delivery.failover', at: context.clock.now(), id: record.id, from: record.provider, to: request.decision.provider, declared: true });
    if (verdict.state === 'retry-scheduled') again.push(verdict.id);
  });
  await hint(context, context.queue, again);
}

/** One listener for all lookups: a signal that many listen to at once makes Node warn of a leak. */
async function decideAll(context: Context, swept: SweepResult, signal: AbortSignal): Promise<readonly ReconcileRequest[]> {
  const lookups = new Set<AbortController>();
  const stop = (): void => {
    for (const lookup of lookups) lookup.abort();
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.all(swept.unknown.map((record) => decide(context, swept, record, lookups)));
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function decide(context: Context, swept: SweepResult, record: DeliveryRecord, lookups: Set<AbortController>): Promise<ReconcileRequest> {
  const facts = factsOf(context, swept, record);
  const first = decideUnknown(facts);
  const decision = first.kind === 'ask' ? decideAfterLookup(facts, first.attempt, await ask(context, record, first, lookups)) : first;
  return { id: record.id, fence: record.fence, decision };
}

function factsOf(context: Context, swept: SweepResult, record: DeliveryRecord): UnknownFacts {
  const channel = context.settings.channels.get(record.target.channel);
  return {
    record,
    nowMs: swept.nowMs,
    epochChangedAt: swept.epochChangedAt,
    policy: context.settings.types.get(record.type)?.policy ?? CLASS_POLICIES[record.class],
    order: channel?.order ?? [record.provider],
    capabilities: (provider) => channel?.providers.get(provider)?.capabilities ?? null,
    keyMarginMs: context.settings.worker.keyMarginMs,
    random: context.random.next(),
  };
}

/** The provider's word; of an attempt that may have been anywhere, the word of all: found by one, or absent from each. */
async function ask(context: Context, record: DeliveryRecord, { attempt }: AskLookup, lookups: Set<AbortController>): Promise<LookupAnswer> {
  const channel = context.settings.channels.get(record.target.channel);
  const names = attempt.provider === ANY_PROVIDER ? (channel?.order ?? []) : [attempt.provider];
  let answer: LookupAnswer = { kind: 'absent' };
  for (const name of names) {
    const lookup = channel?.providers.get(name)?.capabilities.lookup;
    const key = providerKey(record.id, name);
    const word = await askOne(context, lookup, { deliveryId: record.id, key, to: record.target.to, markedAt: attempt.markedAt }, lookups);
    if (word.kind === 'found') return word;
    if (word.kind === 'cannot-tell') answer = word;
  }
  return answer;
}

async function askOne(
  context: Context,
  lookup: Lookup | 'none' | undefined,
  request: LookupRequest,
  lookups: Set<AbortController>,
): Promise<LookupAnswer> {
  if (lookup === undefined || lookup === 'none') return { kind: 'cannot-tell', reason: 'the provider has no lookup' };
  const over = new AbortController();
  lookups.add(over);
  try {
    // The sweeper waits for this answer, and everybody for the sweeper.
    return await inTime(context.clock, lookup.find(request, { signal: over.signal }), LOOKUP_LIMIT_MS, () => {
      over.abort();
      return { kind: 'cannot-tell', reason: `the lookup took longer than ${LOOKUP_LIMIT_MS} ms` };
    });
  } catch (thrown) {
    return { kind: 'cannot-tell', reason: reasonOf(thrown) };
  } finally {
    lookups.delete(over);
  }
}

function reasonIn(decision: ReconcileDecision): string | null {
  return 'reason' in decision ? decision.reason : null;
}
