import { DELIVERY_STATES } from '../model/delivery.ts';
import { reasonOf } from '../model/errors.ts';
import { NOTIFICATION_STATES } from '../model/notification.ts';
import type {
  AddVerdict,
  ClaimSelector,
  DeliveryVerdict,
  HoldVerdict,
  Ledger,
  MarkVerdict,
  ReconcileVerdict,
  SealVerdict,
  SettleVerdict,
} from '../ports/ledger.ts';
import { broken, isFields, isNumber, isText, listOf, type Fields } from './answers.ts';

/** Each kind of verdict, and what it must carry for the worker to act on it. */
type Kinds<Verdict extends { readonly kind: string }> = Readonly<Record<Verdict['kind'], (verdict: Fields) => boolean>>;

const always = (): boolean => true;
const hasState = ({ state }: Fields): boolean =>
  (DELIVERY_STATES as readonly unknown[]).includes(state) ||
  (NOTIFICATION_STATES as readonly unknown[]).includes(state);
const hasRecord = ({ record }: Fields): boolean => isFields(record) && isText(record['id']) && hasState(record);

const CLAIMED: Kinds<DeliveryVerdict> = {
  granted: (verdict) =>
    isNumber(verdict['fence']) && hasRecord(verdict) && (verdict['record'] as Fields)['id'] === verdict['id'],
  held: ({ remainingMs }) => isNumber(remainingMs),
  later: always,
  settled: hasState,
  unknown: always,
  absent: always,
  stray: always,
};
const HELD: Kinds<HoldVerdict> = { ok: always, fenced: always, settled: hasState };
const MARKED: Kinds<MarkVerdict> = {
  go: ({ attempt, sendWithinMs, message }) =>
    Number.isSafeInteger(attempt) && Number(attempt) > 0 && isNumber(sendWithinMs) && isFields(message),
  fenced: always,
  settled: hasState,
  cancelled: hasState,
  suppressed: hasState,
  expired: hasState,
  blocked: always,
  'window-closed': always,
};
const SETTLED: Kinds<SettleVerdict> = { settled: hasState, evidence: hasState, absent: always };
const RECONCILED: Kinds<ReconcileVerdict> = { moved: hasState, fenced: always };
const ADDED: Kinds<AddVerdict> = {
  added: (verdict) => Array.isArray(verdict['inserted']) && hasRecord(verdict) && hasPage(verdict),
  repeated: (verdict) => hasRecord(verdict) && hasPage(verdict),
  fenced: always,
  cancelled: always,
  absent: always,
};
const SEALED: Kinds<SealVerdict> = {
  stored: hasRecord,
  sealed: hasRecord,
  fenced: always,
  cancelled: always,
  absent: always,
};

function hasPage({ next }: Fields): boolean {
  return next === null || Array.isArray(next);
}

function fits(kinds: Kinds<{ readonly kind: string }>, verdict: Fields): boolean {
  const { kind } = verdict;
  return typeof kind === 'string' && Object.hasOwn(kinds, kind) && kinds[kind]?.(verdict) === true;
}

/** The ledger as a worker uses it: an answer that is not one of its port's is a ledger that failed. */
export function checkedLedger(ledger: Ledger): Ledger {
  const list = <T>(
    call: string,
    answer: readonly T[],
    count: number,
    kinds: Kinds<{ readonly kind: string }>,
  ): readonly T[] => listOf(answer, { call: `ledger.${call}`, count, isOne: (each) => fits(kinds, each) });
  const ofIds = <T>(
    call: string,
    answer: readonly T[],
    batch: readonly { readonly id: string }[],
    kinds: Kinds<{ readonly kind: string }>,
  ) =>
    listOf(answer, {
      call: `ledger.${call}`,
      count: batch.length,
      isOne: (each, at) => fits(kinds, each) && each['id'] === batch[at]?.id,
    });
  return {
    capabilities: ledger.capabilities,
    accept: (batch, options) => ledger.accept(batch, options),
    seal: async (batch) => list('seal', await ledger.seal(batch), batch.length, SEALED),
    claimNotifications: async (selector, lease) =>
      claimed('claimNotifications', await ledger.claimNotifications(selector, lease), selector),
    add: async (batch) => list('add', await ledger.add(batch), batch.length, ADDED),
    claim: async (selector, lease) => claimed('claim', await ledger.claim(selector, lease), selector),
    renew: async (batch, leaseMs) => list('renew', await ledger.renew(batch, leaseMs), batch.length, HELD),
    release: async (batch) => list('release', await ledger.release(batch), batch.length, HELD),
    mark: async (batch) => ofIds('mark', await ledger.mark(batch), batch, MARKED),
    settle: async (batch) => ofIds('settle', await ledger.settle(batch), batch, SETTLED),
    async sweep(request) {
      const swept = await ledger.sweep(request);
      if (!isFields(swept) || !isNumber(swept.nowMs)) broken('ledger.sweep', 'a result with nowMs', 'none');
      for (const part of ['moved', 'ended', 'unknown'] as const)
        listOf<unknown>(swept[part], { call: `ledger.sweep, ${part}`, count: null, isOne: isRecord });
      return swept;
    },
    reconcile: async (batch) => ofIds('reconcile', await ledger.reconcile(batch), batch, RECONCILED),
    record: (batch) => ledger.record(batch),
    cancel: (batch) => ledger.cancel(batch),
    suppress: (batch) => ledger.suppress(batch),
    block: (batch) => ledger.block(batch),
    replay: async (batch) =>
      listOf(await ledger.replay(batch), {
        call: 'ledger.replay',
        count: batch.length,
        isOne: ({ kind }) => isText(kind),
      }),
    forget: (batch) => ledger.forget(batch),
    find: async (ids) => found('find', await ledger.find(ids), ids),
    findNotifications: async (ids) => found('findNotifications', await ledger.findNotifications(ids), ids),
    async list(filter, page) {
      const answer = await ledger.list(filter, page);
      if (!isFields(answer)) broken('ledger.list', 'a page', 'none');
      listOf(answer.items, { call: 'ledger.list', count: null, isOne: isRecord });
      return answer;
    },
    listNotifications: (filter, page) => ledger.listNotifications(filter, page),
    async count() {
      const counts = await ledger.count();
      if (!isFields(counts) || !isFields(counts.deliveries) || !isNumber(counts.oldestDueMs))
        broken('ledger.count', 'counts with deliveries and oldestDueMs', 'something else');
      return counts;
    },
    history: async (id) => listOf(await ledger.history(id), { call: 'ledger.history', count: null, isOne: always }),
    close: () => ledger.close(),
  };
}

function isRecord(record: Fields): boolean {
  return hasRecord({ record });
}

/** What was asked for, in its order; where any were, no more of them than that and none twice: each grant takes a slot and is sent. */
function claimed<T extends { readonly kind: string; readonly id: string }>(
  method: string,
  answer: readonly T[],
  selector: ClaimSelector,
): readonly T[] {
  const call = `ledger.${method}`;
  const seen = new Set<unknown>();
  const isAsked = (id: unknown, at: number): boolean =>
    'ids' in selector ? id === selector.ids[at] : isText(id) && seen.add(id).size === at + 1;
  listOf(answer, { call, count: null, isOne: (each, at) => isAsked(each['id'], at) && fits(CLAIMED, each) });
  const granted = answer.filter(({ kind }) => kind === 'granted').length;
  if ('due' in selector && granted > selector.due) broken(call, `at most ${selector.due} grants`, `${granted}`);
  return answer;
}

function found<T>(method: string, answer: readonly (T | null)[], ids: readonly string[]): readonly (T | null)[] {
  const call = `ledger.${method}`;
  if (!isList(answer) || answer.length !== ids.length) broken(call, `${ids.length} records or nulls`, reasonOf(answer));
  const known = answer.filter((each) => each !== null);
  listOf(known, { call, count: null, isOne: isRecord });
  return answer;
}

function isList(answer: unknown): boolean {
  return Array.isArray(answer);
}
