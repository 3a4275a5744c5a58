import type { ItemResult, PublishItem } from '@sendonce/core';
import { groupBy, isFields, shown } from '@sendonce/core/internal';
import type { RawMessage, RawMessages, Rejection } from './raw-messages.ts';
import { publishEach, type Published, type PublisherLike } from '../publish-each.ts';
import { reasonIn, retryDelayMs } from '../retrying.ts';

/** What became of one batch. */
export interface Handled {
  readonly accepted: number;
  readonly repeated: number;
  /** Asked for no notification. */
  readonly ignored: number;
  readonly rejected: readonly Rejection[];
  readonly delayed: readonly (Rejection & { readonly delayMs: number })[];
}

/** How this file sees the options of `ingest`. */
export interface Handling {
  readonly messages: RawMessages;
  readonly map: (message: RawMessage) => unknown;
  readonly notifier: PublisherLike;
}

type Verdict =
  | { readonly kind: 'accepted' | 'repeated' | 'ignored' }
  | { readonly kind: 'rejected' | 'delayed'; readonly reason: string };

interface Asked {
  readonly message: RawMessage;
  readonly type: string;
  readonly item: PublishItem;
}

/** Maps, publishes, and only then tells the queue what became of each message. */
export async function handleBatch(
  received: readonly RawMessage[],
  { messages, map, notifier }: Handling,
  retry: { readonly firstMs: number; readonly mostMs: number },
): Promise<Handled> {
  const verdicts = new Map<RawMessage, Verdict>();
  const asked: Asked[] = [];
  const mapped = await Promise.allSettled(received.map(async (message) => mappedOf(await map(message))));
  for (const [i, message] of received.entries()) {
    const result = mapped[i]!;
    if (result.status === 'rejected')
      verdicts.set(message, { kind: 'rejected', reason: `it cannot be mapped: ${reasonIn(result.reason)}` });
    else if ('kind' in result.value) verdicts.set(message, result.value);
    else asked.push({ message, ...result.value });
  }
  const published = await publishEach(notifier, asked);
  for (const [i, { message }] of asked.entries()) verdicts.set(message, verdictOf(published[i]!));

  const of = (...kinds: readonly Verdict['kind'][]): RawMessage[] =>
    received.filter((message) => kinds.includes(verdicts.get(message)!.kind));
  const because = (message: RawMessage): Rejection => ({ message, reason: reasonOf(verdicts.get(message)!) });
  const rejected = of('rejected').map(because);
  const delayed = of('delayed').map((message) => ({
    ...because(message),
    delayMs: retryDelayMs(message.receives, retry),
  }));
  const tellings = await Promise.allSettled([
    toldOf(of('accepted', 'repeated', 'ignored'), (batch) => messages.ack(batch)),
    toldOf(rejected, (batch) => messages.reject(batch)),
    ...[...groupBy(delayed, ({ delayMs }) => String(delayMs)).values()].map((group) =>
      messages.release(
        group.map(({ message }) => message),
        { delayMs: group[0]!.delayMs },
      ),
    ),
  ]);
  const failed = tellings.find((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  const [, setAside] = tellings.map((each) => (each.status === 'fulfilled' ? each.value : []));
  return {
    accepted: of('accepted').length,
    repeated: of('repeated').length,
    ignored: of('ignored').length,
    // One that could not be stored there is still in its queue, and comes again.
    rejected: rejected.filter((_, i) => setAside?.[i]?.ok === true),
    delayed,
  };
}

/** What the queue did not hear of comes again: it is the same notification by its key, or is set aside once more. */
async function toldOf<Item>(
  batch: readonly Item[],
  tell: (batch: readonly Item[]) => Promise<readonly ItemResult[]>,
): Promise<readonly ItemResult[]> {
  return batch.length === 0 ? [] : tell(batch);
}

/** @throws TypeError for what is none of the three that a mapping may answer */
function mappedOf(answer: unknown): Verdict | Omit<Asked, 'message'> {
  if (answer === null) return { kind: 'ignored' };
  if (!isFields(answer))
    throw new TypeError(`map must answer { type, key, data }, { later } or null, got ${shown(answer)}`);
  if (typeof answer['later'] === 'string') return { kind: 'delayed', reason: answer['later'] };
  const { type, ...item } = answer;
  if (typeof type !== 'string') throw new TypeError(`map answered an event without a type: ${shown(answer)}`);
  return { type, item: item as unknown as PublishItem };
}

function verdictOf(result: Published): Verdict {
  if (result.kind !== 'failed') return { kind: result.kind };
  return { kind: result.isForGood ? 'rejected' : 'delayed', reason: result.reason };
}

function reasonOf(verdict: Verdict): string {
  return 'reason' in verdict ? verdict.reason : '';
}
