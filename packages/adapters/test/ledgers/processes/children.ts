import { fork, type ChildProcess } from 'node:child_process';
import { bundled } from '../../support/bundled.ts';
import type { Answer, AnswerOf, Call, CrashPoint, Method, Order, Outbox, Place, Work } from './protocol.ts';

/** The child as one file of JavaScript, which a plain Node runs. */
export function bundledChild(): Promise<string> {
  return bundled(new URL('child.ts', import.meta.url), 'ledger-child');
}

/** A process that has the ledger open. */
export interface Child {
  call<M extends Method>(method: M, ...args: readonly unknown[]): Promise<AnswerOf<M>>;
  /** The call is made, and the process is killed around its commit. */
  crash(point: CrashPoint, method: Method, ...args: readonly unknown[]): Promise<void>;
  /** Accepts in a transaction of the application's, and is killed around its commit. */
  outbox(order: Omit<Outbox, 'kind'>): Promise<void>;
  work(work: Omit<Work, 'kind'>): Promise<number>;
  kill(): Promise<void>;
}

export async function child(script: string, place: Place): Promise<Child> {
  const process_ = fork(script, [JSON.stringify(place)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const gone = new Promise<string>((resolve) => {
    process_.once('exit', (code, signal) => resolve(signal ?? String(code)));
  });
  await answer(process_, gone);

  function order(what: Order): Promise<unknown> {
    const answered = answer(process_, gone);
    process_.send(what);
    return answered;
  }

  const callOf = (method: Method, args: readonly unknown[], crash: CrashPoint | null): Call => ({
    kind: 'call',
    method,
    args,
    crash,
  });

  async function killedBy(what: Order): Promise<void> {
    process_.send(what);
    const ended = await gone;
    if (ended !== 'SIGKILL') throw new Error(`the child ended with ${ended}, and should have been killed`);
  }

  return {
    call: async <M extends Method>(method: M, ...args: readonly unknown[]) =>
      (await order(callOf(method, args, null))) as AnswerOf<M>,
    crash: (point, method, ...args) => killedBy(callOf(method, args, point)),
    outbox: (order) => killedBy({ kind: 'outbox', ...order }),
    work: async (work) => (await order({ kind: 'work', ...work })) as number,
    async kill() {
      process_.kill('SIGKILL');
      await gone;
    },
  };
}

function answer(process_: ChildProcess, gone: Promise<string>): Promise<unknown> {
  const told = new Promise<unknown>((resolve, reject) => {
    process_.once('message', (message: Answer) => {
      if (message.kind === 'failed') reject(new Error(message.error));
      else resolve(message.kind === 'done' ? message.value : null);
    });
  });
  return Promise.race([told, gone.then((how) => Promise.reject(new Error(`the child is gone (${how})`)))]);
}
