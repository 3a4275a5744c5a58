import assert from 'node:assert/strict';
import type { DeliveryRecord } from '../../model/delivery.ts';
import { providerKey } from '../../model/keys.ts';
import type { NotificationRecord } from '../../model/notification.ts';
import type { Outcome } from '../../model/outcome.ts';
import type {
  DeliveryVerdict,
  Ledger,
  MarkRequest,
  MarkVerdict,
  ReconcileDecision,
  SettleRequest,
  SettleVerdict,
  SweepResult,
} from '../../ports/ledger.ts';
import { MESSAGE, P0, REJECTED, byIds, newDelivery, newNotification, nextOf, only, target } from './requests.ts';
import { type LedgerSubject } from './subject.ts';

export type Granted = Extract<DeliveryVerdict, { kind: 'granted' }>;
export type Go = Extract<MarkVerdict, { kind: 'go' }>;

/** A marked attempt: what its worker knows. */
export interface Marked {
  readonly id: string;
  readonly fence: number;
  readonly attempt: number;
  readonly provider: string;
}

/** One notification with its deliveries, and short ways of doing to them what a worker does. Durations count in units. */
export interface Scene {
  readonly ledger: Ledger;
  readonly notification: string;
  readonly ids: readonly string[];
  /** The first delivery: most laws need only one. */
  readonly id: string;
  readonly leaseMs: number;
  readonly dispatchMs: number;
  elapse(units: number): Promise<void>;
  claim(ids?: readonly string[], requestId?: string): Promise<readonly DeliveryVerdict[]>;
  claimDue(max: number, options?: { lateMs?: number; requestId?: string }): Promise<readonly DeliveryVerdict[]>;
  /** Claims one delivery and insists on getting it. */
  grant(id?: string, requestId?: string): Promise<Granted>;
  mark(id: string, fence: number, patch?: Partial<MarkRequest>): Promise<MarkVerdict>;
  /** Claims and marks one delivery and insists on `go`. */
  begin(id?: string, patch?: Partial<MarkRequest>): Promise<Marked>;
  settle(marked: Marked, outcome: Outcome, patch?: Partial<SettleRequest>): Promise<SettleVerdict>;
  /** Claims, marks, lets the dispatch window pass and sweeps: the outcome is unknown, the attempt still open. */
  becomeUnknown(id?: string): Promise<Marked>;
  sweep(max?: number): Promise<SweepResult>;
  reconcile(id: string, decision: ReconcileDecision, fence?: number): Promise<string>;
  /** Claims, marks and settles as `failed`: a dead letter. */
  fail(id?: string): Promise<void>;
  record(id?: string): Promise<DeliveryRecord>;
  notificationRecord(): Promise<NotificationRecord>;
}

export interface SceneOptions {
  /** @defaultValue 1 */
  readonly recipients?: number;
  readonly key?: string;
  readonly expiresInUnits?: number | null;
  readonly maxAttempts?: number;
  readonly topic?: string | null;
}

let requests = 0;
const freshRequest = (): string => `request-${(requests += 1)}`;

export async function scene(subject: LedgerSubject, options: SceneOptions = {}): Promise<Scene> {
  const { ledger, unitMs } = subject;
  const { recipients = 1, key = 'law', expiresInUnits = null, maxAttempts = 5, topic = 'laws' } = options;
  const targets = Array.from({ length: recipients }, (_, i) => target(i));
  const expiresInMs = expiresInUnits === null ? null : expiresInUnits * unitMs;
  const [leaseMs, dispatchMs] = [unitMs * 10, unitMs * 20];
  const made = newNotification(key, { page: targets, expiresInMs });
  const deliveries = targets.map((each) => newDelivery(made.id, each, { maxAttempts, topic }));
  await ledger.accept([made]);
  const [claimed] = await ledger.claimNotifications(byIds([made.id]), {
    owner: 'scene',
    requestId: freshRequest(),
    leaseMs,
  });
  assert.ok(claimed?.kind === 'granted', `the notification is ${claimed?.kind}`);
  const add = { notificationId: made.id, fence: claimed.fence, page: 0, deliveries, sealTargets: null, leaseMs: 0 };
  const [added] = await ledger.add([add]);
  assert.equal(added?.kind, 'added');

  const ids = deliveries.map((delivery) => delivery.id);
  const first = ids[0] ?? '';
  const lease = (requestId: string, owner = 'worker') => ({ owner, requestId, leaseMs });
  const result: Scene = {
    ledger,
    notification: made.id,
    ids,
    id: first,
    leaseMs,
    dispatchMs,
    elapse: (units) => subject.elapse(units * unitMs),
    claim: (wanted = ids, requestId = freshRequest()) => ledger.claim(byIds(wanted), lease(requestId)),
    claimDue: (due, { lateMs = 0, requestId = freshRequest() } = {}) => ledger.claim({ due, lateMs }, lease(requestId)),
    async grant(id = first, requestId = freshRequest()) {
      const [verdict] = await result.claim([id], requestId);
      assert.equal(verdict?.kind, 'granted', `'${id}' was not granted: ${JSON.stringify(verdict)}`);
      return verdict;
    },
    async mark(id, fence, patch = {}) {
      const provider = patch.provider ?? P0;
      const request: MarkRequest = {
        id,
        fence,
        provider,
        key: providerKey(id, provider),
        keyWindowMs: unitMs * 200,
        message: MESSAGE,
        dispatchMs,
        sendMarginMs: unitMs * 2,
        ...patch,
      };
      return only(await ledger.mark([request]));
    },
    async begin(id = first, patch = {}) {
      const { fence } = await result.grant(id);
      const verdict = await result.mark(id, fence, patch);
      assert.equal(verdict.kind, 'go', `the mark of '${id}' answered ${JSON.stringify(verdict)}`);
      return { id, fence, attempt: verdict.attempt, provider: patch.provider ?? P0 };
    },
    async settle(marked, outcome, patch = {}) {
      const { id, fence, attempt, provider } = marked;
      const key = providerKey(id, provider);
      const next = nextOf(outcome, provider);
      const refund = outcome.kind === 'deferred';
      return only(await ledger.settle([{ id, fence, attempt, provider, key, outcome, next, refund, ...patch }]));
    },
    async becomeUnknown(id = first) {
      const marked = await result.begin(id);
      await result.elapse(21);
      await result.sweep();
      assert.equal((await result.record(id)).state, 'unknown');
      return marked;
    },
    sweep: (max = 100) => ledger.sweep({ max, reconcileLeaseMs: leaseMs }),
    async reconcile(id, decision, fence) {
      const under = fence ?? (await result.record(id)).fence;
      return only(await ledger.reconcile([{ id, fence: under, decision }])).kind;
    },
    async fail(id = first) {
      await result.settle(await result.begin(id), REJECTED);
    },
    async record(id = first) {
      const record = only(await ledger.find([id]));
      assert.ok(record !== null, `'${id}' is not there`);
      return record;
    },
    async notificationRecord() {
      const record = only(await ledger.findNotifications([made.id]));
      assert.ok(record !== null);
      return record;
    },
  };
  return result;
}
