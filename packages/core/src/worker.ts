import type { Alerting } from './alerts.ts';
import type { DeadLetterRetry, WorkerOptions } from './config.ts';
import { reasonOf, SendonceError } from './model/errors.ts';
import { checkKeyWindows, resolveWorker } from './settings.ts';
import type { Context } from './stages/context.ts';
import { Backlog } from './worker/backlog.ts';
import { BoundedPorts } from './worker/bounded-ports.ts';
import { checkedLedger } from './worker/checked-ledger.ts';
import { checkedQueue } from './worker/checked-queue.ts';
import { Decider } from './worker/decider.ts';
import { Dispatcher } from './worker/dispatcher.ts';
import { Health } from './worker/health.ts';
import { pollLedger, receiveWakes, type IntakeParts } from './worker/intake.ts';
import { hearLedger } from './worker/ledger-wakes.ts';
import { Leases } from './worker/leases.ts';
import { Nap } from './worker/nap.ts';
import { Reports } from './worker/reports.ts';
import { Settler } from './worker/settler.ts';
import { upkeep } from './worker/upkeep.ts';
import { Wakes } from './worker/wakes.ts';

/** A process's share of the work: both stages, the sweeper and the reconciler. */
export interface Worker {
  /**
   * Works until the signal aborts, then drains: takes nothing new, gives unmarked leases back at once, lets marked sends finish within
   * `graceMs`. What is left stays `dispatching` and becomes `unknown`. With a signal that has aborted already it does nothing; a signal
   * that aborts twice is one that aborts.
   * @throws SendonceError WORKER_USED on a second call, whatever became of the first: a worker runs once. OPTION_INVALID without a signal.
   */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
  /**
   * For a health endpoint: false while the ledger or the queue is out of reach or breaks its contract, when due work made no progress (of a worker that delivers),
   * for a minute after a fault of the code, and for good when a loop has died (then `run` rejects too).
   */
  healthy(): boolean;
}

export interface WorkerExtras {
  readonly deadLetterRetry: DeadLetterRetry | null;
  readonly alerting: Alerting;
}

export function makeWorker(base: Context, options: WorkerOptions, extras: WorkerExtras): Worker {
  const settings = { ...base.settings, worker: resolveWorker({ ...base.settings.worker, ...options }) };
  if (settings.worker.stages.length < 2 && base.queue !== null && base.queue === base.eventsQueue)
    throw new SendonceError(
      'CONFIG_INVALID',
      'a worker of one stage needs queues apart: set eventsQueue beside queue, or let the worker do both stages',
    );
  checkKeyWindows(settings.channels, settings.worker);
  // Unique per process start (rule 3), whatever name it goes by.
  const owner = `${settings.worker.name === '' ? 'worker' : settings.worker.name}:${base.random.id()}`;
  const health = new Health(base, owner);
  const over = new AbortController();
  const { leaseMs, dispatchMs, waitMs } = settings.worker;
  const bounded = new BoundedPorts({
    clock: base.clock,
    limitMs: Math.max(leaseMs, dispatchMs),
    waitMs,
    signal: over.signal,
  });
  const ledger = checkedLedger(bounded.ledger(base.ledger));
  const queue = base.queue === null ? null : checkedQueue(bounded.queue(base.queue), health);
  // One queue stays one: whether both stages share it is asked by comparing.
  const isShared = base.eventsQueue === base.queue;
  const eventsQueue =
    isShared || base.eventsQueue === null ? queue : checkedQueue(bounded.queue(base.eventsQueue), health);
  const context: Context = { ...base, settings, ledger, queue, eventsQueue };
  let isUsed = false;
  return {
    async run(options) {
      const signal = signalOf(options);
      if (isUsed)
        throw new SendonceError(
          'WORKER_USED',
          `worker '${owner}' was run before, and a worker runs once: make another with notifier.worker()`,
        );
      isUsed = true;
      try {
        await run(context, { owner, health, ...extras }, signal);
      } finally {
        over.abort('over');
      }
    },
    // Where it sends nothing, what is due is the business of others, and starting it again would help nobody.
    healthy: () => !health.degraded && !(health.saidNoProgress && settings.worker.stages.includes('deliver')),
  };
}

function signalOf(options: { readonly signal: AbortSignal } | undefined): AbortSignal {
  const given: unknown = options?.signal;
  if (given instanceof AbortSignal) return given;
  throw new SendonceError(
    'OPTION_INVALID',
    `run needs { signal }, an AbortSignal whose abort stops the worker, got ${reasonOf(given)}`,
  );
}

interface Identity extends WorkerExtras {
  readonly owner: string;
  readonly health: Health;
}

async function run(
  context: Context,
  { owner, health, deadLetterRetry, alerting }: Identity,
  outer: AbortSignal,
): Promise<void> {
  const { stages, leaseMs } = context.settings.worker;
  const leases = new Leases(context);
  const nap = new Nap(context.clock);
  const wakes = new Wakes(context.queue);
  const eventWakes = context.eventsQueue === context.queue ? wakes : new Wakes(context.eventsQueue);
  const dispatcher = new Dispatcher(context, owner, { health, leases, wakes });
  const reports = context.destinations === null ? null : new Reports(context, context.destinations);
  const settler = new Settler(context, health, {
    durable: (count) => dispatcher.durable(count),
    ack: (batch) => wakes.ack(batch),
    later: (batch) => wakes.later(batch, leaseMs),
    reports,
  });
  dispatcher.settleWith(settler);
  const decides = stages.includes('decide');
  const delivers = stages.includes('deliver');
  const backlog = new Backlog({ pageSize: context.settings.worker.chunk, isBounded: delivers });
  const added = (): void => nap.wake();
  const decider = decides ? new Decider(context, owner, { health, leases, wakes: eventWakes, backlog, added }) : null;
  const parts: IntakeParts = { dispatcher, decider, health, backlog, nap };

  // Its own signal: the caller's may serve many workers, and each loop listens to it again and again.
  const stop = new AbortController();
  const { signal } = stop;
  const drained = new AbortController();
  // Counted from the signal, whatever still hangs: a port that does not answer must not keep a process from ending.
  const outOfTime = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true })).then(() =>
    context.clock.sleep(context.settings.worker.graceMs, drained.signal),
  );
  const stopAll = (): void => {
    stop.abort('stopping');
    nap.wake();
    decider?.wake();
    dispatcher.stop();
  };
  if (outer.aborted) stopAll();
  outer.addEventListener('abort', stopAll, { once: true });
  let fault: { readonly thrown: unknown } | null = null;
  const loops = [
    renewing(context, leases, health, signal),
    upkeep(
      context,
      { dispatcher: delivers ? dispatcher : null, health, backlog, worker: owner, deadLetterRetry, alerting, reports },
      signal,
    ),
    ...(decider === null ? [] : [decider.run(signal)]),
    ...intakes(context, parts, delivers, signal),
  ];
  const alive = loops.map((loop) =>
    // Each loop meets what its ports throw. One that dies all the same must not leave half a worker that looks like a whole one.
    loop.catch((thrown: unknown) => {
      fault ??= { thrown };
      health.died(thrown);
      stopAll();
    }),
  );
  const finished = Promise.all(alive).then(() => drain(dispatcher, [wakes, eventWakes], { alerting, reports }));
  await Promise.race([finished, outOfTime]);
  drained.abort('drained');
  outer.removeEventListener('abort', stopAll);
  // `fault` is assigned in a callback, which the compiler does not follow.
  const died = fault as { readonly thrown: unknown } | null;
  if (died !== null) throw died.thrown;
}

function intakes(
  context: Context,
  parts: IntakeParts,
  delivers: boolean,
  signal: AbortSignal,
): readonly Promise<void>[] {
  const { queue, eventsQueue } = context;
  const loops: Promise<void>[] = [];
  if (delivers)
    loops.push(queue === null ? pollLedger(context, parts, signal) : receiveWakes(context, queue, parts, signal));
  if (parts.decider !== null && eventsQueue !== null && (eventsQueue !== queue || !delivers))
    loops.push(receiveWakes(context, eventsQueue, parts, signal));
  const polls = (delivers && queue === null) || (parts.decider !== null && eventsQueue === null);
  if (polls) loops.push(hearLedger(context, parts, signal));
  return loops;
}

async function renewing(context: Context, leases: Leases, health: Health, signal: AbortSignal): Promise<void> {
  const everyMs = Math.max(1, Math.floor(context.settings.worker.leaseMs / 3));
  while (!signal.aborted) {
    await context.clock.sleep(everyMs, signal);
    if (signal.aborted) return;
    try {
      await leases.renew();
    } catch (thrown) {
      // Unmarked work is refused by the mark once its lease is over; nothing is sent on an old lease.
      // Tried again when the next renewal is due.
      health.noted('ledger', thrown);
    }
  }
}

/** Marked sends finish, and what they came to is written. */
async function drain(
  dispatcher: Dispatcher,
  wakes: readonly Wakes[],
  { alerting, reports }: { readonly alerting: Alerting; readonly reports: Reports | null },
): Promise<void> {
  await dispatcher.settled();
  await reports?.settled();
  await alerting.settled();
  await Promise.all(wakes.map((each) => each.settled()));
}
