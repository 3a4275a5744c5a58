import type {
  AddRequest,
  ClaimSelector,
  DeliveryVerdict,
  Evidence,
  NewNotification,
  ReceivedWake,
  SealRequest,
  LookupRequest,
  SweepResult,
  Target,
} from '@sendonce/core';
import type { Send } from '../world/provider.ts';
import type { Op } from './ops.ts';

/** Arguments of a call whose batch is not all of it. */
export interface Batched {
  readonly batch: readonly { readonly id: string }[];
}

/** The deliveries (or notifications) that a call carries, item by item; null: its reply tells. */
export function requestedIds(op: Op, args: unknown): readonly string[] | null {
  switch (op) {
    case 'ledger.mark':
    case 'ledger.settle':
    case 'ledger.reconcile':
    case 'ledger.release':
    case 'ledger.cancel':
    case 'ledger.replay':
    case 'ledger.forget':
      return (args as readonly { readonly id: string }[]).map(({ id }) => id);
    case 'ledger.renew':
    case 'queue.enqueue':
    case 'queue.ack':
    case 'queue.release':
    case 'queue.extend':
      return (args as Batched).batch.map(({ id }) => id);
    case 'ledger.claim':
    case 'ledger.claimNotifications':
      return selectedIds((args as { readonly selector: ClaimSelector }).selector);
    case 'ledger.add':
      return (args as readonly AddRequest[]).flatMap(({ deliveries }) => deliveries.map(({ id }) => id));
    case 'ledger.record':
      return (args as readonly Evidence[]).map(({ deliveryId }) => deliveryId ?? '');
    case 'ledger.find':
    case 'ledger.findNotifications':
      return args as readonly string[];
    case 'ledger.history':
      return [args as string];
    case 'provider.send':
      return [(args as Send).message.deliveryId];
    case 'provider.lookup':
      return [(args as { readonly request: LookupRequest }).request.deliveryId];
    case 'ledger.sweep':
    case 'queue.receive':
      return null;
    case 'ledger.accept':
    case 'ledger.seal':
    case 'ledger.suppress':
    case 'ledger.block':
    case 'ledger.list':
    case 'ledger.listNotifications':
    case 'ledger.count':
    case 'queue.depth':
    case 'worker.start':
      return [];
  }
}

function selectedIds(selector: ClaimSelector): readonly string[] | null {
  return 'ids' in selector ? selector.ids : null;
}

/** The deliveries that a reply carries, for calls whose request names none. */
export function repliedIds(op: Op, result: unknown): readonly string[] {
  if (op === 'queue.receive') return (result as readonly ReceivedWake[]).map(({ id }) => id);
  if (op === 'ledger.sweep') return sweptIds(result as SweepResult);
  return (result as readonly DeliveryVerdict[]).map(({ id }) => id);
}

function sweptIds({ moved, unknown }: SweepResult): readonly string[] {
  return [...moved, ...unknown].map(({ id }) => id);
}

/** Recipient numbers in the pages of a producer's call; such a page has no delivery ids yet. */
export function requestedNumbers(op: Op, args: unknown): readonly number[] {
  if (op === 'ledger.seal') return (args as readonly SealRequest[]).flatMap(({ targets }) => targets.map(numberOf));
  if (op !== 'ledger.accept') return [];
  return (args as { readonly batch: readonly NewNotification[] }).batch.flatMap(({ page }) =>
    (page ?? []).map(numberOf),
  );
}

function numberOf({ data }: Target): number {
  const { number } = data;
  return typeof number === 'number' ? number : -1;
}

export function itemCount(args: unknown): number {
  return Array.isArray(args) ? args.length : (args as Batched).batch.length;
}

/** The call's arguments with only the first `count` items. */
export function firstItems(args: unknown, count: number): unknown {
  if (Array.isArray(args)) return args.slice(0, count);
  return { ...(args as Batched), batch: (args as Batched).batch.slice(0, count) };
}
