import type { ItemResult } from '@sendonce/core';
import { OK } from '../queue/answers.ts';

/** Entries of one request: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html */
export const MAX_ENTRIES = 10;

/** What a batch request answers: which entries were done and which were not. */
export interface BatchAnswer {
  readonly Successful?: readonly { readonly Id?: string | undefined }[] | undefined;
  readonly Failed?:
    | readonly {
        readonly Id?: string | undefined;
        readonly Code?: string | undefined;
        readonly Message?: string | undefined;
      }[]
    | undefined;
}

/** One result per entry, whose Id is its place in the request. What the answer does not mention has failed. */
export function resultsIn({ Successful = [], Failed = [] }: BatchAnswer, entries: number): readonly ItemResult[] {
  const results = Array.from({ length: entries }, (): ItemResult => NOT_MENTIONED);
  for (const { Id } of Successful) if (isPlace(Id, entries)) results[Number(Id)] = OK;
  for (const { Id, Code = 'failed', Message = '' } of Failed)
    if (isPlace(Id, entries)) results[Number(Id)] = { ok: false, error: Message === '' ? Code : `${Code}: ${Message}` };
  return results;
}

/**
 * As many requests side by side as the batch needs. One that fails fails its own entries.
 * @throws what the first request threw, when every one did
 */
export async function inRequests<T>(
  items: readonly T[],
  request: (slice: readonly T[]) => Promise<readonly ItemResult[]>,
): Promise<readonly ItemResult[]> {
  const slices = slicesOf(items);
  const answers = await Promise.allSettled(slices.map(async (slice) => request(slice)));
  const [first] = answers;
  if (first?.status === 'rejected' && answers.every(({ status }) => status === 'rejected')) throw first.reason;
  return answers.flatMap((answer, i) =>
    answer.status === 'fulfilled'
      ? answer.value
      : (slices[i] ?? []).map((): ItemResult => ({ ok: false, error: String(answer.reason) })),
  );
}

function slicesOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  const slices: (readonly T[])[] = [];
  for (let at = 0; at < items.length; at += MAX_ENTRIES) slices.push(items.slice(at, at + MAX_ENTRIES));
  return slices;
}

const NOT_MENTIONED: ItemResult = { ok: false, error: 'the answer does not mention it' };

function isPlace(id: string | undefined, entries: number): boolean {
  return id !== undefined && /^\d+$/.test(id) && Number(id) < entries;
}
