import { createNotifier, kindOf, providerKey } from '@sendonce/core';
import type {
  Clock,
  DeliveryRecord,
  DeliveryVerdict,
  Ledger,
  MessageContent,
  NotifierConfig,
  Outcome,
  Provider,
  Queue,
  Random,
  ReceivedWake,
  SettleRequest,
  WorkerOptions,
} from '@sendonce/core';
import type { Sender } from './sender.ts';

/** The ports of a config, as the hand-written senders use them. */
export interface Ports {
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly random: Random;
  readonly provider: Provider;
  readonly config: NotifierConfig;
  readonly concurrency: number;
}

export function portsOf(config: NotifierConfig, options: WorkerOptions): Ports {
  const { ledger, queue, clock, random, channels } = config;
  const provider = Object.values(channels)[0]?.providers[0];
  if (queue === undefined || clock === undefined || random === undefined || provider === undefined)
    throw new Error('a known-bad sender needs a world with a queue and simulated ports');
  return { ledger, queue, clock, random, provider, config, concurrency: options.concurrency ?? 50 };
}

/** The real deciding stage beside a hand-written delivering one. It asks the ledger alone, so that no wake of the sender's is taken. */
export function decide(config: NotifierConfig, options: WorkerOptions, signal: AbortSignal): Promise<void> {
  const { queue, ...rest } = config;
  const silent: Queue | undefined = queue && { ...bind(queue), receive: async () => [] };
  const { chunk, leaseMs } = options;
  const own = {
    stages: ['decide'] as const,
    lateMs: 0,
    waitMs: 0,
    ...(chunk && { chunk }),
    ...(leaseMs && { leaseMs }),
  };
  return createNotifier({ ...rest, ...(queue && silent && { queue, eventsQueue: silent }) })
    .worker(own)
    .run({ signal });
}

function bind(queue: Queue): Queue {
  return {
    capabilities: queue.capabilities,
    enqueue: (wakes, options) => queue.enqueue(wakes, options),
    receive: (options) => queue.receive(options),
    ack: (batch) => queue.ack(batch),
    release: (batch, options) => queue.release(batch, options),
    extend: (batch, options) => queue.extend(batch, options),
    depth: () => queue.depth(),
    close: () => queue.close(),
  };
}

export type Handle = (wake: ReceivedWake, signal: AbortSignal) => Promise<void>;

/** The loop of nearly every consumer: receive, hand each message to a function, a bounded number at once. What it throws is forgotten. */
export function consumer(config: NotifierConfig, options: WorkerOptions, make: (ports: Ports) => Handle): Sender {
  return {
    async run({ signal }) {
      const ports = portsOf(config, options);
      const handle = make(ports);
      await Promise.all([decide(config, options, signal), consume(ports, handle, signal)]);
    },
  };
}

async function consume(ports: Ports, handle: Handle, signal: AbortSignal): Promise<void> {
  const { queue, clock, concurrency } = ports;
  while (!signal.aborted) {
    try {
      const wakes = await queue.receive({
        max: Math.min(concurrency, queue.capabilities.maxBatch),
        waitMs: 1_000,
        signal,
      });
      await Promise.all(wakes.map((wake) => handle(wake, signal).catch(() => undefined)));
    } catch {
      await clock.sleep(1_000, signal);
    }
  }
}

/** True for what the delivering stage is about; a notification's wake is acked and left to the deciding stage. */
export async function isDelivery(ports: Ports, wake: ReceivedWake): Promise<boolean> {
  if (kindOf(wake.id) === 'delivery') return true;
  await ports.queue.ack([wake]);
  return false;
}

export type Locked = Extract<DeliveryVerdict, { kind: 'granted' }>;

/** The lock that these senders build on: a claim of one delivery. Null: somebody else has it, or it is done. */
export async function lock(ports: Ports, id: string, leaseMs: number): Promise<Locked | null> {
  const lease = { owner: ports.random.id(), requestId: ports.random.id(), leaseMs };
  const [verdict] = await ports.ledger.claim({ ids: [id], agesMs: [0], strayAfterMs: Infinity }, lease);
  return verdict?.kind === 'granted' ? verdict : null;
}

export async function contentOf(ports: Ports, record: DeliveryRecord, data: unknown): Promise<MessageContent> {
  const type = ports.config.notifications[record.type];
  const make = type?.content as unknown as ((...of: unknown[]) => MessageContent | Promise<MessageContent>) | undefined;
  return (
    record.message ??
    (await make?.(data, record.target, { deliveryId: record.id, generation: record.generation })) ??
    {}
  );
}

/** The data of the delivery's notification, for senders that never lock. */
export async function dataOf(ports: Ports, record: DeliveryRecord): Promise<unknown> {
  const [notification] = await ports.ledger.findNotifications([record.notificationId]);
  return notification?.data;
}

export async function post(
  ports: Ports,
  record: DeliveryRecord,
  content: MessageContent,
  attempt: number,
): Promise<Outcome> {
  const { id, target, createdAt } = record;
  const key = providerKey(id, ports.provider.name);
  const signal = new AbortController().signal;
  const message = { deliveryId: id, channel: target.channel, to: target.to, content, createdAt };
  try {
    return await ports.provider.send(message, { key, attempt, deadlineMs: 30_000, signal });
  } catch (thrown) {
    return { kind: 'unknown', reason: String(thrown) };
  }
}

const DAY_MS = 86_400_000;

/** Marks one delivery for a day; the attempt's number, or null when the ledger refuses. */
export async function mark(
  ports: Ports,
  record: DeliveryRecord,
  fence: number,
  message: MessageContent,
): Promise<number | null> {
  const provider = ports.provider.name;
  const key = providerKey(record.id, provider);
  const [verdict] = await ports.ledger.mark([
    { id: record.id, fence, provider, key, keyWindowMs: null, message, dispatchMs: DAY_MS, sendMarginMs: 0 },
  ]);
  return verdict?.kind === 'go' ? verdict.attempt : null;
}

/** Writes what the sender believes. A definite failure is tried again by itself in a second. */
export async function write(
  ports: Ports,
  record: DeliveryRecord,
  fence: number,
  attempt: number,
  outcome: Outcome,
): Promise<void> {
  const provider = ports.provider.name;
  const reason = 'reason' in outcome ? outcome.reason : '';
  const next: SettleRequest['next'] =
    outcome.kind === 'accepted' ? { kind: 'sent' } : { kind: 'retry', delayMs: 1_000, provider, reason };
  await ports.ledger.settle([
    { id: record.id, fence, attempt, provider, key: providerKey(record.id, provider), outcome, next, refund: false },
  ]);
}

/** Content, mark, send, write, for a delivery in hand; false where the ledger refused the mark. */
export async function sendLocked(ports: Ports, locked: Locked): Promise<boolean> {
  const { record, fence, data } = locked;
  const content = await contentOf(ports, record, data);
  const attempt = await mark(ports, record, fence, content);
  if (attempt === null) return false;
  await write(ports, record, fence, attempt, await post(ports, record, content, attempt));
  return true;
}

/** The real worker over a config of which something was replaced. */
export function realWorker(config: NotifierConfig, options: WorkerOptions): Sender {
  return createNotifier(config).worker(options);
}

/** The config with each provider replaced. */
export function withProviders(config: NotifierConfig, replace: (provider: Provider) => Provider): NotifierConfig {
  const channels = Object.fromEntries(
    Object.entries(config.channels).map(([name, channel]) => [
      name,
      { ...channel, providers: channel.providers.map(replace) },
    ]),
  );
  return { ...config, channels };
}

/** The provider with each outcome read differently. */
export function reading(provider: Provider, read: (outcome: Outcome) => Outcome): Provider {
  return {
    name: provider.name,
    capabilities: provider.capabilities,
    async send(message, context) {
      try {
        return read(await provider.send(message, context));
      } catch (thrown) {
        return read({ kind: 'unknown', reason: String(thrown) });
      }
    },
    close: () => provider.close(),
  };
}
