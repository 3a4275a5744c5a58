import { openAttempts } from '../model/attempts.ts';
import { ANY_PROVIDER, type DeliveryRecord } from '../model/delivery.ts';
import { reasonOf } from '../model/errors.ts';
import { providerKey } from '../model/keys.ts';
import { decideAfterLookup, decideUnknown, type AskLookup, type UnknownFacts } from '../policy/unknown.ts';
import { CLASS_POLICIES } from '../policy/policy.ts';
import type { ReconcileDecision, ReconcileRequest, SweepResult } from '../ports/ledger.ts';
import type { Lookup, LookupAnswer, LookupRequest } from '../ports/provider.ts';
import { unknownConfigDelayMs, type Context } from './context.ts';
import { hintEach } from './hint.ts';
import { emitMove } from './events.ts';
import { inTime } from './in-time.ts';
import { lookupAnswerOf } from './lookup-answer-of.ts';
import { LOOKUP_LIMIT_MS, LookupTurns } from './lookup-turns.ts';

/** Decides each `unknown` delivery that a sweep handed out, asks lookups where they can tell, and writes the decisions in one call. */
export async function reconcile(context: Context, swept: SweepResult, signal: AbortSignal): Promise<void> {
  if (swept.unknown.length === 0) return;
  const all = await decideAll(context, swept, signal);
  const verdicts = await context.ledger.reconcile(all.map(({ request }) => request));
  const again: { readonly id: string; readonly delayMs: number }[] = [];
  verdicts.forEach((verdict, at) => {
    const record = swept.unknown[at];
    const { request: { decision } = {}, lacks = null } = all[at] ?? {};
    if (verdict.kind !== 'moved' || record === undefined || decision === undefined) return;
    // A decision to wait moves nothing; that it waits for another worker's config has to be seen all the same.
    if (verdict.state === 'unknown') {
      if (lacks !== null) emitMove(context, record, 'unknown', lacks);
      return;
    }
    emitMove(context, record, verdict.state, reasonIn(decision), decision.kind === 'assume-sent');
    if (decision.kind === 'declare' && decision.declaration === 'failover')
      context.emit({
        kind: 'delivery.failover',
        at: context.clock.now(),
        id: record.id,
        from: record.provider,
        to: decision.provider,
        declared: true,
      });
    if (verdict.state === 'retry-scheduled') again.push({ id: verdict.id, delayMs: delayMsIn(decision) });
  });
  await hintEach(context, context.queue, again);
}

interface Decided {
  readonly request: ReconcileRequest;
  /** What stands in the way of a decision, such as a provider that this worker's config lacks; null: nothing. */
  readonly lacks: string | null;
}

async function decideAll(context: Context, swept: SweepResult, signal: AbortSignal): Promise<readonly Decided[]> {
  const turns = new LookupTurns(context.clock, signal);
  try {
    return await Promise.all(swept.unknown.map((record) => decide(context, swept, record, turns)));
  } finally {
    turns.close();
  }
}

/** One delivery that cannot be decided waits, visibly: it must not keep the whole sweep from being decided, round after round. */
async function decide(
  context: Context,
  swept: SweepResult,
  record: DeliveryRecord,
  turns: LookupTurns,
): Promise<Decided> {
  try {
    return await decided(context, swept, record, turns);
  } catch (thrown) {
    const decision = { kind: 'wait', delayMs: UNDECIDED_DELAY_MS } as const;
    const lacks = `cannot be decided: ${reasonOf(thrown)}`;
    return { request: { id: record.id, fence: record.fence, decision }, lacks };
  }
}

/** After a decision that threw: a fault of code, which time alone does not mend, ms. */
const UNDECIDED_DELAY_MS = 60_000;

async function decided(
  context: Context,
  swept: SweepResult,
  record: DeliveryRecord,
  turns: LookupTurns,
): Promise<Decided> {
  const { id, fence } = record;
  const facts = factsOf(context, swept, record);
  const lacks = lackOf(context, record, swept.nowMs);
  if (lacks !== null)
    return { request: { id, fence, decision: { kind: 'wait', delayMs: unknownConfigDelayMs(context) } }, lacks };
  const first = decideUnknown(facts);
  const decision =
    first.kind === 'ask' ? await turns.take((lookups) => lookedUp(context, facts, first, lookups)) : first;
  return { request: { id, fence, decision: decision ?? SOON }, lacks: null };
}

/** There was no turn for its lookup in this sweep: due again at once, for the next. */
const SOON: ReconcileDecision = { kind: 'wait', delayMs: 0 };

async function lookedUp(
  context: Context,
  facts: UnknownFacts,
  asked: AskLookup,
  lookups: Set<AbortController>,
): Promise<ReconcileDecision> {
  return decideAfterLookup(facts, asked.attempt, await ask(context, facts.record, asked, lookups));
}

/**
 * What this worker's config does not know, though another's may during a deploy: whether to ask, replay, fail over or park is not for
 * it to say. Until the delivery expires; after that nothing new is sent, and a provider that nobody knows any more must not keep it
 * open for ever.
 */
function lackOf({ settings }: Context, record: DeliveryRecord, nowMs: number): string | null {
  if (record.expiresAt !== null && nowMs >= record.expiresAt) return null;
  if (!settings.types.has(record.type)) return `type '${record.type}' is not in this worker's config`;
  const known = settings.channels.get(record.target.channel)?.providers;
  for (const attempt of openAttempts(record)) {
    // Of one that may have been anywhere, the record knows at least where it was to go.
    const provider = attempt.provider === ANY_PROVIDER ? record.provider : attempt.provider;
    if (known?.has(provider) !== true) return `provider '${provider}' is not in this worker's config`;
  }
  return null;
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
async function ask(
  context: Context,
  record: DeliveryRecord,
  { attempt }: AskLookup,
  lookups: Set<AbortController>,
): Promise<LookupAnswer> {
  const channel = context.settings.channels.get(record.target.channel);
  const names = attempt.provider === ANY_PROVIDER ? (channel?.order ?? []) : [attempt.provider];
  let answer: LookupAnswer = { kind: 'absent' };
  for (const name of names) {
    const lookup = channel?.providers.get(name)?.capabilities.lookup;
    const key = providerKey(record.id, name);
    const word = await askOne(
      context,
      lookup,
      { deliveryId: record.id, key, to: record.target.to, markedAt: attempt.markedAt },
      lookups,
    );
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
    const asked = lookup.find(request, { signal: over.signal });
    return lookupAnswerOf(
      await inTime(context.clock, asked, LOOKUP_LIMIT_MS, () => {
        over.abort();
        return { kind: 'cannot-tell', reason: `the lookup took longer than ${LOOKUP_LIMIT_MS} ms` };
      }),
    );
  } catch (thrown) {
    return { kind: 'cannot-tell', reason: reasonOf(thrown) };
  } finally {
    lookups.delete(over);
  }
}

function reasonIn(decision: ReconcileDecision): string | null {
  return 'reason' in decision ? decision.reason : null;
}

function delayMsIn(decision: ReconcileDecision): number {
  if ('delayMs' in decision) return decision.delayMs;
  return decision.kind === 'absent' && decision.next.kind === 'retry' ? decision.next.delayMs : 0;
}
