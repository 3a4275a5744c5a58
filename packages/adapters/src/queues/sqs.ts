import { randomUUID } from 'node:crypto';
import type { Message, SQSClient } from '@aws-sdk/client-sqs';
import type { ItemResult, Queue, ReceivedWake } from '@sendonce/core';
import { checkAdapter } from '../internal/options.ts';
import { checkBatch, STALE, tell, unavailable, type OnUnreadable } from '../internal/queue/answers.ts';
import { bodyOf, wakeIn } from '../internal/queue/body.ts';
import { inRequests, MAX_ENTRIES, resultsIn } from '../internal/sqs/batches.ts';
import { Held } from '../internal/sqs/held.ts';
import { sqsLibrary } from '../internal/sqs/library.ts';
import { MAX_VISIBILITY_MS, SQS_RULES } from '../internal/sqs/options.ts';
import { seconds, sqsRequests } from '../internal/sqs/requests.ts';

export type { UnreadableMessage } from '../internal/queue/answers.ts';

export interface SqsQueueOptions {
  /** `new SQSClient(...)`, with whatever retries it has: nothing rests on a queue, so a request that is made twice harms nobody. */
  readonly client: Pick<SQSClient, 'send'>;
  /** A standard or a FIFO queue. */
  readonly queueUrl: string;
  /** How long a received wake stays hidden, 1,000 to 43,200,000 ms, in whole seconds, rounded up. @defaultValue 30_000 */
  readonly visibilityMs?: number;
  /** How long a request may take, with the client's own retries, 1 to 600,000 ms; a receive may wait for wakes before that. @defaultValue 10_000 */
  readonly timeoutMs?: number;
  /** Is told of what somebody else put into the queue, each time it is received. @defaultValue nobody is */
  readonly onUnreadable?: OnUnreadable;
}

const library = sqsLibrary(() => import('@aws-sdk/client-sqs'));

/** SQS delays a message by 15 minutes at most. */
const MAX_DELAY_MS = 15 * 60 * 1_000;
const MAX_WAIT_SECONDS = 20;
/** Ten requests side by side. */
const MAX_BATCH = 100;

/**
 * A queue in Amazon SQS. It has the resolution of SQS, whole seconds: delays, visibility and waits are rounded up.
 * @throws SendonceError OPTION_INVALID here; from any call DRIVER_MISSING, or QUEUE_UNAVAILABLE within `timeoutMs` (a receive: and `waitMs`).
 */
export function sqsQueue(options: SqsQueueOptions): Queue {
  checkAdapter('sqsQueue', options, SQS_RULES);
  const { client, queueUrl, timeoutMs = 10_000 } = options;
  const visibilityMs = seconds(options.visibilityMs ?? 30_000) * 1_000;
  const QueueUrl = queueUrl;
  const isFifo = queueUrl.endsWith('.fifo');
  const requests = sqsRequests(queueUrl, timeoutMs, unavailable);
  const { call } = requests;
  const held = new Held();

  /** Hides what is held for so long from now; what is not is stale. */
  async function hide(batch: readonly ReceivedWake[], ms: number): Promise<readonly ItemResult[]> {
    checkBatch(batch, MAX_BATCH);
    const { ChangeMessageVisibilityBatchCommand } = await library();
    const VisibilityTimeout = Math.min(seconds(ms), MAX_VISIBILITY_MS / 1_000);
    const mine = batch.filter(({ receipt }) => held.has(receipt));
    const results = await inRequests(mine, async (slice) => {
      const Entries = slice.map(({ receipt }, i) => ({ Id: String(i), ReceiptHandle: receipt, VisibilityTimeout }));
      const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries });
      return resultsIn(await call(0, (abortSignal) => client.send(command, { abortSignal })), slice.length);
    });
    const byReceipt = new Map(mine.map(({ receipt }, i) => [receipt, results[i] ?? STALE]));
    for (const [receipt, { ok }] of byReceipt) if (ok) held.hold(receipt, VisibilityTimeout * 1_000);
    return batch.map(({ receipt }) => byReceipt.get(receipt) ?? STALE);
  }

  async function receiveSome(most: number, waitMs: number, signal?: AbortSignal): Promise<readonly Message[]> {
    const { ReceiveMessageCommand } = await library();
    const WaitTimeSeconds = Math.min(seconds(waitMs), MAX_WAIT_SECONDS);
    const command = new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: Math.min(most, MAX_ENTRIES),
      WaitTimeSeconds,
      VisibilityTimeout: visibilityMs / 1_000,
      MessageSystemAttributeNames: ['ApproximateReceiveCount', 'SentTimestamp'],
    });
    const answer = await call(WaitTimeSeconds * 1_000, (abortSignal) => client.send(command, { abortSignal }), signal);
    return answer.Messages ?? [];
  }

  /** What is due of that. What is not ours stays, and comes again until the queue's redrive policy takes it away. */
  async function due(messages: readonly Message[]): Promise<readonly ReceivedWake[]> {
    const now = Date.now();
    const wakes: ReceivedWake[] = [];
    const early: Promise<unknown>[] = [];
    const strangers: string[] = [];
    for (const message of messages) {
      const body = wakeIn(message.Body ?? '');
      const receipt = message.ReceiptHandle;
      if (body === null || receipt === undefined) {
        strangers.push(message.Body ?? '');
        continue;
      }
      held.hold(receipt, visibilityMs);
      const wake = { id: body.id, receipt, ...countsOf(message, now) };
      const earlyMs = (body.notBefore ?? 0) - now;
      if (earlyMs > 0) early.push(hide([wake], Math.min(earlyMs, MAX_DELAY_MS)));
      else wakes.push(wake);
    }
    tell(options.onUnreadable, strangers, 'left in the queue, for its redrive policy');
    // Where it fails, the message comes again sooner.
    await Promise.allSettled(early);
    return wakes;
  }

  const isOver = (signal: AbortSignal | undefined): boolean => requests.isClosed || signal?.aborted === true;

  return {
    capabilities: { maxDelayMs: MAX_DELAY_MS, maxBatch: MAX_BATCH, visibilityMs, durable: true },
    async enqueue(batch, { delayMs = 0 } = {}) {
      checkBatch(batch, MAX_BATCH);
      const { SendMessageBatchCommand } = await library();
      const delay = Math.min(delayMs, MAX_DELAY_MS);
      // A FIFO queue delays no single message: the time goes with it, and whoever receives it too early hides it until then.
      const extra = isFifo && delay > 0 ? { notBefore: Date.now() + delay } : {};
      return inRequests(batch, async (slice) => {
        const Entries = slice.map(({ id }, i) => ({
          Id: String(i),
          MessageBody: bodyOf({ id, ...extra }),
          ...(isFifo ? alone() : { DelaySeconds: seconds(delay) }),
        }));
        const command = new SendMessageBatchCommand({ QueueUrl, Entries });
        return resultsIn(await call(0, (abortSignal) => client.send(command, { abortSignal })), slice.length);
      });
    },
    async receive({ max, waitMs, signal }) {
      if (isOver(signal)) return [];
      held.forgetOver();
      try {
        const first = await receiveSome(max, waitMs, signal);
        const leftOver = first.length < MAX_ENTRIES ? 0 : Math.min(max, MAX_BATCH) - MAX_ENTRIES;
        // There is more where a whole request came full; nobody waits for it.
        const more = await Promise.allSettled(
          Array.from({ length: Math.ceil(leftOver / MAX_ENTRIES) }, (_, i) =>
            receiveSome(leftOver - i * MAX_ENTRIES, 0),
          ),
        );
        return await due([...first, ...more.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))]);
      } catch (error) {
        if (isOver(signal)) return [];
        throw error;
      }
    },
    async ack(batch) {
      checkBatch(batch, MAX_BATCH);
      const { DeleteMessageBatchCommand } = await library();
      return inRequests(batch, async (slice) => {
        const Entries = slice.map(({ receipt }, i) => ({ Id: String(i), ReceiptHandle: receipt }));
        const command = new DeleteMessageBatchCommand({ QueueUrl, Entries });
        const results = resultsIn(await call(0, (abortSignal) => client.send(command, { abortSignal })), slice.length);
        for (const [i, { ok }] of results.entries()) if (ok) held.drop(slice[i]?.receipt ?? '');
        return results;
      });
    },
    release: (batch, { delayMs }) => hide(batch, Math.min(delayMs, MAX_DELAY_MS)),
    extend: (batch, { leaseMs }) => hide(batch, leaseMs),
    async depth() {
      const { GetQueueAttributesCommand } = await library();
      const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...COUNTS] });
      const { Attributes = {} } = await call(0, (abortSignal) => client.send(command, { abortSignal }));
      return COUNTS.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
    },
    async close() {
      requests.close();
    },
  };
}

const COUNTS = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

/** A group and a deduplication id of its own: no wake waits for another or is taken for its repeat. */
function alone(): { readonly MessageGroupId: string; readonly MessageDeduplicationId: string } {
  const id = randomUUID();
  return { MessageGroupId: id, MessageDeduplicationId: id };
}

function countsOf({ Attributes = {} }: Message, now: number): { readonly receives: number; readonly ageMs: number } {
  const { ApproximateReceiveCount = '1', SentTimestamp = String(now) } = Attributes;
  return { receives: Number(ApproximateReceiveCount), ageMs: Math.max(0, now - Number(SentTimestamp)) };
}
