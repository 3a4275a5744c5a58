import type { Notifier, Queue, ReceivedWake, WorkerOptions } from '@sendonce/core';
import { numberRule, type Rule, type Rules } from '@sendonce/core/internal';
import { checkAdapter, OBJECT_RULE } from '../internal/options.ts';
import { OK, tell } from '../internal/queue/answers.ts';
import { wakeIn } from '../internal/queue/body.ts';
import { Ring } from '../internal/queue/ring.ts';
import { Invocation } from '../internal/sqs/invocation.ts';
import { sqsQueue, type SqsQueueOptions } from './sqs.ts';

/** What AWS Lambda hands to a function with an SQS trigger, as far as it is used. */
export interface SqsLambdaEvent {
  /** Absent where a schedule invokes the function. */
  readonly Records?: readonly {
    readonly messageId: string;
    readonly receiptHandle: string;
    readonly body: string;
    readonly attributes: { readonly ApproximateReceiveCount?: string; readonly SentTimestamp?: string };
  }[];
}
export interface SqsLambdaContext {
  getRemainingTimeInMillis(): number;
}
/** Needs `ReportBatchItemFailures` in the trigger's settings. */
export interface SqsLambdaResponse {
  readonly batchItemFailures: { readonly itemIdentifier: string }[];
}

export interface SqsLambdaHandlerOptions {
  readonly worker?: WorkerOptions;
  /** Kept back of the function's time for what was marked to finish, 1 to 600,000 ms; the worker's `graceMs` is this. @defaultValue 5_000 */
  readonly reserveMs?: number;
  /** How long an invocation without records works on what the ledger tells of, 0 to 600,000 ms. @defaultValue 5_000 */
  readonly sweepForMs?: number;
}

export interface SqsLambda {
  /** For the notifier's config: enqueues into SQS, and receives what the function was invoked with. */
  readonly queue: Queue;
  /** A handler that works on the wakes of its invocation, and reports those that have to come again. */
  handler(
    notifier: Pick<Notifier<never>, 'worker'>,
    options?: SqsLambdaHandlerOptions,
  ): (event: SqsLambdaEvent, context: SqsLambdaContext) => Promise<SqsLambdaResponse>;
}

/**
 * Workers as an AWS Lambda function with an SQS trigger. Each invocation runs a worker of its own until every wake is judged, which also
 * sweeps and reconciles meanwhile. Nothing of it runs between invocations, so a schedule that invokes the function with no records,
 * once a minute, is its sweeper.
 * @throws SendonceError OPTION_INVALID
 */
export function sqsLambda(options: SqsQueueOptions): SqsLambda {
  const sqs = sqsQueue(options);
  // One invocation at a time: Lambda sends the next one to a function that is free.
  let current = new Invocation([]);
  // Never rings: no more comes in the middle of an invocation.
  const nothing = new Ring();

  const queue: Queue = {
    ...sqs,
    async receive({ max, waitMs, signal }) {
      const taken = current.take(max);
      if (taken.length === 0) await nothing.wait(nothing.count, waitMs, signal);
      return taken;
    },
    async ack(batch) {
      for (const wake of batch) current.done(wake);
      return batch.map(() => OK);
    },
    // What failed comes again when the visibility of the trigger's queue is over.
    async release(batch) {
      for (const wake of batch) current.again(wake);
      return batch.map(() => OK);
    },
    extend: async (batch) => batch.map(() => OK),
  };

  return {
    queue,
    handler(notifier, handlerOptions = {}) {
      checkAdapter('sqsLambda: handler', handlerOptions, RULES);
      const { reserveMs = 5_000, sweepForMs = 5_000 } = handlerOptions;
      return async ({ Records = [] }, context) => {
        const wakes: ReceivedWake[] = [];
        const strangers = new Set<string>();
        for (const record of Records) {
          const wake = wakeOf(record);
          if (wake === null) strangers.add(record.receiptHandle);
          else wakes.push(wake);
        }
        const bodies = Records.filter(({ receiptHandle }) => strangers.has(receiptHandle)).map(({ body }) => body);
        tell(options.onUnreadable, bodies, 'left in the queue, for its redrive policy');
        const invocation = (current = new Invocation(wakes));
        const stop = new AbortController();
        const worker = notifier.worker({ graceMs: reserveMs, ...handlerOptions.worker });
        const running = worker.run({ signal: stop.signal });
        try {
          const leftMs = context.getRemainingTimeInMillis() - 2 * reserveMs;
          const over =
            Records.length === 0
              ? nothing.wait(nothing.count, Math.min(leftMs, sweepForMs))
              : invocation.judged(leftMs);
          await Promise.race([running, over]);
        } finally {
          stop.abort();
          await running;
        }
        const { unfinished } = invocation;
        const failed = Records.filter(
          ({ receiptHandle }) => unfinished.has(receiptHandle) || strangers.has(receiptHandle),
        );
        return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
      };
    },
  };
}

function wakeOf({
  body,
  receiptHandle,
  attributes,
}: NonNullable<SqsLambdaEvent['Records']>[number]): ReceivedWake | null {
  const wake = wakeIn(body);
  if (wake === null) return null;
  const now = Date.now();
  const { ApproximateReceiveCount = '1', SentTimestamp = String(now) } = attributes;
  const ageMs = Math.max(0, now - Number(SentTimestamp));
  return { id: wake.id, receipt: receiptHandle, receives: Number(ApproximateReceiveCount), ageMs };
}

const RULES: Rules = {
  worker: OBJECT_RULE,
  reserveMs: numberRule({ least: 1, most: 600_000 }, ' ms'),
  sweepForMs: numberRule({ least: 0, most: 600_000 }, ' ms'),
} satisfies Record<keyof SqsLambdaHandlerOptions, Rule>;
