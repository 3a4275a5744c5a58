import type { ClassPolicy, Outcome, SettleRequest } from '@sendonce/core';

type Next = SettleRequest['next'];
type Retry = Extract<Next, { kind: 'retry' }>;

/** What decides about the outcome of one attempt. */
export interface NextFacts {
  readonly policy: ClassPolicy;
  readonly provider: string;
  /** The channel's providers in order of preference; null: some process has another list, and any of them is right. */
  readonly order: readonly string[] | null;
  /** Attempts so far, this one included. */
  readonly tries: number;
  /** How many of them, right before this one, were deferred; null: nobody knows. */
  readonly deferredBefore: number | null;
  /** From its beginning to its expiry. */
  readonly lifeMs: number;
}

interface Span {
  readonly least: number;
  readonly most: number;
}

const SHORTEST_DEFERRAL_MS = 1_000;
/** The longest that a deferral in a row may grow to by itself, as a part of the delivery's life. */
const DEFERRAL_PART = 1 / 24;

/** What is wrong with what a sender lets follow an outcome; null: its class says so. */
export function wrongNext(outcome: Outcome, next: Next, facts: NextFacts): string | null {
  switch (outcome.kind) {
    case 'accepted':
      return null;
    case 'rejected':
      if (outcome.scope === 'provider') return wrongRetry(next, elsewhere(facts), facts, true);
      return next.kind === 'failed' ? null : 'was refused for good, and is not given up';
    case 'deferred':
      return wrongRetry(next, deferral(outcome.retryAfterMs ?? null, facts), facts, false);
    case 'not-sent':
      return facts.policy.failoverOnNotSent
        ? wrongRetry(next, elsewhere(facts), facts, true)
        : wrongRetry(next, backOff(facts.policy, facts.tries), facts, false);
    case 'unknown':
      return next.kind === 'unknown' ? null : 'may have been accepted, and that is taken for an answer';
  }
}

function wrongRetry(next: Next, span: Span, facts: NextFacts, goesOn: boolean): string | null {
  if (next.kind !== 'retry') return 'was known not to be sent, and is not tried again';
  return wrongWait(next, span) ?? wrongProvider(next, facts, goesOn);
}

function wrongWait({ delayMs }: Retry, { least, most }: Span): string | null {
  if (delayMs >= Math.floor(least) && delayMs <= Math.ceil(most)) return null;
  const said = Math.floor(least) === Math.ceil(most) ? `${most}` : `${Math.floor(least)} to ${Math.ceil(most)}`;
  return `is tried again after ${delayMs} ms, and its class says ${said} ms`;
}

function wrongProvider({ provider }: Retry, { order, provider: before }: NextFacts, goesOn: boolean): string | null {
  if (order === null || order.length < 2) return null;
  if (goesOn) return provider === before ? `stays with ${before}, and its channel has another provider` : null;
  return provider === before ? null : `goes to ${provider}, and ${before} only asked for some time`;
}

/** At once until each provider has had its turn, then as the class waits. */
function elsewhere({ policy, order, tries }: NextFacts): Span {
  const { least, most } = backOff(policy, tries);
  return { least: order === null || tries < order.length ? 0 : least, most };
}

/** Half of the wait, to all of it. */
function backOff({ retry }: Pick<ClassPolicy, 'retry'>, tries: number): Span {
  const most = 'schedule' in retry ? scheduled(retry.schedule, tries) : exponential(retry, tries);
  return { least: most / 2, most };
}

function scheduled(schedule: readonly number[], tries: number): number {
  return schedule[Math.min(tries, schedule.length) - 1] ?? 0;
}

function exponential(
  { baseMs, factor, maxMs }: Exclude<ClassPolicy['retry'], { schedule: unknown }>,
  tries: number,
): number {
  return Math.min(maxMs, baseMs * factor ** (tries - 1));
}

/** As long as the provider asks; in a row, at least as long as the class would wait, and longer each time. */
function deferral(retryAfterMs: number | null, { policy, lifeMs, deferredBefore }: NextFacts): Span {
  const atLeast = (ms: number): number => Math.max(SHORTEST_DEFERRAL_MS, ms);
  if (deferredBefore === 0) {
    const { least, most } = backOff(policy, 1);
    return { least: atLeast(retryAfterMs ?? least), most: atLeast(retryAfterMs ?? most) };
  }
  const longest = Math.max(longestWaitMs(policy), lifeMs * DEFERRAL_PART);
  return { least: atLeast(retryAfterMs ?? 0), most: atLeast(Math.max(retryAfterMs ?? 0, longest)) };
}

/** No wait between two attempts is longer, where no provider asks for more. */
export function longestWaitMs({ retry }: Pick<ClassPolicy, 'retry'>): number {
  return 'schedule' in retry ? Math.max(...retry.schedule) : retry.maxMs;
}
