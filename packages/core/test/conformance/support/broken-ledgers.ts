import type { Ledger, Lease } from '../../../src/ports/ledger.ts';

/** A ledger of which one thing is wrong, made by putting a liar in front of a good one. */
export type Break = (ledger: Ledger) => Partial<Ledger>;

let requests = 0;

/** Each of them is a mistake that somebody makes when writing a ledger. */
export const BROKEN_LEDGERS: Readonly<Record<string, Break>> = {
  'a claim that mints no request of its own: a repeat claims anew': (ledger) => ({
    claim: (selector, lease) => ledger.claim(selector, renamed(lease)),
  }),
  'a claim that grants what somebody else holds': (ledger) => ({
    claim: async (selector, lease) =>
      Promise.all(
        (await ledger.claim(selector, lease)).map(async (verdict) => {
          const [record] = await ledger.find([verdict.id]);
          if (verdict.kind !== 'held' || record?.state !== 'processing') return verdict;
          return { kind: 'granted' as const, id: verdict.id, fence: record.fence, record, data: null };
        }),
      ),
  }),
  'a claim that answers in an order of its own': (ledger) => ({
    claim: async (selector, lease) => [...(await ledger.claim(selector, lease))].reverse(),
  }),
  'a claim of due work that gives more than was asked for': (ledger) => ({
    claim: (selector, lease) =>
      ledger.claim('due' in selector ? { ...selector, due: selector.due + 1 } : selector, lease),
  }),
  'a claim of due work that does not care for how long it has been due': (ledger) => ({
    claim: (selector, lease) => ledger.claim('due' in selector ? { ...selector, lateMs: 0 } : selector, lease),
  }),
  'a mark that ignores the fence': (ledger) => ({
    mark: async (batch) => {
      const records = await ledger.find(batch.map(({ id }) => id));
      return ledger.mark(batch.map((request, i) => ({ ...request, fence: records[i]?.fence ?? request.fence })));
    },
  }),
  'a mark that is not written down': () => ({
    mark: async (batch) =>
      batch.map(({ id, message, dispatchMs, sendMarginMs }) => ({
        kind: 'go' as const,
        id,
        attempt: 1,
        sendWithinMs: dispatchMs - sendMarginMs,
        message,
      })),
  }),
  'a mark that takes the last message instead of the frozen one': (ledger) => ({
    mark: async (batch) =>
      (await ledger.mark(batch)).map((verdict, i) =>
        verdict.kind === 'go' ? { ...verdict, message: batch[i]?.message ?? {} } : verdict,
      ),
  }),
  'a mark that forgets the key window': (ledger) => ({
    mark: (batch) => ledger.mark(batch.map((request) => ({ ...request, keyWindowMs: Number.MAX_SAFE_INTEGER }))),
  }),
  'a settle that ignores the fence': (ledger) => ({
    settle: async (batch) => {
      const records = await ledger.find(batch.map(({ id }) => id));
      return ledger.settle(
        batch.map((request, i) => {
          const last = records[i]?.attempts.at(-1);
          return last === undefined ? request : { ...request, fence: last.fence, attempt: last.n, key: last.key };
        }),
      );
    },
  }),
  'a settle that drops what is fenced off': (ledger) => ({
    settle: async (batch) => {
      const records = await ledger.find(batch.map(({ id }) => id));
      const current = batch.filter(
        (request, i) => records[i]?.fence === request.fence && records[i].state === 'dispatching',
      );
      await ledger.settle(current);
      const after = await ledger.find(batch.map(({ id }) => id));
      return batch.map(({ id }, i) => {
        const record = after[i];
        if (record === null || record === undefined) return { kind: 'absent' as const, id };
        return { kind: 'settled' as const, id, state: record.state, duplicate: false };
      });
    },
  }),
  "a settle that loses the provider's id": (ledger) => ({
    settle: (batch) =>
      ledger.settle(
        batch.map((request) =>
          request.outcome.kind === 'accepted'
            ? { ...request, outcome: { ...request.outcome, providerMessageId: '' } }
            : request,
        ),
      ),
  }),
  'a settle that refunds nothing': (ledger) => ({
    settle: (batch) => ledger.settle(batch.map((request) => ({ ...request, refund: false }))),
  }),
  'a sweep that sends again what has no outcome': (ledger) => ({
    sweep: async (request) => {
      const result = await ledger.sweep(request);
      await ledger.reconcile(
        result.moved.map(({ id, fence, provider }) => {
          const next = { kind: 'retry' as const, delayMs: 0, provider, reason: 'no answer' };
          return { id, fence, decision: { kind: 'absent' as const, provider, next } };
        }),
      );
      return result;
    },
  }),
  'a sweep that hands the unknown to everybody': (ledger) => ({
    sweep: (request) => ledger.sweep({ ...request, reconcileLeaseMs: 0 }),
  }),
  'a reconcile that ignores the fence': (ledger) => ({
    reconcile: async (batch) => {
      const records = await ledger.find(batch.map(({ id }) => id));
      return ledger.reconcile(batch.map((request, i) => ({ ...request, fence: records[i]?.fence ?? request.fence })));
    },
  }),
  'a release that keeps the lease': () => ({ release: async (batch) => batch.map(() => ({ kind: 'ok' as const })) }),
  'a renewal that renews nothing': () => ({ renew: async (batch) => batch.map(() => ({ kind: 'ok' as const })) }),
  'an accept that lets another body pass': (ledger) => ({
    accept: async (batch) =>
      (await ledger.accept(batch)).map((verdict) =>
        verdict.kind === 'conflict' ? { ...verdict, kind: 'repeated' } : verdict,
      ),
  }),
  'an add that says each time that it added': (ledger) => ({
    add: async (batch) =>
      (await ledger.add(batch)).map((verdict) =>
        verdict.kind === 'repeated' ? { ...verdict, kind: 'added', inserted: [] } : verdict,
      ),
  }),
  'evidence that is dropped when it comes too early': (ledger) => ({
    record: async (batch) => {
      const verdicts = [];
      for (const evidence of batch) {
        const [known] = await ledger.find([evidence.deliveryId ?? '']);
        verdicts.push(known === null ? [{ kind: 'kept' as const }] : await ledger.record([evidence]));
      }
      return verdicts.flat();
    },
  }),
  'a cancel that always says yes': (ledger) => ({
    cancel: async (batch) =>
      (await ledger.cancel(batch)).map((verdict) =>
        verdict.kind === 'too-late' ? { kind: 'cancelled', tooLate: [] } : verdict,
      ),
  }),
  'an opt-out that is not kept': () => ({ suppress: async (batch) => batch.map(() => ({ tooLate: [] })) }),
  'a block that blocks nothing': () => ({ block: async () => {} }),
  'a replay that always forces': (ledger) => ({
    replay: (batch) => ledger.replay(batch.map((request) => ({ ...request, forced: true }))),
  }),
  'a forget that does not ask for how long something has been over': (ledger) => ({
    forget: (batch) => ledger.forget(batch.map((request) => ({ ...request, settledForMs: 0 }))),
  }),
  'a forget that leaves no tombstone': (ledger) => {
    const gone = new Set<string>();
    return {
      forget: async (batch) => {
        const verdicts = await ledger.forget(batch);
        verdicts.forEach((verdict, i) => verdict.kind === 'forgotten' && gone.add(batch[i]?.id ?? ''));
        return verdicts;
      },
      findNotifications: async (ids) =>
        (await ledger.findNotifications(ids)).map((record) => (record !== null && gone.has(record.id) ? null : record)),
      accept: async (batch, options) =>
        (await ledger.accept(batch, options)).map((verdict) =>
          gone.has(verdict.record.id) ? { ...verdict, kind: 'accepted' } : verdict,
        ),
    };
  },
  'a list that forgets its cursor': (ledger) => ({
    list: async (filter, page) => ({ ...(await ledger.list(filter, page)), cursor: null }),
  }),
  'a count that forgets what was assumed': (ledger) => ({
    count: async () => ({ ...(await ledger.count()), assumed: 0 }),
  }),
  'a history that is told backwards': (ledger) => ({
    history: async (id) => [...(await ledger.history(id))].reverse(),
  }),
};

function renamed(lease: Lease): Lease {
  requests += 1;
  return { ...lease, requestId: `${lease.requestId}-${requests}` };
}
