import { reasonOf, SendonceError } from '../model/errors.ts';
import type { Queue, QueueCapabilities, ReceivedWake } from '../ports/queue.ts';
import { broken, isFields, isNumber, isText } from './answers.ts';
import type { Health } from './health.ts';

/**
 * The queue as a worker uses it. Nothing rests on a queue, so what fails there is not always heard where it is called: it is heard
 * here. Wakes that cannot be used are left to their visibility; they must not keep the others from being received.
 * @throws SendonceError CONFIG_INVALID for capabilities that no loop can work with.
 */
export function checkedQueue(queue: Queue, health: Health): Queue {
  const { capabilities } = queue;
  checkCapabilities(capabilities);
  const hinting = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      const answer = await call();
      health.worked('wakes');
      return answer;
    } catch (thrown) {
      health.noted('wakes', thrown);
      throw thrown;
    }
  };
  return {
    capabilities,
    enqueue: (wakes, options) => hinting(async () => queue.enqueue(wakes, options)),
    async receive(options) {
      const answer: unknown = await queue.receive(options);
      if (!Array.isArray(answer)) broken('queue.receive', 'wakes in a list', reasonOf(answer));
      const usable = answer.filter(isWake);
      if (usable.length < answer.length) health.noted('wakes', unusable(answer.find((each) => !isWake(each))));
      return usable;
    },
    ack: (batch) => hinting(async () => queue.ack(batch)),
    release: (batch, options) => hinting(async () => queue.release(batch, options)),
    extend: (batch, options) => hinting(async () => queue.extend(batch, options)),
    depth: () => queue.depth(),
    close: () => queue.close(),
  };
}

function isWake(wake: unknown): wake is ReceivedWake {
  return isFields(wake) && isText(wake['id']) && isNumber(wake['ageMs']);
}

function unusable(wake: unknown): SendonceError {
  const came = reasonOf(wake);
  return new SendonceError(
    'LAW_BROKEN',
    `queue.receive: a wake needs an id and its ageMs, got ${came}; it was left alone`,
  );
}

function checkCapabilities({ maxBatch, maxDelayMs }: QueueCapabilities): void {
  if (!Number.isSafeInteger(maxBatch) || maxBatch < 1)
    throw new SendonceError(
      'CONFIG_INVALID',
      `the queue's capabilities.maxBatch must be a whole number from 1, got ${reasonOf(maxBatch)}`,
    );
  if (!(typeof maxDelayMs === 'number' && maxDelayMs >= 0))
    throw new SendonceError(
      'CONFIG_INVALID',
      `the queue's capabilities.maxDelayMs must be 0 ms or more, got ${reasonOf(maxDelayMs)}`,
    );
}
