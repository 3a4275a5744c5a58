import { openSync, readSync, writeSync } from 'node:fs';
import type { Op } from '../faults/ops.ts';
import { firstItems, repliedIds, requestedIds } from '../faults/carried.ts';

/** How a worker announces the points at which a fault may strike it. */
export interface GateOrders {
  /** The FIFO that it announces them on. */
  readonly up: string;
  /** The FIFO on which it is told what to do. */
  readonly down: string;
  readonly ops: readonly Op[];
}

/** One line of the worker: it stands at this point of this call, and does nothing until it is answered. */
export interface Announcement {
  /** Counts the calls of this process. */
  readonly call: number;
  readonly op: Op;
  /** B: nothing has left yet. A: it was applied, and nobody has seen the reply. */
  readonly phase: 'B' | 'A';
  /** What the call carries; null: only its reply will tell. */
  readonly ids: readonly string[] | null;
  /** The provider that is sent to; null at other calls. */
  readonly provider: string | null;
}

/** `go`: go on. `after`: go on, and announce the same call again when it was applied. `cut`: the same, with the first items alone. */
export type GateAnswer = { readonly kind: 'go' | 'after' } | { readonly kind: 'cut'; readonly items: number };

/** A call of a port: its arguments as plans address them, and how it is made with them. */
export interface GatedCall<Args, Result> {
  readonly args: Args;
  readonly provider?: string;
  readonly make: (args: Args) => Promise<Result>;
}

/** Makes calls, and stops the whole process at the points that somebody wants to see. */
export interface Gate {
  pass<Args, Result>(op: Op, call: GatedCall<Args, Result>): Promise<Result>;
}

/** Lets everything pass. */
export const openGate: Gate = { pass: (_op, { args, make }) => make(args) };

/**
 * A gate on two FIFOs. The wait is a synchronous read, so that while the supervisor makes up its mind (or kills) not one line of this
 * process runs. When the supervisor is gone, so is this process.
 */
export function fifoGate({ up, down, ops }: GateOrders): Gate {
  const announcing = openSync(up, 'w');
  const answering = openSync(down, 'r');
  const watched = new Set(ops);
  let calls = 0;

  function ask(announcement: Announcement): GateAnswer {
    try {
      writeSync(announcing, `${JSON.stringify(announcement)}\n`);
    } catch {
      return die();
    }
    return JSON.parse(readLine(answering)) as GateAnswer;
  }

  return {
    async pass(op, { args, provider = null, make }) {
      if (!watched.has(op)) return make(args);
      const call = ++calls;
      const requested = requestedIds(op, args);
      const answer = ask({ call, op, phase: 'B', ids: requested, provider });
      if (answer.kind === 'go') return make(args);
      const result = await make(answer.kind === 'cut' ? (firstItems(args, answer.items) as typeof args) : args);
      ask({ call, op, phase: 'A', ids: requested ?? repliedIds(op, result), provider });
      return result;
    },
  };
}

function readLine(from: number): string {
  const buffer = Buffer.alloc(256);
  let text = '';
  while (!text.endsWith('\n')) {
    const bytes = readSync(from, buffer, 0, buffer.length, null);
    if (bytes === 0) die();
    text += buffer.toString('utf8', 0, bytes);
  }
  return text;
}

/** At once, as if killed: the supervisor is gone, and nobody would judge what still happens. */
function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('the supervisor is gone');
}
