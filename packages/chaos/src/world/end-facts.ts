import type { DeliveryRecord, DeliveryState, NotificationRecord } from '@sendonce/core';
import {
  finalDelivery,
  type EndFacts,
  type FinalDelivery,
  type LivenessFacts,
  type MailboxEntry,
  type NotMade,
} from '../checkers/facts.ts';
import { isCallFault, recipientNumber } from '../faults/armed.ts';
import { faultKind } from '../faults/index.ts';
import type { MailboxMessage } from './mailbox.ts';
import { firstDeliveryId } from './requested.ts';
import type { World } from './world.ts';

const PAGE = 5_000;
/** States of a notification that nothing moves any more. */
export const OVER: ReadonlySet<string> = new Set(['done', 'cancelled', 'failed']);

/** What the world knows when a run is over: the ledger's last word, and the mailbox. */
export async function endFacts(world: World): Promise<EndFacts> {
  const { registry, options } = world;
  const notifications = await allNotifications(world);
  const unsealed = notifications.filter(
    (record) => record.recipients === 'explicit' && !record.sealed && !OVER.has(record.state),
  );
  const failed = notifications.filter(({ state }) => state === 'failed');
  return {
    requested: options.workload.known?.numbers ?? [...registry.numbers()],
    input: options.workload.input,
    deliveries: { [Symbol.iterator]: () => finals(world) },
    mailbox: { [Symbol.iterator]: () => mailbox(world) },
    notMade: (recipient) => notMade(world, notifications, recipient),
    failedNotifications: failed.map(({ id: notificationId, reason }) => ({ notificationId, reason })),
    unsealed: unsealed.map(({ id: notificationId, targets }) => ({ notificationId, targets })),
    deadLetters: new Set([...(await deadLetters(world.store.ledger)), ...failed.map(({ id }) => id)]),
    liveness: await livenessFacts(world, notifications),
  };
}

/** One after the other: a million records are not kept, only what the judge needs of them. */
function* finals({ store: { ledger }, registry, trim }: World): Generator<FinalDelivery> {
  for (const record of ledger.control.deliveries()) {
    trim();
    const slot = registry.slotOfDelivery(record.id);
    yield finalDelivery(record, slot < 0 ? -1 : registry.numberOf(slot));
  }
}

async function allInState({ store: { ledger } }: World, state: DeliveryState): Promise<readonly DeliveryRecord[]> {
  const records: DeliveryRecord[] = [];
  for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
    const page: Awaited<ReturnType<typeof ledger.list>> = await ledger.list(
      { states: [state] },
      { limit: PAGE, cursor },
    );
    records.push(...page.items);
    cursor = page.cursor;
  }
  return records;
}

/** As an operator sees them, not as this harness would filter them. */
async function deadLetters(ledger: World['store']['ledger']): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
    const page: Awaited<ReturnType<typeof ledger.list>> = await ledger.list(
      { states: ['dead', 'failed', 'parked'] },
      { limit: PAGE, cursor },
    );
    for (const { id } of page.items) ids.push(id);
    cursor = page.cursor;
  }
  return ids;
}

async function allNotifications({ store: { ledger } }: World): Promise<readonly NotificationRecord[]> {
  const records: NotificationRecord[] = [];
  for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
    const page: Awaited<ReturnType<typeof ledger.listNotifications>> = await ledger.listNotifications(
      {},
      { limit: PAGE, cursor },
    );
    records.push(...page.items);
    cursor = page.cursor;
  }
  return records;
}

function* mailbox(world: World): Generator<MailboxEntry> {
  for (const message of world.mailbox.messages()) {
    world.trim();
    yield new Entry(world, message);
  }
}

/** The recipient is counted, of each message; the rest is made for the few that are asked. */
class Entry implements MailboxEntry {
  readonly recipient: number;
  readonly #world: World;
  readonly #message: MailboxMessage;

  constructor(world: World, message: MailboxMessage) {
    this.recipient = message.slot < 0 ? -1 : world.registry.numberOf(message.slot);
    this.#world = world;
    this.#message = message;
  }

  get provider(): string {
    return this.#world.providers[this.#message.provider]?.name ?? '';
  }

  get deliveryId(): string {
    const { options, registry } = this.#world;
    return this.#message.deliveryId ?? firstDeliveryId(this.recipient, options.workload, registry);
  }

  get body(): string {
    return this.#message.bodyHash.toString(36);
  }

  get at(): number {
    return this.#message.at;
  }
}

function notMade({ registry, crew }: World, notifications: readonly NotificationRecord[], recipient: number): NotMade {
  const learned = registry.learnedOf(recipient);
  const record = learned === null ? notifications[0] : notifications.find(({ id }) => id === learned.notificationId);
  // Its producer died for good before anything was accepted: nobody was told that it was. Else the store has forgotten it.
  if (record === undefined) return learned === null && crew.producerIsGone ? 'unsealed' : 'missing';
  if (record.state === 'cancelled' || record.state === 'failed') return record.state;
  if (!record.sealed) return 'unsealed';
  return record.state === 'expanded' || record.state === 'done' ? 'missing' : 'unfinished';
}

async function livenessFacts(world: World, notifications: readonly NotificationRecord[]): Promise<LivenessFacts> {
  const { options, kernel, healing, boundMs } = world;
  const { leaseMs, survivors } = options.knobs;
  const held = [...(await allInState(world, 'processing')), ...notifications.filter(({ state }) => !OVER.has(state))];
  return {
    phase: survivors > 0 ? 'core' : 'healed',
    healedAt: healing.at ?? kernel.now,
    endedAt: kernel.now,
    boundMs,
    unfinished: notifications
      .filter(({ sealed, state }) => sealed && (state === 'accepted' || state === 'expanding'))
      .map(({ id: notificationId, state }) => ({ notificationId, state })),
    leases: held.flatMap(({ id, leaseUntil }) => (leaseUntil === null ? [] : [{ id, leaseUntil, leaseMs }])),
    queue: world.queue === null ? null : { depth: world.queue.depth, orphans: await orphans(world) },
    healthy: healing.paths.upTo(kernel.now),
    poison: poisoned(world),
  };
}

/** Stored wakes that name no record. */
async function orphans({ store: { ledger }, queue }: World): Promise<readonly string[]> {
  const ids = [...new Set(queue?.ids() ?? [])];
  if (ids.length === 0) return [];
  const deliveries = await ledger.find(ids);
  const notifications = await ledger.findNotifications(ids);
  return ids.filter((_, at) => (deliveries[at] ?? null) === null && (notifications[at] ?? null) === null);
}

function poisoned({ options: { faults }, network }: World): readonly number[] {
  return faults.flatMap((fault, index) => {
    if (!isCallFault(fault) || network.fired[index] !== true || faultKind(fault.do, fault.op)?.forever !== true)
      return [];
    return recipientNumber(fault.entity) ?? [];
  });
}
