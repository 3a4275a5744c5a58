import type { ItemResult, Queue, QueueCapabilities, ReceivedWake, Wake } from '@sendonce/core';
import type { Caller, Handler } from './loopback.ts';

/** What travels: the method's name, and its arguments. */
type Asked =
  | { readonly do: 'enqueue'; readonly batch: readonly Wake[]; readonly delayMs: number }
  | { readonly do: 'receive'; readonly max: number; readonly waitMs: number }
  | { readonly do: 'ack'; readonly batch: readonly ReceivedWake[] }
  | { readonly do: 'release'; readonly batch: readonly ReceivedWake[]; readonly delayMs: number }
  | { readonly do: 'extend'; readonly batch: readonly ReceivedWake[]; readonly leaseMs: number }
  | { readonly do: 'depth' };

/** Serves a queue to other processes. Who hangs up while waiting leaves what comes to others. */
export function queueServer(queue: Queue): Handler {
  return async (body, gone) => {
    const asked = body as Asked;
    switch (asked.do) {
      case 'enqueue':
        return ok(await queue.enqueue(asked.batch, asked));
      case 'receive': {
        const wakes = await queue.receive({ max: asked.max, waitMs: asked.waitMs, signal: gone });
        // A process that was killed while it waited would hide them until their visibility is over; a real queue cannot know either.
        return ok(wakes);
      }
      case 'ack':
        return ok(await queue.ack(asked.batch));
      case 'release':
        return ok(await queue.release(asked.batch, asked));
      case 'extend':
        return ok(await queue.extend(asked.batch, asked));
      case 'depth':
        return ok(await queue.depth());
    }
  };
}

function ok(body: unknown): { readonly status: number; readonly body: unknown } {
  return { status: 200, body };
}

export interface HttpQueueOptions {
  readonly caller: Caller;
  readonly capabilities: QueueCapabilities;
  /** How long a call may take beyond what it is asked to wait, ms of the host's clock. */
  readonly timeoutMs: number;
  /** How many times as fast as the host's the run's clock is. */
  readonly speed: number;
}

export function httpQueue({ caller, capabilities, timeoutMs, speed }: HttpQueueOptions): Queue {
  async function ask<Result>(asked: Asked, signal?: AbortSignal): Promise<Result> {
    const waitMs = asked.do === 'receive' ? asked.waitMs / speed : 0;
    const options = { timeoutMs: timeoutMs + waitMs, ...(signal && { signal }) };
    const answered = await caller.call('/queue', asked, options);
    if (answered.kind === 'answered' && answered.status === 200) return answered.body as Result;
    throw new Error(`queue: ${answered.kind === 'answered' ? `status ${answered.status}` : answered.reason}`);
  }
  type Results = readonly ItemResult[];
  return {
    capabilities,
    enqueue: (batch, { delayMs = 0 } = {}) => ask<Results>({ do: 'enqueue', batch, delayMs }),
    async receive({ max, waitMs, signal }) {
      const isOver = (): boolean => signal?.aborted === true;
      if (isOver()) return [];
      try {
        return await ask<readonly ReceivedWake[]>({ do: 'receive', max, waitMs }, signal);
      } catch (error) {
        if (isOver()) return [];
        throw error;
      }
    },
    ack: (batch) => ask<Results>({ do: 'ack', batch }),
    release: (batch, { delayMs }) => ask<Results>({ do: 'release', batch, delayMs }),
    extend: (batch, { leaseMs }) => ask<Results>({ do: 'extend', batch, leaseMs }),
    depth: () => ask<number>({ do: 'depth' }),
    close: () => Promise.resolve(),
  };
}
