import type { AmqpChannel } from './library.ts';

/** The longest delay, ms. Longer ones are the ledger's business. */
export const MAX_DELAY_MS: number = 15 * 60 * 1_000;
const SHORTEST_MS = 100;
const STEP = 1.25;
/** Messages that are kept of what is no wake. */
const UNREADABLE_KEPT = 1_000;

export function unreadableQueue(name: string): string {
  return `${name}.unreadable`;
}

/** The queue of wakes, replicated where there is a cluster; what is rejected there goes to the queue beside it. */
export async function declareWakes(channel: AmqpChannel, name: string, maxWakes: number): Promise<void> {
  await channel.assertQueue(unreadableQueue(name), {
    durable: true,
    arguments: { 'x-queue-type': 'quorum', 'x-max-length': UNREADABLE_KEPT },
  });
  await channel.assertQueue(name, {
    durable: true,
    arguments: {
      'x-queue-type': 'quorum',
      'x-max-length': maxWakes,
      'x-overflow': 'reject-publish',
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': unreadableQueue(name),
    },
  });
}

/**
 * How long a wake with that delay really waits, ms: the next step of a ladder, a quarter longer at most. RabbitMQ lets only the message
 * in front of a queue run out, so each delay needs a queue in which all wait equally long, and there must not be one for every millisecond.
 */
export function stepOf(delayMs: number): number {
  const wanted = Math.min(Math.max(delayMs, SHORTEST_MS), MAX_DELAY_MS);
  const step = Math.ceil(Math.log(wanted / SHORTEST_MS) / Math.log(STEP) - 1e-9);
  return Math.min(Math.ceil(SHORTEST_MS * STEP ** step), MAX_DELAY_MS);
}

export function delayQueueOf(name: string, stepMs: number): string {
  return `${name}.delay.${stepMs}`;
}

/** The names of all delay queues that there may be. */
export function delayQueues(name: string): readonly string[] {
  const steps: number[] = [];
  for (let step = stepOf(0); step !== steps.at(-1); step = stepOf(step + 1)) steps.push(step);
  return steps.map((step) => delayQueueOf(name, step));
}

/** Declares the queue whose messages move to the wakes after so long, and answers its name. Unused, it goes away by itself. */
export async function declareDelay(channel: AmqpChannel, name: string, stepMs: number): Promise<string> {
  const delayQueue = delayQueueOf(name, stepMs);
  await channel.assertQueue(delayQueue, {
    durable: true,
    arguments: {
      'x-message-ttl': stepMs,
      'x-expires': expiresMs(stepMs),
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': name,
    },
  });
  return delayQueue;
}

/** How long such a declaration may be relied on, ms: what is published after it has moved on before the queue goes away. */
export const DECLARED_FOR_MS = 30_000;

function expiresMs(stepMs: number): number {
  return stepMs + 2 * DECLARED_FOR_MS;
}
