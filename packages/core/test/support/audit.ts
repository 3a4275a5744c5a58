import { expect } from 'vitest';
import type { DeliveryRecord } from '../../src/index.ts';
import type { World } from './world.ts';

/** What the mailbox says about the ledger's beliefs. Each list names deliveries. */
export interface Audit {
  /** More messages than one, of which one was not declared beforehand. */
  readonly duplicated: readonly string[];
  /** Believed sent, or not settled, and no message. */
  readonly lost: readonly string[];
  /** A message that no delivery asked for. */
  readonly phantom: readonly string[];
}

export async function audit(of: World): Promise<Audit> {
  const records = await of.deliveries();
  const known = new Set(records.map(({ id }) => id));
  const messages = new Map<string, number>();
  for (const { deliveryId } of of.mailbox()) messages.set(deliveryId, (messages.get(deliveryId) ?? 0) + 1);
  const got = (record: DeliveryRecord): number => messages.get(record.id) ?? 0;
  const names = (picked: readonly DeliveryRecord[]): string[] => picked.map(({ target }) => target.to);
  return {
    duplicated: names(records.filter((record) => got(record) > 1 + record.declarations.length)),
    lost: names(records.filter((record) => got(record) === 0 && (isOpen(record) || isBelievedSent(record)))),
    phantom: [...messages.keys()].filter((id) => !known.has(id)),
  };
}

function isOpen({ settledAt }: DeliveryRecord): boolean {
  return settledAt === null;
}

function isBelievedSent({ state, assumed }: DeliveryRecord): boolean {
  return (state === 'sent' && !assumed) || state === 'delivered' || state === 'bounced' || state === 'undeliverable';
}

/** The mailbox and the ledger agree: nobody twice, nobody lost, nothing that nobody asked for, and the sums balance. */
export async function expectHonest(of: World, requested: number): Promise<void> {
  expect(await audit(of)).toEqual({ duplicated: [], lost: [], phantom: [] });
  const counts = Object.values(await of.states());
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(requested);
}
