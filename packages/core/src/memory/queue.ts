import { SendonceError } from '../model/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { ItemResult, Queue, QueueCapabilities, ReceivedWake, Wake } from '../ports/queue.ts';
import { timeHeap } from './time-heap.ts';

export interface MemoryQueueOptions {
  readonly clock: Clock;
  /** How long a received wake stays hidden. 1 or more, ms. @defaultValue 30_000 */
  readonly visibilityMs?: number;
  /** The longest delay kept; longer ones are cut to it. 0: none, ms. @defaultValue 900_000 */
  readonly maxDelayMs?: number;
  /** Items per call. @defaultValue 10_000 */
  readonly maxBatch?: number;
}

export interface MemoryQueue extends Queue {
  /** Forgets every message, as a flushed or replaced server would; answers how many. */
  wipe(): number;
}

interface Message {
  readonly id: string;
  readonly seq: number;
  readonly enqueuedAt: number;
  receives: number;
  /** Until then it is hidden (delayed or handed out); null while it waits in `ready`. */
  hiddenUntil: number | null;
}

const OK: ItemResult = { ok: true };
const STALE: ItemResult = { ok: false, error: 'the receipt is stale' };

/** A queue in this process: first in, first out; a wake that is not acked in time comes back. Not durable. */
export function memoryQueue(options: MemoryQueueOptions): MemoryQueue {
  const { clock, visibilityMs = 30_000, maxDelayMs = 900_000, maxBatch = 10_000 } = options;
  if (!(visibilityMs >= 1))
    throw new SendonceError('OPTION_INVALID', `visibilityMs must be 1 or more, got ${visibilityMs}`);
  const capabilities: QueueCapabilities = { maxDelayMs, maxBatch, visibilityMs, durable: false };

  const messages = new Map<number, Message>();
  const hidden = timeHeap<Message>();
  let ready: Message[] = [];
  let readyFrom = 0;
  let nextSeq = 0;
  let closed = false;
  let waiters: (() => void)[] = [];

  function show(message: Message): void {
    if (message.hiddenUntil !== null) hidden.giveUp(message.hiddenUntil);
    message.hiddenUntil = null;
    ready.push(message);
  }

  function hide(message: Message, delayMs: number): void {
    if (message.hiddenUntil !== null) hidden.giveUp(message.hiddenUntil);
    message.hiddenUntil = clock.now() + delayMs;
    hidden.push(message.hiddenUntil, message);
  }

  function wakeWaiters(): void {
    const woken = waiters;
    waiters = [];
    for (const wake of woken) wake();
  }

  /** Moves what became visible from `hidden` to `ready`; entries of messages that moved meanwhile are dropped here. */
  function reveal(): void {
    const now = clock.now();
    for (let due = hidden.popUntil(now); due !== undefined; due = hidden.popUntil(now))
      if (due.item.hiddenUntil === due.at && messages.get(due.item.seq) === due.item) show(due.item);
  }

  function take(max: number): ReceivedWake[] {
    reveal();
    const taken: ReceivedWake[] = [];
    const now = clock.now();
    while (taken.length < max && readyFrom < ready.length) {
      const message = ready[readyFrom++];
      if (message === undefined || messages.get(message.seq) !== message || message.hiddenUntil !== null) continue;
      message.receives += 1;
      hide(message, visibilityMs);
      taken.push({
        id: message.id,
        receipt: receiptOf(message),
        receives: message.receives,
        ageMs: now - message.enqueuedAt,
      });
    }
    if (readyFrom > 1_024 && readyFrom * 2 > ready.length) {
      ready = ready.slice(readyFrom);
      readyFrom = 0;
    }
    return taken;
  }

  /** The message that this receipt still holds, hidden by that very receive. */
  function held(wake: ReceivedWake): Message | undefined {
    const message = messages.get(seqOf(wake));
    if (message === undefined || message.hiddenUntil === null || message.hiddenUntil <= clock.now()) return undefined;
    return wake.receipt === receiptOf(message) ? message : undefined;
  }

  async function waitForSome(untilMs: number, signal: AbortSignal | undefined): Promise<void> {
    const nextVisible = hidden.peek()?.at ?? Infinity;
    const waitMs = Math.max(1, Math.min(untilMs, nextVisible) - clock.now());
    const woken = new AbortController();
    const wake = () => woken.abort();
    waiters.push(wake);
    signal?.addEventListener('abort', wake, { once: true });
    await clock.sleep(waitMs, woken.signal);
    signal?.removeEventListener('abort', wake);
    waiters = waiters.filter((other) => other !== wake);
  }

  function checkBatch(items: readonly unknown[]): void {
    if (items.length > maxBatch)
      throw new SendonceError('OPTION_INVALID', `a batch may carry ${maxBatch} wakes, got ${items.length}`);
  }

  const cut = (delayMs: number): number => Math.min(delayMs, maxDelayMs);

  return {
    capabilities,
    async enqueue(wakes: readonly Wake[], { delayMs = 0 } = {}) {
      checkBatch(wakes);
      const now = clock.now();
      for (const { id } of wakes) {
        const message: Message = { id, seq: nextSeq++, enqueuedAt: now, receives: 0, hiddenUntil: null };
        messages.set(message.seq, message);
        if (cut(delayMs) > 0) hide(message, cut(delayMs));
        else show(message);
      }
      wakeWaiters();
      return wakes.map(() => OK);
    },
    async receive({ max, waitMs, signal }) {
      const untilMs = clock.now() + waitMs;
      for (;;) {
        if (closed || signal?.aborted === true) return [];
        const taken = take(Math.min(max, maxBatch));
        if (taken.length > 0 || clock.now() >= untilMs) return taken;
        await waitForSome(untilMs, signal);
      }
    },
    async ack(batch) {
      checkBatch(batch);
      return batch.map((wake) => {
        if (!messages.has(seqOf(wake))) return OK;
        const message = held(wake);
        if (message === undefined) return STALE;
        if (message.hiddenUntil !== null) hidden.giveUp(message.hiddenUntil);
        messages.delete(message.seq);
        return OK;
      });
    },
    async release(batch, { delayMs }) {
      checkBatch(batch);
      const results = batch.map((wake) => {
        const message = held(wake);
        if (message === undefined) return STALE;
        if (cut(delayMs) > 0) hide(message, cut(delayMs));
        else show(message);
        return OK;
      });
      wakeWaiters();
      return results;
    },
    async extend(batch, { leaseMs }) {
      checkBatch(batch);
      return batch.map((wake) => {
        const message = held(wake);
        if (message === undefined) return STALE;
        hide(message, leaseMs);
        return OK;
      });
    },
    async depth() {
      return messages.size;
    },
    async close() {
      closed = true;
      wakeWaiters();
    },
    wipe() {
      const forgotten = messages.size;
      messages.clear();
      return forgotten;
    },
  };
}

function receiptOf(message: Message): string {
  return `${message.seq}.${message.receives}`;
}

function seqOf(wake: ReceivedWake): number {
  return Number(wake.receipt.slice(0, wake.receipt.indexOf('.')));
}
