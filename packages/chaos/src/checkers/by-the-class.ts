import type { DeliveryRecord } from '@sendonce/core';
import type { EventOf } from '../history.ts';
import type { Checker, CheckerContext } from './checker.ts';
import type { ProviderFacts } from './context.ts';
import { Hands } from './hands.ts';
import { wrongDecision } from './wrong-decision.ts';
import { wrongNext } from './wrong-next.ts';

/** What could not be made is tried again within this. */
const FAILURE_MS = 600_000;
/** What waits for others of its type to be made is looked at again within this. */
const PUT_OFF_MS = 30_000;

/**
 * S18: the outcome and the class decide what follows, nobody else. Each end is a chain of such steps, so whoever takes each of them as the
 * class says cannot give up too early, repeat too much or wait until it is too late.
 */
export function byTheClass(context: CheckerContext): Checker {
  const { attempts, causes, slots, knobs } = context;
  /** As granted last; only what had attempts before. */
  const granted = new Map<number, DeliveryRecord>();
  /** As a sweep handed it out last. */
  const unknown = new Map<number, DeliveryRecord>();
  /** Its provider was asked since the latest mark. */
  const asked = context.column('u8');
  const hands = new Hands(context.column('u16'));
  let isSameConfig = true;

  function report(at: number, slot: number, deliveryId: string, message: string): void {
    context.report({ invariant: 'S18', at, slot, deliveryId, message });
  }

  function providersOf(recipient: number): readonly ProviderFacts[] {
    const { channel } = context.targetOf(recipient);
    return context.providers.filter((provider) => provider.channel === channel);
  }

  function settle({ at, request }: EventOf<'settle'>, slot: number): void {
    const { id, outcome, next, attempt, fence, provider } = request;
    const recipient = slots.recipientOf(slot);
    if (recipient < 0 || outcome.kind === 'accepted') return;
    const before = granted.get(slot);
    const isKnown = causes.losses === 0 && (attempt === 1 || before?.fence === fence);
    const wrong = wrongNext(outcome, next, {
      policy: context.policyOf(recipient),
      provider,
      order: isSameConfig ? providersOf(recipient).map(({ name }) => name) : null,
      tries: attempt,
      deferredBefore: !isKnown ? null : attempt === 1 ? 0 : deferredAtEnd(before),
      lifeMs: lifeMs(before),
    });
    if (wrong !== null) report(at, slot, id, `attempt ${attempt} ${wrong}`);
  }

  function reconcile({ at, request: { id, fence, decision }, verdict }: EventOf<'reconcile'>, slot: number): void {
    const record = unknown.get(slot);
    const recipient = slots.recipientOf(slot);
    if (verdict.kind !== 'moved' || recipient < 0) return;
    if (record?.fence !== fence) return report(at, slot, id, 'was decided about, and no sweep had handed it out');
    const wrong = wrongDecision(decision, {
      record,
      at,
      policy: context.policyOf(recipient),
      providers: providersOf(recipient),
      keyMarginMs: knobs.keyMarginMs,
      wasAsked: asked.get(slot) === 1,
      isSameConfig,
    });
    if (wrong !== null) report(at, slot, id, `${WORDS[decision.kind]}${wrong}`);
    if (verdict.state !== 'unknown') unknown.delete(slot);
  }

  function mark({ at, request, verdict }: EventOf<'mark'>, slot: number): void {
    if (verdict.kind !== 'fenced') hands.gone(slot);
    if (verdict.kind === 'go') asked.set(slot, 0);
    const recipient = slots.recipientOf(slot);
    // A first attempt has no earlier one with the same key.
    if (recipient < 0 || attempts.count(slot) === 0 || attempts.isRepeat(slot, request.fence)) return;
    const windowMs = providersOf(recipient).find(({ name }) => name === request.provider)?.keyWindowMs ?? null;
    const asSaid = windowMs === null ? null : windowMs - knobs.keyMarginMs;
    if (request.keyWindowMs === asSaid) return;
    const message = `its mark gives its key ${request.keyWindowMs} ms, and ${request.provider} gives it ${asSaid} ms`;
    report(at, slot, request.id, message);
  }

  function release({ at, request, verdict }: EventOf<'release'>, slot: number): void {
    if (slot < 0 || verdict.kind === 'fenced') return;
    const { id, delayMs, failure } = request;
    // Beside as many as there are slots, and as many more that wait for their content, there is no room for another of their type.
    const isFull = hands.heldBeside(slot) > knobs.concurrency;
    hands.gone(slot);
    if (slots.recipientOf(slot) < 0 || !isSameConfig) return;
    const longest = failure !== null ? FAILURE_MS : isFull ? PUT_OFF_MS : 0;
    if (delayMs > longest) report(at, slot, id, `was given back for ${delayMs} ms, and ${longest} ms are enough`);
  }

  return {
    invariants: ['S18'],
    made({ id, maxAttempts }, slot, { at }, inserted) {
      const recipient = slots.recipientOf(slot);
      if (!inserted || recipient < 0) return;
      const due = context.policyOf(recipient).maxAttempts;
      if (maxAttempts !== due) report(at, slot, id, `was given ${maxAttempts} attempts, and its class gives ${due}`);
    },
    on: {
      settle,
      reconcile,
      mark,
      release,
      fault({ what, fault }) {
        if (what === 'fired' && fault.do === 'restart-config') isSameConfig = false;
      },
      claim(event, slot) {
        const { verdict } = event;
        hands.claimed(event, slot);
        if (verdict.kind === 'granted' && verdict.record.attempts.length > 0) granted.set(slot, verdict.record);
      },
      sweep({ result }) {
        for (const record of result.unknown) unknown.set(slots.of(record.id), record);
      },
      lookup(_event, slot) {
        asked.set(slot, 1);
      },
    },
  };
}

const WORDS = {
  found: '',
  narrow: '',
  wait: '',
  absent: '',
  replay: '',
  declare: 'a repeat was declared: ',
  'assume-sent': 'assumed to be sent: ',
  park: 'parked: ',
} as const;

function deferredAtEnd(record: DeliveryRecord | undefined): number | null {
  if (record === undefined) return null;
  const { attempts } = record;
  let count = 0;
  while (attempts[attempts.length - 1 - count]?.outcome?.kind === 'deferred') count += 1;
  return count;
}

function lifeMs(record: DeliveryRecord | undefined): number {
  return record === undefined || record.expiresAt === null ? Infinity : record.expiresAt - record.createdAt;
}
