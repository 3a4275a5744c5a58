import { CLASS_POLICIES, providerKey } from '../../src/index.ts';
import type {
  CancelRequest,
  ClaimVerdict,
  DeliveryRecord,
  Evidence,
  EvidenceVerdict,
  HoldVerdict,
  MarkRequest,
  MarkVerdict,
  Outcome,
  ReconcileDecision,
  ReconcileVerdict,
  ReplayRequest,
  SettleRequest,
  SettleVerdict,
} from '../../src/index.ts';
import { decideAfterLookup, decideUnknown, settle as decideNext, steps } from '../../src/internal.ts';
import type { ClassPolicy, LookupAnswer, ProviderCapabilities } from '../../src/index.ts';
import { delivery, T0 } from './record.ts';

export const LEASE_MS = 30_000;
export const DISPATCH_MS = 60_000;
export const SEND_MARGIN_MS = 5_000;
export const KEY_MARGIN_MS = 120_000;
export const KEY_WINDOW_MS = 600_000;
export const SETTLE_MS = 300_000;

const NO_FACTS: steps.MarkFacts = {
  notificationCancelled: false,
  suppressed: false,
  earlierSent: false,
  blocked: null,
};

/** What a provider can do, by name of what it has. */
export function capabilities(has: 'key' | 'lookup' | 'positive-only' | 'nothing'): ProviderCapabilities {
  const find = async (): Promise<LookupAnswer> => ({ kind: 'cannot-tell', reason: 'not asked in a story' });
  const lookup = {
    kind: has === 'positive-only' ? has : 'authoritative',
    settleMs: SETTLE_MS,
    horizonMs: 86_400_000,
    find,
  } as const;
  return {
    idempotency: has === 'key' ? { kind: 'key', windowMs: KEY_WINDOW_MS } : { kind: 'none' },
    lookup: has === 'lookup' || has === 'positive-only' ? lookup : 'none',
    correlation: 'none',
    coalesce: false,
  };
}

export interface StoryOptions {
  readonly record?: Partial<DeliveryRecord>;
  /** What every provider of the story can do. */
  readonly has?: 'key' | 'lookup' | 'positive-only' | 'nothing';
  readonly order?: readonly string[];
  readonly policy?: Partial<ClassPolicy>;
}

/** One record and the store's clock: what any ledger does, without the ledger. */
export interface Story {
  readonly record: DeliveryRecord;
  readonly now: number;
  wait(ms: number): void;
  claim(requestId?: string): ClaimVerdict<{ readonly record: DeliveryRecord }>;
  renew(fence?: number): HoldVerdict;
  release(failure?: string | null, fence?: number): HoldVerdict;
  mark(request?: Partial<MarkRequest>, facts?: Partial<steps.MarkFacts>): MarkVerdict;
  /** Writes what became of the nth attempt; the fence and key are that attempt's own. */
  settle(n: number, outcome: Outcome, request?: Partial<SettleRequest>): SettleVerdict;
  sweep(): DeliveryRecord;
  reconcile(decision: ReconcileDecision, fence?: number): ReconcileVerdict;
  /** What the reconciler would decide now; with the lookup's answer if it asks for one. */
  decide(answer?: LookupAnswer): ReconcileDecision | { readonly kind: 'ask' };
  witness(evidence: Partial<Evidence>): EvidenceVerdict;
  cancel(request?: Partial<CancelRequest>): 'cancelled' | 'too-late';
  replay(request?: Partial<ReplayRequest>): ReturnType<typeof steps.replay>;
  /** Claim, mark, and the window passes without a word: the first lines of most counterexamples. */
  becomeUnknown(): void;
}

export function story(options: StoryOptions = {}): Story {
  const { has = 'key', order = ['p0', 'p1'] } = options;
  let record = delivery(options.record);
  let now = T0;
  let fences = record.fence;
  let requests = 0;
  const policy = { ...CLASS_POLICIES[record.class], ...options.policy };

  function write<Verdict>(step: { readonly record: DeliveryRecord; readonly verdict: Verdict }): Verdict {
    record = step.record;
    fences = Math.max(fences, record.fence);
    return step.verdict;
  }

  const self: Story = {
    get record() {
      return record;
    },
    get now() {
      return now;
    },
    wait(ms) {
      now += ms;
    },
    claim(requestId = `r${(requests += 1)}`) {
      return write(steps.claim(record, { owner: 'w', requestId, leaseMs: LEASE_MS }, now, fences + 1));
    },
    renew: (fence = record.fence) => write(steps.renew(record, fence, LEASE_MS, now)),
    release: (failure = null, fence = record.fence) =>
      write(steps.release(record, { id: record.id, fence, delayMs: 0, failure }, now)),
    mark(request = {}, facts = {}) {
      const { id, fence, provider } = record;
      const key = providerKey(id, request.provider ?? provider);
      const keyWindowMs = has === 'key' ? KEY_WINDOW_MS - KEY_MARGIN_MS : null;
      const preset = { id, fence, provider, key, keyWindowMs, message: { text: 'hello' } };
      const window = { dispatchMs: DISPATCH_MS, sendMarginMs: SEND_MARGIN_MS };
      return write(steps.mark(record, { ...preset, ...window, ...request }, { ...NO_FACTS, ...facts }, now));
    },
    settle(n, outcome, request = {}) {
      const of = record.attempts.find((each) => each.n === n);
      const { fence, provider, key } = of ?? { fence: record.fence, provider: record.provider, key: '' };
      const { next, refund } = decideNext(outcome, { record, provider, order, policy, random: 0 });
      return write(
        steps.settle(
          record,
          { id: record.id, fence, attempt: n, provider, key, outcome, next, refund, ...request },
          now,
        ),
      );
    },
    sweep: () => (record = steps.lapse(record, now)),
    reconcile: (decision, fence = record.fence) =>
      write(steps.reconcile(record, { id: record.id, fence, decision }, now)),
    decide(answer) {
      const of = () => capabilities(has);
      const facts = { record, nowMs: now, epochChangedAt: null, policy, order, capabilities: of };
      const known = { ...facts, keyMarginMs: KEY_MARGIN_MS, random: 0 };
      const first = decideUnknown(known);
      return first.kind === 'ask' && answer !== undefined ? decideAfterLookup(known, first.attempt, answer) : first;
    },
    witness(evidence) {
      const { id: deliveryId, provider } = record;
      const preset = { deliveryId, provider, providerMessageId: null, kind: 'other', at: now, detail: null } as const;
      return write(steps.witness(record, { ...preset, ...evidence }, now));
    },
    cancel() {
      const step = steps.cancel(record, now, 'asked to');
      record = step.record;
      return step.outcome;
    },
    replay(request = {}) {
      const note = { id: record.id, by: 'ops', why: 'asked to', forced: false, automatic: false };
      const outcome = steps.replay(
        record,
        { ...note, ...request },
        { suppressed: false, notificationCancelled: false },
        now,
      );
      if (outcome.kind === 'replayed') record = outcome.old;
      return outcome;
    },
    becomeUnknown() {
      self.claim();
      self.mark();
      self.wait(DISPATCH_MS);
      self.sweep();
    },
  };
  return self;
}

export const accepted = (providerMessageId = 'm-1'): Outcome => ({ kind: 'accepted', providerMessageId });
export const notSent: Outcome = { kind: 'not-sent', reason: 'connection refused' };
export const deferred: Outcome = { kind: 'deferred', reason: '429' };
export const unknown: Outcome = { kind: 'unknown', reason: 'timeout' };
export const rejected = (scope: 'message' | 'destination' | 'provider' = 'message'): Outcome => ({
  kind: 'rejected',
  scope,
  reason: `the ${scope} is bad`,
});
