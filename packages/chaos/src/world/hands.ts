import type { Hands, Limits } from '../faults/kind.ts';
import { BLINK_MS, holdMs, STOP_PATIENCE_MS } from '../faults/lengths.ts';
import { draw, hashText } from '../kernel/draw.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Peer, Process } from '../kernel/process.ts';
import type { Crew } from './crew.ts';
import type { Emitter } from './emitter.ts';
import type { Knobs } from './knobs.ts';
import type { Operator } from './operator.ts';
import type { SimulatedQueue } from './queue.ts';
import type { Store } from './store.ts';

export interface HandsParts {
  readonly kernel: Kernel;
  readonly knobs: Knobs;
  readonly emitter: Emitter;
  readonly crew: Crew;
  readonly store: Store;
  readonly queue: SimulatedQueue | null;
  readonly operator: Operator;
  readonly later: (ms: number, action: () => void) => void;
  /** As `later`, for what the run waits for. */
  readonly follows: (ms: number, action: () => void) => void;
  readonly publishTwice: () => void;
  readonly limits: Limits;
}

/** What faults can do to the world. */
export function makeHands(parts: HandsParts): Hands {
  const { kernel, knobs, emitter, crew, store, queue, operator, later, follows, publishTwice, limits } = parts;
  return {
    knobs,
    queue,
    later,
    follows,
    publishTwice,
    holdMs: holdMs(limits),
    kill: (process, why, backAfterMs) => crew.kill(process, why, backAfterMs),
    pause: (process, ms) => crew.pause(process, ms),
    stop: (process, ms) => crew.stop(process, ms),
    deploy: (everyMs) =>
      crew.workers.forEach(({ process }, at) =>
        later(at * everyMs, () => crew.stop(process, knobs.graceMs + STOP_PATIENCE_MS)),
      ),
    restartWith: (process, variant, ms) => restartWith(parts, process, variant, ms),
    cutOff: (process, peer, ways, ms) => cutOff(parts, process, { peer, ways, ms }),
    ledgerDown: (ms) => store.down(ms),
    loseMemory: (lastMs, evict) => emitter.tell('ledger', { kind: 'epoch', ...store.loseMemory(lastMs, evict) }),
    wipeQueue: () => wipe(queue, emitter),
    skew: (process, ms) => void (process.skewMs = ms),
    operate: (action, deliveryId) => operator.operate(action, deliveryId),
    bounce: (send, providerMessageId, ms) => follows(ms, () => void operator.bounced(send, providerMessageId)),
    draw: (label, n) => draw(kernel.seed, hashText(label), kernel.now, n),
  };
}

function restartWith({ crew, later }: HandsParts, process: Process, variant: number, ms: number): void {
  const member = crew.memberOf(process);
  if (member === undefined) return;
  member.variant = variant;
  crew.kill(process, 'restarted with another config', BLINK_MS);
  later(ms, () => {
    member.variant = 0;
    crew.kill(process, 'restarted with its own config', BLINK_MS);
  });
}

interface Cut {
  readonly peer: Peer;
  readonly ways: 'both' | 'replies';
  readonly ms: number;
}

function cutOff({ kernel, crew }: HandsParts, process: Process | null, { peer, ways, ms }: Cut): void {
  const until = kernel.now + ms;
  const whom = process === null ? crew.members.map((member) => member.process) : [process];
  for (const each of whom) each.partitionedFrom.set(peer, { ways, until });
}

function wipe(queue: SimulatedQueue | null, emitter: Emitter): void {
  if (queue === null) return;
  queue.wipe();
  emitter.tell('queue', { kind: 'queue', op: 'wiped', id: '', receipt: null });
}
