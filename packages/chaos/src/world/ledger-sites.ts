import type {
  AcceptVerdict,
  AddRequest,
  AddVerdict,
  BlockRequest,
  CancelRequest,
  CancelVerdict,
  ClaimSelector,
  Counts,
  DeliveryFilter,
  DeliveryRecord,
  DeliveryVerdict,
  Evidence,
  EvidenceVerdict,
  ForgetRequest,
  ForgetVerdict,
  Held,
  HoldVerdict,
  Lease,
  MarkRequest,
  MarkVerdict,
  Move,
  NewNotification,
  NotificationFilter,
  NotificationRecord,
  NotificationVerdict,
  Page,
  ReconcileRequest,
  ReconcileVerdict,
  ReleaseRequest,
  ReplayRequest,
  ReplayVerdict,
  SealRequest,
  SealVerdict,
  SettleRequest,
  SettleVerdict,
  SuppressRequest,
  SuppressVerdict,
  SweepRequest,
  SweepResult,
} from '@sendonce/core';
import { opHash, opIndex, type Op } from '../faults/ops.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Site } from '../kernel/site.ts';
import type { HistoryEvent } from '../history.ts';
import type { Emitter } from './emitter.ts';
import type { Knobs } from './knobs.ts';
import type { Registry } from './registry.ts';
import type { Store } from './store.ts';

type Many<T> = readonly T[];
type ListPage = { readonly limit?: number; readonly cursor?: string | null } | undefined;

/** Each operation of the Ledger port as a site; its arguments are one value. */
export interface LedgerSites {
  readonly accept: Site<
    { readonly batch: Many<NewNotification>; readonly options: { readonly transaction?: unknown } | undefined },
    Many<AcceptVerdict>
  >;
  readonly seal: Site<Many<SealRequest>, Many<SealVerdict>>;
  readonly claimNotifications: Site<
    { readonly selector: ClaimSelector; readonly lease: Lease },
    Many<NotificationVerdict>
  >;
  readonly add: Site<Many<AddRequest>, Many<AddVerdict>>;
  readonly claim: Site<{ readonly selector: ClaimSelector; readonly lease: Lease }, Many<DeliveryVerdict>>;
  readonly renew: Site<{ readonly batch: Many<Held>; readonly leaseMs: number }, Many<HoldVerdict>>;
  readonly release: Site<Many<ReleaseRequest>, Many<HoldVerdict>>;
  readonly mark: Site<Many<MarkRequest>, Many<MarkVerdict>>;
  readonly settle: Site<Many<SettleRequest>, Many<SettleVerdict>>;
  readonly sweep: Site<SweepRequest, SweepResult>;
  readonly reconcile: Site<Many<ReconcileRequest>, Many<ReconcileVerdict>>;
  readonly record: Site<Many<Evidence>, Many<EvidenceVerdict>>;
  readonly cancel: Site<Many<CancelRequest>, Many<CancelVerdict>>;
  readonly suppress: Site<Many<SuppressRequest>, Many<SuppressVerdict>>;
  readonly block: Site<Many<BlockRequest>, void>;
  readonly replay: Site<Many<ReplayRequest>, Many<ReplayVerdict>>;
  readonly forget: Site<Many<ForgetRequest>, Many<ForgetVerdict>>;
  readonly find: Site<Many<string>, Many<DeliveryRecord | null>>;
  readonly findNotifications: Site<Many<string>, Many<NotificationRecord | null>>;
  readonly list: Site<{ readonly filter: DeliveryFilter; readonly page: ListPage }, Page<DeliveryRecord>>;
  readonly listNotifications: Site<
    { readonly filter: NotificationFilter; readonly page: ListPage },
    Page<NotificationRecord>
  >;
  readonly count: Site<null, Counts>;
  readonly history: Site<string, Many<Move>>;
}

export interface LedgerSitesParts {
  readonly store: Store;
  readonly kernel: Kernel;
  readonly knobs: Knobs;
  readonly emitter: Emitter;
  readonly registry: Registry;
  /** Called when something may have come to rest. */
  readonly onIdle: () => void;
  /** Called when something was written. */
  readonly onWork: () => void;
}

/** When and by whom: how each event begins. */
type Head = Pick<HistoryEvent, 'at' | 'process'>;
type Tell<Args, Result> = (args: Args, result: Result, head: Head) => void;

/** The store's side of the Ledger port: one applied call is one batch of history events. */
export function ledgerSites(parts: LedgerSitesParts): LedgerSites {
  const { store, kernel, knobs, emitter, registry, onIdle, onWork } = parts;
  const { ledger } = store;
  const promised = (): void => void (store.producedAt = kernel.now);
  // Events are written out field by field: a spread is several times as slow, and there is one per delivery and step.
  const tell = (event: HistoryEvent): void => emitter.emit(event);
  const span = [knobs.ledgerLeastMs, knobs.ledgerMostMs] as const;

  function site<Args, Result>(
    op: Op,
    run: (args: Args) => Promise<Result>,
    record: Tell<Args, Result> | null,
    role: 'asking' | 'working' = 'working',
  ): Site<Args, Result> {
    const index = opIndex(op);
    return {
      op,
      index,
      hash: opHash(index),
      peer: 'ledger',
      requestMs: span,
      replyMs: span,
      awaited: role === 'working',
      apply(args, life) {
        if (store.isDown) throw new Error('ledger: connection refused');
        const result = run(args);
        if (role === 'asking') onIdle();
        else onWork();
        if (record === null || !emitter.isHeard) return result;
        const { name } = life.process;
        return result.then((value) => {
          record(args, value, { at: kernel.now, process: name });
          return value;
        });
      },
      lost: () => ({ kind: 'error', error: new Error(`${op}: no answer within ${knobs.ledgerTimeoutMs} ms`) }),
      timeoutMs: () => knobs.ledgerTimeoutMs,
      patienceMs: () => Infinity,
    };
  }

  return {
    accept: site(
      'ledger.accept',
      ({ batch, options }) => {
        promised();
        return ledger.accept(batch, options);
      },
      null,
    ),
    seal: site(
      'ledger.seal',
      (batch) => {
        promised();
        return ledger.seal(batch);
      },
      null,
    ),
    claimNotifications: site(
      'ledger.claimNotifications',
      ({ selector, lease }) => ledger.claimNotifications(selector, lease),
      ({ lease: { owner } }, verdicts, { at, process }) =>
        verdicts.forEach((verdict) => tell({ at, process, kind: 'claim-notification', owner, verdict })),
      'asking',
    ),
    add: site(
      'ledger.add',
      (batch) => ledger.add(batch),
      (batch, verdicts, { at, process }) =>
        each(batch, verdicts, (request, verdict) => tell({ at, process, kind: 'add', request, verdict })),
    ),
    claim: site(
      'ledger.claim',
      ({ selector, lease }) => ledger.claim(selector, lease),
      ({ lease: { owner, requestId, leaseMs } }, verdicts, { at, process }) =>
        verdicts.forEach((verdict) => tell({ at, process, kind: 'claim', owner, requestId, leaseMs, verdict })),
      'asking',
    ),
    renew: site(
      'ledger.renew',
      ({ batch, leaseMs }) => ledger.renew(batch, leaseMs),
      ({ batch }, verdicts, { at, process }) =>
        each(batch, verdicts, (request, verdict) => tell({ at, process, kind: 'renew', request, verdict })),
      'asking',
    ),
    release: site(
      'ledger.release',
      (batch) => ledger.release(batch),
      (batch, verdicts, { at, process }) =>
        each(batch, verdicts, (request, verdict) => tell({ at, process, kind: 'release', request, verdict })),
    ),
    mark: site(
      'ledger.mark',
      (batch) => ledger.mark(batch),
      (batch, verdicts, { at, process }) =>
        each(batch, verdicts, (request, verdict) => tell({ at, process, kind: 'mark', request, verdict })),
    ),
    settle: site(
      'ledger.settle',
      (batch) => ledger.settle(batch),
      (batch, verdicts, { at, process }) =>
        each(batch, verdicts, (request, verdict) => tell({ at, process, kind: 'settle', request, verdict })),
    ),
    sweep: site(
      'ledger.sweep',
      (request) => ledger.sweep(request),
      (_request, result, { at, process }) => tell({ at, process, kind: 'sweep', result }),
      'asking',
    ),
    reconcile: site(
      'ledger.reconcile',
      (batch) => ledger.reconcile(batch),
      (batch, verdicts, { at, process }) =>
        each(batch, verdicts, (request, verdict) => tell({ at, process, kind: 'reconcile', request, verdict })),
    ),
    record: site('ledger.record', (batch) => ledger.record(batch), null),
    cancel: site(
      'ledger.cancel',
      (batch) => ledger.cancel(batch),
      (batch, verdicts, { at, process }) =>
        each(batch, verdicts, (request, verdict) => tell({ at, process, kind: 'cancel', request, verdict })),
    ),
    suppress: site(
      'ledger.suppress',
      (batch) => ledger.suppress(batch),
      (batch, verdicts, { at, process }) =>
        each(batch, verdicts, (request, { tooLate }) => tell({ at, process, kind: 'suppress', request, tooLate })),
    ),
    block: site('ledger.block', (batch) => ledger.block(batch), null),
    replay: site(
      'ledger.replay',
      async (batch) => {
        const verdicts = await ledger.replay(batch);
        each(batch, verdicts, ({ id }, verdict) => {
          if (verdict.kind === 'replayed' || verdict.kind === 'repeated') registry.learnGeneration(verdict.id, id);
        });
        return verdicts;
      },
      (batch, verdicts, { at, process }) =>
        each(batch, verdicts, (request, verdict) => tell({ at, process, kind: 'replay', request, verdict })),
    ),
    forget: site('ledger.forget', (batch) => ledger.forget(batch), null),
    find: site('ledger.find', (ids) => ledger.find(ids), null, 'asking'),
    findNotifications: site('ledger.findNotifications', (ids) => ledger.findNotifications(ids), null, 'asking'),
    list: site('ledger.list', ({ filter, page }) => ledger.list(filter, page), null, 'asking'),
    listNotifications: site(
      'ledger.listNotifications',
      ({ filter, page }) => ledger.listNotifications(filter, page),
      null,
      'asking',
    ),
    count: site('ledger.count', () => ledger.count(), null, 'asking'),
    history: site('ledger.history', (id) => ledger.history(id), null, 'asking'),
  };
}

function each<A, B>(requests: Many<A>, verdicts: Many<B>, look: (request: A, verdict: B) => void): void {
  requests.forEach((request, at) => {
    const verdict = verdicts[at];
    if (verdict !== undefined) look(request, verdict);
  });
}
