import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Exit } from './facts.ts';

const TAIL = 4_000;

/** A process of ours. */
export interface Child {
  readonly pid: number;
  readonly ended: Promise<Exit>;
  send(message: object): void;
  onMessage(listen: (message: unknown) => void): void;
  signal(signal: NodeJS.Signals): void;
}

/** Starts a process of ours and gives it its orders. It dies with us: its channel to us closes. */
export function startChild(entry: URL, orders: object): Child {
  // In a process group of its own: Ctrl-C reaches everybody in that of a terminal, and a child that ends by it, before it has learned to
  // leave that to us, would be taken for one that crashed.
  const child = fork(fileURLToPath(entry), [], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    detached: true,
  });
  let tail = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (tail = (tail + text).slice(-TAIL)));
  const ended = new Promise<Exit>((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, tail: error.message }));
    // `close` and not `exit`: what it last wrote is read by then.
    child.once('close', (code, signal) => resolve({ code, signal, tail: tail.trim() }));
  });
  // Sent to somebody who died a moment ago: its end is told by `ended`.
  child.on('error', () => {});
  const self: Child = {
    pid: child.pid ?? -1,
    ended,
    send: (message) => sendTo(child, message),
    onMessage: (listen) => void child.on('message', listen),
    signal: (signal) => void child.kill(signal),
  };
  self.send(orders);
  return self;
}

function sendTo(child: ChildProcess, message: object): void {
  if (child.connected) child.send(message, () => {});
}
