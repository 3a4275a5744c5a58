import type { Outcome } from '../../model/outcome.ts';
import { providerKey } from '../../model/keys.ts';
import type { ReconcileDecision } from '../../ports/ledger.ts';
import type { Generator } from '../generator.ts';
import { accepted, byIds, DEFERRED, NOT_SENT, NOTE, P0, P1, REJECTED, UNKNOWN, nextOf } from './requests.ts';
import type { Marked, Scene } from './scene.ts';

/** What the workers, reconcilers and operators of a walk know: some of it long outdated, as in life. */
export interface WalkMemory {
  /** Every delivery, generations included. */
  readonly ids: string[];
  readonly grants: { readonly id: string; readonly fence: number; readonly provider: string }[];
  readonly marks: Marked[];
  readonly unknown: { readonly id: string; readonly fence: number }[];
  /** Claims that were made; a client may send any of them again. */
  readonly claims: WalkCall[];
}

/** One call, ready to be made, and made again. */
export interface WalkCall {
  readonly name: string;
  /** The call itself; every time it is made it must come to the same. */
  readonly make: () => Promise<unknown>;
  /** Whether making it again at once may write something: a renewal and a wait count from now. */
  readonly isRepeatable: boolean;
  /** What the walk learns from the first answer. */
  readonly learn: (answer: never) => void;
}

export const KEY_WINDOW_UNITS = 60;
let requests = 0;

type Draw = () => WalkCall | undefined;

/** Draws the next call of a random history. */
export function drawCall(s: Scene, memory: WalkMemory, random: Generator, unitMs: number): WalkCall {
  const work: readonly Draw[] = [
    () => claimCall(s, memory, random),
    () => claimCall(s, memory, random),
    () => recent(memory.claims, random),
    () => use(recent(memory.grants, random), (grant) => markCall(s, memory, grant, unitMs)),
    () => use(recent(memory.grants, random), (grant) => markCall(s, memory, grant, unitMs)),
    () => use(recent(memory.marks, random), (marked) => settleCall(s, marked, random)),
    () => use(recent(memory.marks, random), (marked) => settleCall(s, marked, random)),
    () => use(recent(memory.grants, random), (grant) => releaseCall(s, grant, random, unitMs)),
    () =>
      use(recent(memory.grants, random), (grant) =>
        call('renew', () => s.ledger.renew([grant], s.leaseMs), noted, false),
      ),
    () => sweepCall(s, memory),
    () => use(recent(memory.unknown, random), (read) => reconcileCall(s, read, random)),
    () => use(recent(memory.unknown, random), (read) => reconcileCall(s, read, random)),
  ];
  const rare: readonly Draw[] = [
    () => use(recent(memory.marks, random), (marked) => eventCall(s, marked, random)),
    () => cancelCall(s, memory, random),
    () => call('suppress', suppress(s, random), noted),
    () => call('block', block(s, random, unitMs), noted),
    () => replayCall(s, memory, random),
  ];
  return random.pick(random.chance(0.88) ? work : rare)?.() ?? drawCall(s, memory, random, unitMs);
}

function noted(): void {}

function use<T>(known: T | undefined, make: (known: T) => WalkCall): WalkCall | undefined {
  return known === undefined ? undefined : make(known);
}

function call<T>(name: string, make: () => Promise<T>, learn: (answer: T) => void, isRepeatable = true): WalkCall {
  return { name, make, isRepeatable, learn };
}

/** Mostly one of the last few, now and then an old one. */
function recent<T>(items: readonly T[], random: Generator): T | undefined {
  return random.pick(random.chance(0.8) ? items.slice(-4) : items);
}

function claimCall(s: Scene, memory: WalkMemory, random: Generator): WalkCall {
  const lease = { owner: `w${random.integer(3)}`, requestId: `walk-${(requests += 1)}`, leaseMs: s.leaseMs };
  const ids = random.shuffle(memory.ids).slice(0, 1 + random.integer(3));
  // The same delivery twice in one batch.
  if (random.chance(0.3)) ids.push(ids[0]!);
  const selector = random.chance(0.5) ? byIds(ids) : { due: 1 + random.integer(2), lateMs: 0 };
  const learn = (verdicts: Awaited<ReturnType<Scene['claim']>>): void => {
    for (const verdict of verdicts)
      if (verdict.kind === 'granted')
        memory.grants.push({ id: verdict.id, fence: verdict.fence, provider: verdict.record.provider });
  };
  const made = call('ids' in selector ? 'claim' : 'claim due', () => s.ledger.claim(selector, lease), learn);
  memory.claims.push({ ...made, name: `late copy of ${made.name}` });
  return made;
}

function releaseCall(s: Scene, grant: WalkMemory['grants'][number], random: Generator, unitMs: number): WalkCall {
  const request = { ...grant, delayMs: unitMs * random.integer(3), failure: random.chance(0.2) ? 'threw' : null };
  return call('release', () => s.ledger.release([request]), noted);
}

function sweepCall(s: Scene, memory: WalkMemory): WalkCall {
  const learn = ({ unknown }: Awaited<ReturnType<Scene['sweep']>>): void =>
    void memory.unknown.push(...unknown.map(({ id, fence }) => ({ id, fence })));
  return call('sweep', () => s.sweep(), learn, false);
}

function cancelCall(s: Scene, memory: WalkMemory, random: Generator): WalkCall {
  const id = random.pick(memory.ids) ?? s.id;
  return call('cancel', () => s.ledger.cancel([{ id, ...NOTE }]), noted);
}

function replayCall(s: Scene, memory: WalkMemory, random: Generator): WalkCall {
  const request = { id: random.pick(memory.ids) ?? s.id, forced: random.chance(0.2), automatic: false, ...NOTE };
  const learn = (verdicts: Awaited<ReturnType<Scene['ledger']['replay']>>): void => {
    for (const verdict of verdicts) if (verdict.kind === 'replayed') memory.ids.push(verdict.id);
  };
  return call('replay', () => s.ledger.replay([request]), learn);
}

function markCall(s: Scene, memory: WalkMemory, grant: WalkMemory['grants'][number], unitMs: number): WalkCall {
  const { id, fence, provider } = grant;
  const patch = { provider, keyWindowMs: unitMs * KEY_WINDOW_UNITS };
  return call(
    'mark',
    () => s.mark(id, fence, patch),
    (verdict: Awaited<ReturnType<Scene['mark']>>) => {
      if (verdict.kind === 'go') memory.marks.push({ id, fence, attempt: verdict.attempt, provider });
    },
  );
}

function settleCall(s: Scene, marked: Marked, random: Generator): WalkCall {
  const outcomes: readonly Outcome[] = [accepted(messageId(marked)), REJECTED, DEFERRED, NOT_SENT, UNKNOWN];
  const outcome = random.pick(outcomes) ?? UNKNOWN;
  const { id, fence, attempt, provider } = marked;
  const next = nextOf(outcome, random.chance(0.8) ? provider : P1);
  const request = {
    id,
    fence,
    attempt,
    provider,
    key: providerKey(id, provider),
    outcome,
    next,
    refund: outcome.kind === 'deferred',
  };
  return call(`settle as ${outcome.kind}`, () => s.ledger.settle([request]), noted);
}

function reconcileCall(s: Scene, { id, fence }: { id: string; fence: number }, random: Generator): WalkCall {
  const decision = decisionOf(random, random.chance(0.8) ? P0 : P1);
  return call(
    `reconcile by ${decision.kind}`,
    () => s.ledger.reconcile([{ id, fence, decision }]),
    noted,
    decision.kind !== 'wait',
  );
}

function decisionOf(random: Generator, provider: string): ReconcileDecision {
  const next = random.chance(0.7)
    ? ({ kind: 'retry', delayMs: 0, provider, reason: 'never arrived' } as const)
    : ({ kind: 'failed', reason: 'never arrived' } as const);
  const decisions: readonly ReconcileDecision[] = [
    { kind: 'absent', provider, next },
    { kind: 'replay', provider: P0, delayMs: 0 },
    { kind: 'declare', declaration: 'resend', provider, delayMs: 0 },
    { kind: 'assume-sent', reason: 'the class says so' },
    { kind: 'park', reason: 'nobody can tell' },
    { kind: 'wait', delayMs: 0 },
  ];
  return random.pick(decisions) ?? { kind: 'wait', delayMs: 0 };
}

function eventCall(s: Scene, marked: Marked, random: Generator): WalkCall {
  const kind =
    random.pick(['accepted', 'rejected', 'delivered', 'bounced', 'undeliverable', 'other'] as const) ?? 'other';
  const providerMessageId = kind === 'rejected' ? null : messageId(marked);
  const event = { deliveryId: marked.id, provider: marked.provider, providerMessageId, kind, at: 0, detail: null };
  return call(`event ${kind}`, () => s.ledger.record([event]), noted);
}

function messageId({ id, fence }: Marked): string {
  return `m-${id}-${fence}`;
}

function suppress(s: Scene, random: Generator): () => Promise<unknown> {
  const recipientId = `r${random.integer(s.ids.length)}@example.com`;
  const suppressed = random.chance(0.3);
  const request = { tenant: 'default', recipientId, topic: '*', channel: '*', suppressed, ...NOTE } as const;
  return () => s.ledger.suppress([request]);
}

function block(s: Scene, random: Generator, unitMs: number): () => Promise<unknown> {
  const request = { scope: `provider:${P0}`, blocked: random.chance(0.3), recheckMs: unitMs, ...NOTE };
  return () => s.ledger.block([request]);
}
