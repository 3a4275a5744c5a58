import type { ItemResult, Queue, QueueCapabilities, ReceivedWake, Wake } from '@sendonce/core';
import { opHash, opIndex, type Op } from '../faults/ops.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Life } from '../kernel/process.ts';
import type { Site } from '../kernel/site.ts';
import type { Wire } from '../kernel/wire.ts';
import type { Emitter } from './emitter.ts';
import type { Knobs } from './knobs.ts';
import type { Receive, SimulatedQueue } from './queue.ts';

type Results = readonly ItemResult[];
type Wakes = readonly ReceivedWake[];

export interface QueueSites {
  readonly enqueue: Site<{ readonly batch: readonly Wake[]; readonly delayMs: number }, Results>;
  readonly receive: Site<Receive, Wakes>;
  readonly ack: Site<{ readonly batch: Wakes }, Results>;
  readonly release: Site<{ readonly batch: Wakes; readonly delayMs: number }, Results>;
  readonly extend: Site<{ readonly batch: Wakes; readonly leaseMs: number }, Results>;
  readonly depth: Site<null, number>;
}

export interface QueueSitesParts {
  readonly kernel: Kernel;
  readonly queue: SimulatedQueue;
  readonly knobs: Knobs;
  readonly emitter: Emitter;
}

/** The queue's side of the Queue port. */
export function queueSites({ kernel, queue, knobs, emitter }: QueueSitesParts): QueueSites {
  const span = [knobs.queueLeastMs, knobs.queueMostMs] as const;
  function site<Args, Result>(op: Op, awaited: boolean, apply: Site<Args, Result>['apply']): Site<Args, Result> {
    const index = opIndex(op);
    return {
      op,
      index,
      hash: opHash(index),
      peer: 'queue',
      requestMs: span,
      replyMs: span,
      awaited,
      apply,
      lost: () => ({ kind: 'error', error: new Error(`${op}: no answer`) }),
      timeoutMs: () => knobs.queueTimeoutMs,
      patienceMs: () => Infinity,
    };
  }
  const tell = (
    op: 'enqueue' | 'ack' | 'release' | 'extend',
    batch: readonly (Wake & { readonly receipt?: string })[],
    life: Life,
  ): void => {
    if (!emitter.isHeard) return;
    const { now: at } = kernel;
    const process = life.process.name;
    for (const { id, receipt = null } of batch) emitter.emit({ at, process, kind: 'queue', op, id, receipt });
  };
  queue.onReceive = ({ id, receipt }, life) => {
    if (!emitter.isHeard) return;
    emitter.emit({ at: kernel.now, process: life.process.name, kind: 'queue', op: 'receive', id, receipt });
  };
  return {
    enqueue: site('queue.enqueue', true, ({ batch, delayMs }, life) => {
      tell('enqueue', batch, life);
      return queue.enqueue(batch, delayMs);
    }),
    receive: site('queue.receive', false, (receive, life) => queue.receive(receive, life)),
    ack: site('queue.ack', true, ({ batch }, life) => {
      tell('ack', batch, life);
      return queue.ack(batch);
    }),
    release: site('queue.release', true, ({ batch, delayMs }, life) => {
      tell('release', batch, life);
      return queue.release(batch, delayMs);
    }),
    extend: site('queue.extend', true, ({ batch, leaseMs }, life) => {
      tell('extend', batch, life);
      return queue.extend(batch, leaseMs);
    }),
    depth: site('queue.depth', false, () => queue.depth),
  };
}

const MAX_DELAY_MS = 900_000;

/** The Queue port in the hands of one start of a process. */
export function queuePort(wire: Wire, life: Life, sites: QueueSites, queue: SimulatedQueue, knobs: Knobs): Queue {
  const capabilities: QueueCapabilities = {
    maxDelayMs: MAX_DELAY_MS,
    maxBatch: knobs.queueBatch,
    visibilityMs: knobs.visibilityMs,
    durable: true,
  };
  const cut = (delayMs: number): number => Math.min(delayMs, MAX_DELAY_MS);
  return {
    capabilities,
    enqueue: (batch, { delayMs = 0 } = {}) => wire.call(life, sites.enqueue, { batch, delayMs: cut(delayMs) }),
    receive({ max, waitMs, signal }) {
      if (signal?.aborted === true) return Promise.resolve([]);
      const receive: Receive = { max: Math.min(max, knobs.queueBatch), waitMs, cancelled: false };
      const call = wire.call(life, sites.receive, receive);
      return signal === undefined ? call : hangingUp(call, signal, () => queue.hangUp(receive));
    },
    ack: (batch) => wire.call(life, sites.ack, { batch }),
    release: (batch, { delayMs }) => wire.call(life, sites.release, { batch, delayMs: cut(delayMs) }),
    extend: (batch, { leaseMs }) => wire.call(life, sites.extend, { batch, leaseMs }),
    depth: () => wire.call(life, sites.depth, null),
    close: () => Promise.resolve(),
  };
}

/** The call's answer, or nothing as soon as the signal aborts. */
function hangingUp(call: Promise<Wakes>, signal: AbortSignal, hangUp: () => void): Promise<Wakes> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => {
      hangUp();
      resolve([]);
    };
    signal.addEventListener('abort', aborted, { once: true });
    call.then(
      (wakes) => {
        signal.removeEventListener('abort', aborted);
        resolve(wakes);
      },
      (error: unknown) => {
        signal.removeEventListener('abort', aborted);
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}
