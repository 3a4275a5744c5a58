import {
  kindOf,
  type DeliveryState,
  type DeliveryVerdict,
  type NotificationState,
  type NotificationVerdict,
} from '@sendonce/core';
import type { EventOf } from '../history.ts';
import type { Checker, CheckerContext } from './checker.ts';

/** What is settled stays so: that answer covers every later receipt too. */
const FOR_EVER = 0xffff_ffff;
const HELD: ReadonlySet<DeliveryState | NotificationState> = new Set([
  'processing',
  'dispatching',
  'queued',
  'accepted',
  'expanding',
] as const);
const WAITING: ReadonlySet<DeliveryState | NotificationState> = new Set(['retry-scheduled', 'unknown'] as const);

/**
 * S6: a wake is acked only after an answer, given since it was received, that its record is settled, waits for a time that the ledger
 * brings back, is unknown, or is stray. Whoever holds a notification may ack its wake too.
 */
export function acks(context: CheckerContext): Checker {
  /** Order of the latest answer that allows an ack; 0: none. */
  const answered = context.column('u32');
  const answeredNotification = new Map<string, number>();
  const received = new Map<string, number>();
  let order = 0;

  function allow(slot: number, id: string, until: number): void {
    if (slot < 0) answeredNotification.set(id, until);
    else if (answered.get(slot) !== FOR_EVER) answered.set(slot, until);
  }

  /** An answer that shows the record's state. */
  function answer(slot: number, id: string, state: DeliveryState | NotificationState): void {
    order += 1;
    if (!HELD.has(state)) allow(slot, id, WAITING.has(state) ? order : FOR_EVER);
  }

  function waits(slot: number, id: string): void {
    order += 1;
    allow(slot, id, order);
  }

  function claimed(verdict: DeliveryVerdict | NotificationVerdict, slot: number): void {
    if (verdict.kind === 'settled') answer(slot, verdict.id, verdict.state);
    else if (verdict.kind === 'later' || verdict.kind === 'unknown' || verdict.kind === 'stray')
      waits(slot, verdict.id);
  }

  function marked({ verdict }: EventOf<'mark'>, slot: number): void {
    if (verdict.kind === 'blocked' || verdict.kind === 'window-closed') waits(slot, verdict.id);
    else if (verdict.kind !== 'go' && verdict.kind !== 'fenced') answer(slot, verdict.id, verdict.state);
  }

  function queue({ at, op, id, receipt }: EventOf<'queue'>, slot: number): void {
    order += 1;
    if (op === 'wiped') received.clear();
    if (receipt === null) {
      if (op === 'ack') acked(at, slot, id, 0);
      return;
    }
    if (op === 'receive') received.set(receipt, order);
    if (op === 'ack') acked(at, slot, id, received.get(receipt) ?? 0);
    if (op === 'ack' || op === 'release') received.delete(receipt);
  }

  function acked(at: number, slot: number, id: string, since: number): void {
    const last = slot < 0 ? (answeredNotification.get(id) ?? 0) : answered.get(slot);
    if (last > since) return;
    const what = kindOf(id);
    const message = `the wake of this ${what} was acked, and nobody had said that it is settled, waiting, unknown or stray`;
    context.report({ invariant: 'S6', at, slot, deliveryId: what === 'delivery' ? id : null, message });
  }

  return {
    invariants: ['S6'],
    on: {
      claim: ({ verdict }, slot) => claimed(verdict, slot),
      'claim-notification': ({ verdict }) => {
        // The expansion is brought back by its own lease, not by the wake: that it is held by the asker is enough.
        if (verdict.kind === 'granted') waits(-1, verdict.id);
        else claimed(verdict, -1);
      },
      mark: marked,
      settle({ verdict }, slot) {
        if (verdict.kind !== 'absent') answer(slot, verdict.id, verdict.state);
      },
      release({ request, verdict }, slot) {
        if (verdict.kind === 'settled') answer(slot, request.id, verdict.state);
        else if (verdict.kind === 'ok' && request.delayMs > 0) waits(slot, request.id);
      },
      add({ request, verdict }) {
        if (verdict.kind === 'added' || verdict.kind === 'repeated')
          answer(-1, request.notificationId, verdict.record.state);
        else if (verdict.kind === 'cancelled') answer(-1, request.notificationId, 'cancelled');
      },
      queue,
    },
  };
}
