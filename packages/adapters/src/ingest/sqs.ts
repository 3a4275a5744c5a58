import type { Message, SQSClient } from '@aws-sdk/client-sqs';
import type { ItemResult } from '@sendonce/core';
import {
  checkMessages,
  outOfReach,
  storedReason,
  type RawMessage,
  type RawMessages,
  type Rejection,
} from '../internal/ingest/raw-messages.ts';
import type { Rule } from '@sendonce/core/internal';
import { checkAdapter } from '../internal/options.ts';
import { inRequests, MAX_ENTRIES, resultsIn } from '../internal/sqs/batches.ts';
import { sqsLibrary } from '../internal/sqs/library.ts';
import { MAX_VISIBILITY_MS, SQS_RULES } from '../internal/sqs/options.ts';
import { seconds, sqsRequests } from '../internal/sqs/requests.ts';

export interface SqsMessagesOptions {
  /** `new SQSClient(...)`. */
  readonly client: Pick<SQSClient, 'send'>;
  /** Where the messages of others come in: a standard or a FIFO queue. */
  readonly queueUrl: string;
  /** A standard queue for what cannot be published, with the reason as the message attribute `reason`. */
  readonly deadLetterUrl: string;
  /** How long a received message stays hidden, 1,000 to 43,200,000 ms, in whole seconds, rounded up: longer than a batch takes. @defaultValue 60_000 */
  readonly visibilityMs?: number;
  /** How long a request may take, with the client's own retries, 1 to 600,000 ms; a receive may wait for messages before that. @defaultValue 10_000 */
  readonly timeoutMs?: number;
}

const library = sqsLibrary(() => import('@aws-sdk/client-sqs'));

const MAX_BATCH = 100;
const MAX_WAIT_SECONDS = 20;
/** A message carries ten attributes at most: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html */
const MAX_ATTRIBUTES = 10;

/**
 * Messages of others in Amazon SQS: an SNS envelope, an EventBridge event, whatever was put there.
 * @throws SendonceError OPTION_INVALID here; from any call DRIVER_MISSING, or QUEUE_UNAVAILABLE within `timeoutMs` (a receive: and `waitMs`).
 */
export function sqsMessages(options: SqsMessagesOptions): RawMessages {
  checkAdapter('sqsMessages', options, RULES);
  const { client, queueUrl: QueueUrl, deadLetterUrl, timeoutMs = 10_000 } = options;
  const visibility = seconds(options.visibilityMs ?? 60_000);
  const requests = sqsRequests(QueueUrl, timeoutMs, outOfReach);
  const { name, call } = requests;

  async function receiveSome(most: number, waitMs: number, signal?: AbortSignal): Promise<readonly Message[]> {
    const { ReceiveMessageCommand } = await library();
    const WaitTimeSeconds = Math.min(seconds(waitMs), MAX_WAIT_SECONDS);
    const command = new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: Math.min(most, MAX_ENTRIES),
      WaitTimeSeconds,
      VisibilityTimeout: visibility,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['ApproximateReceiveCount'],
    });
    const { Messages = [] } = await call(
      WaitTimeSeconds * 1_000,
      (abortSignal) => client.send(command, { abortSignal }),
      signal,
    );
    return Messages;
  }

  async function remove(batch: readonly RawMessage[]): Promise<readonly ItemResult[]> {
    const { DeleteMessageBatchCommand } = await library();
    return inRequests(batch, async (slice) => {
      const Entries = slice.map(({ receipt }, i) => ({ Id: String(i), ReceiptHandle: receipt }));
      const command = new DeleteMessageBatchCommand({ QueueUrl, Entries });
      return resultsIn(await call(0, (abortSignal) => client.send(command, { abortSignal })), slice.length);
    });
  }

  async function setAside({ message, reason }: Rejection): Promise<ItemResult> {
    const { SendMessageCommand } = await library();
    const command = new SendMessageCommand({
      QueueUrl: deadLetterUrl,
      MessageBody: message.body,
      MessageAttributes: attributesOf(message, reason),
    });
    try {
      await call(0, (abortSignal) => client.send(command, { abortSignal }));
      return { ok: true };
    } catch (error) {
      return { ok: false, error: (error as Error).message };
    }
  }

  return {
    name,
    deadLetters: `the SQS queue '${lastPart(deadLetterUrl)}'`,
    maxBatch: MAX_BATCH,
    async receive({ max, waitMs, signal }) {
      if (signal?.aborted === true) return [];
      try {
        const first = await receiveSome(max, waitMs, signal);
        const leftOver = first.length < MAX_ENTRIES ? 0 : Math.min(max, MAX_BATCH) - MAX_ENTRIES;
        // There is more where a whole request came full; nobody waits for it.
        const more = await Promise.allSettled(
          Array.from({ length: Math.ceil(leftOver / MAX_ENTRIES) }, (_, i) =>
            receiveSome(leftOver - i * MAX_ENTRIES, 0),
          ),
        );
        return [...first, ...more.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))].flatMap(rawOf);
      } catch (error) {
        if (wasAborted(signal)) return [];
        throw error;
      }
    },
    async ack(batch) {
      checkMessages(batch, MAX_BATCH);
      return remove(batch);
    },
    async release(batch, { delayMs }) {
      checkMessages(batch, MAX_BATCH);
      const { ChangeMessageVisibilityBatchCommand } = await library();
      const VisibilityTimeout = Math.min(seconds(delayMs), MAX_VISIBILITY_MS / 1_000);
      return inRequests(batch, async (slice) => {
        const Entries = slice.map(({ receipt }, i) => ({ Id: String(i), ReceiptHandle: receipt, VisibilityTimeout }));
        const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries });
        return resultsIn(await call(0, (abortSignal) => client.send(command, { abortSignal })), slice.length);
      });
    },
    async reject(batch) {
      checkMessages(batch, MAX_BATCH);
      // One by one: a request may carry no more than one of them may be long.
      const stored = await Promise.all(batch.map(setAside));
      const safe = batch.filter((_, i) => stored[i]?.ok === true).map(({ message }) => message);
      const removed = safe.length === 0 ? [] : await remove(safe);
      const results = new Map(safe.map((message, i) => [message, removed[i]!]));
      return batch.map(({ message }, i) => results.get(message) ?? stored[i]!);
    },
    async close() {
      requests.close();
    },
  };
}

const { client: CLIENT_RULE, queueUrl: URL_RULE, visibilityMs: VISIBILITY_RULE, timeoutMs: TIMEOUT_RULE } = SQS_RULES;
const RULES = {
  client: CLIENT_RULE,
  queueUrl: URL_RULE,
  deadLetterUrl: URL_RULE,
  visibilityMs: VISIBILITY_RULE,
  timeoutMs: TIMEOUT_RULE,
} as Record<keyof SqsMessagesOptions, Rule>;

function rawOf({ MessageId, ReceiptHandle, Body, MessageAttributes = {}, Attributes = {} }: Message): RawMessage[] {
  if (MessageId === undefined || ReceiptHandle === undefined) return [];
  const attributes = Object.entries(MessageAttributes).flatMap(([name, { StringValue }]) =>
    StringValue === undefined ? [] : [[name, StringValue] as const],
  );
  return [
    {
      id: MessageId,
      receipt: ReceiptHandle,
      body: Body ?? '',
      attributes: Object.fromEntries(attributes),
      receives: Number(Attributes.ApproximateReceiveCount ?? '1'),
    },
  ];
}

/** Why, and which message it was; then its own attributes, as many as there is room for. */
function attributesOf(
  { id, attributes }: RawMessage,
  reason: string,
): Record<string, { DataType: string; StringValue: string }> {
  const own = Object.entries(attributes).filter(([name]) => name !== 'reason' && name !== 'messageId');
  const all = [['reason', storedReason(reason)], ['messageId', id], ...own].slice(0, MAX_ATTRIBUTES) as [
    string,
    string,
  ][];
  return Object.fromEntries(
    all.map(([name, StringValue]) => [name, { DataType: 'String', StringValue: StringValue || ' ' }]),
  );
}

/** While it was asked. */
function wasAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function lastPart(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}
