import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, rmSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { SendonceError } from '@sendonce/core';
import type { Op } from '../faults/ops.ts';
import type { Announcement, GateAnswer, GateOrders } from './gate.ts';

/** The supervisor's end of a worker's gate. */
export interface Point {
  readonly orders: GateOrders;
  /** Lets the worker go on. */
  answer(answer: GateAnswer): void;
  close(): void;
}

export interface PointOptions {
  readonly folder: string;
  /** Of this start of the worker: FIFOs are never shared by two. */
  readonly name: string;
  readonly ops: readonly Op[];
  readonly announced: (announcement: Announcement) => void;
}

/**
 * Makes the two FIFOs of one start of a worker and listens.
 * @throws SendonceError PLAN_INVALID where there is no `mkfifo` program.
 */
export function openPoint({ folder, name, ops, announced }: PointOptions): Point {
  const up = join(folder, `${name}.up`);
  const down = join(folder, `${name}.down`);
  makeFifos([up, down]);
  // For reading and writing, so that neither open waits for the other end and no end of file comes before the worker is there.
  const { O_RDWR, O_NONBLOCK } = constants;
  const answering = openSync(down, O_RDWR | O_NONBLOCK);
  // A socket and not a file: reading a FIFO as a file would hold one of the few threads that files have.
  const socket = new Socket({ fd: openSync(up, O_RDWR | O_NONBLOCK), readable: true, writable: false });
  let rest = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) announced(JSON.parse(line) as Announcement);
  });
  socket.on('error', () => {});
  return {
    orders: { up, down, ops },
    answer: (answer) => void writeSync(answering, `${JSON.stringify(answer)}\n`),
    close() {
      socket.destroy();
      closeSync(answering);
      for (const path of [up, down]) rmSync(path, { force: true });
    },
  };
}

function makeFifos(paths: readonly string[]): void {
  try {
    execFileSync('mkfifo', ['-m', '600', ...paths], { stdio: 'pipe' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no mkfifo program here' : message;
    throw new SendonceError(
      'PLAN_INVALID',
      `a fault at an exact point of a real process needs a FIFO, and none could be made: ${reason}. Run the plan without --real, or use --kill-at N`,
      { cause: error },
    );
  }
}
