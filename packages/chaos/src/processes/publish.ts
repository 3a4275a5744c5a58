import { createNotifier, isSendonceError, type NotifierConfig, type TargetInput } from '@sendonce/core';
import type { Publication } from '../workload.ts';
import { pause } from './pause.ts';

/** Between two tries, ms. */
const AGAIN_MS = 50;

/** The notifier, to somebody who learns its types at run time. */
interface Publisher {
  publish(
    type: string,
    data: unknown,
    options: { readonly key: string; readonly recipients: Iterable<TargetInput> },
  ): Promise<unknown>;
}

/** What says nothing about the notification: published again, it is accepted once. */
const REPEATABLE: ReadonlySet<string> = new Set(['LEDGER_UNAVAILABLE', 'LEDGER_LOCKED', 'PUBLISH_INTERRUPTED']);

/** Publishes until it knows that it was accepted, or nobody wants to wait any more. */
export async function publish(
  config: NotifierConfig,
  { publication, signal }: { readonly publication: Publication; readonly signal: AbortSignal },
): Promise<void> {
  const notifier = createNotifier(config) as unknown as Publisher;
  const { type, data, key, recipients } = publication;
  while (!signal.aborted) {
    try {
      await notifier.publish(type, data, { key, recipients: recipients?.() ?? [] });
      return;
    } catch (error) {
      if (!isSendonceError(error) || !REPEATABLE.has(error.code)) throw error;
      await pause(AGAIN_MS, signal);
    }
  }
}
