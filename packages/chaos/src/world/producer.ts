import {
  createNotifier,
  type Clock,
  isSendonceError,
  notificationId,
  type NotifierConfig,
  type TargetInput,
} from '@sendonce/core';
import type { Publication, Workload } from '../workload.ts';
import type { Registry } from './registry.ts';

/** The notifier, to somebody who learns its types at run time. */
interface Publisher {
  publish(
    type: string,
    data: unknown,
    options: { readonly key: string; readonly recipients?: Iterable<TargetInput> },
  ): Promise<unknown>;
}

/** Up to this many recipients are published as a list, more as a stream. */
const LIST_MOST = 50;

const REPEATABLE: ReadonlySet<string> = new Set(['LEDGER_UNAVAILABLE', 'PUBLISH_INTERRUPTED']);

export interface ProducerParts {
  readonly config: NotifierConfig;
  readonly clock: Clock;
  readonly workload: Workload;
  readonly registry: Registry;
  readonly retryMs: number;
}

/** Publishes the whole workload, each part until it knows that it was accepted. After a restart it begins again: repeats are no-ops. */
export async function produce(parts: ProducerParts): Promise<void> {
  const { config, workload, registry } = parts;
  const notifier = createNotifier(config) as unknown as Publisher;
  for (let index = 0; index < workload.publications; index++) {
    const publication = workload.publication(index);
    registry.announce(notificationId('default', publication.type, publication.key), index);
    await publish(notifier, publication, parts);
  }
}

async function publish(
  notifier: Publisher,
  { type, data, key, recipients }: Publication,
  parts: ProducerParts,
): Promise<void> {
  for (;;) {
    try {
      await notifier.publish(type, data, {
        key,
        ...(recipients === null ? {} : { recipients: expected(recipients, parts) }),
      });
      return;
    } catch (error) {
      // Data, keys and conflicts do not get better by repeating; a store out of reach and a publish cut short do.
      if (isSendonceError(error) && !REPEATABLE.has(error.code)) throw error;
      await parts.clock.sleep(parts.retryMs);
    }
  }
}

function expected(
  recipients: () => Iterable<TargetInput>,
  { registry, workload }: ProducerParts,
): Iterable<TargetInput> {
  const stream = expecting(recipients(), registry);
  const count = workload.known?.numbers.length ?? Infinity;
  return count <= LIST_MOST ? [...stream] : stream;
}

/** From the moment at which the producer asks for them, messages to these recipients are no phantoms. */
function* expecting(recipients: Iterable<TargetInput>, registry: Registry): Generator<TargetInput> {
  for (const target of recipients) {
    if (typeof target['number'] === 'number') registry.expect(target['number'], target.to ?? '');
    yield target;
  }
}
