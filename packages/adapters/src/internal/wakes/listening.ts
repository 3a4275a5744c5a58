import { inTime } from '../queue/in-time.ts';

/** How long connecting may take, and an answer, ms. */
const LIMIT_MS = 10_000;
/** How often the server is asked whether it is still there, ms: a connection that is half open says nothing by itself. */
const CHECK_MS = 30_000;

/** A connection of its own that hears. */
export interface Line {
  /** Connects, and begins to hear. */
  open(): Promise<unknown>;
  ask(): Promise<unknown>;
  /** Throws away what it has. Does not throw. */
  close(): void;
  /** Rejects when the connection is gone. */
  readonly lost: Promise<never>;
}

export interface Listening {
  /** A line that calls back when it hears a wake. */
  readonly connect: (onWake: () => void) => Line;
  /** `ledger 'sendonce' in Redis` */
  readonly who: string;
  readonly warn: (warning: string) => void;
}

/** Listens on one line until it is lost or the signal aborts. Told once until it was heard again; the same reason is not told twice in a row. */
export function listening({
  connect,
  who,
  warn,
}: Listening): (onWake: () => void, signal: AbortSignal) => Promise<void> {
  let told = '';
  return async (onWake, signal) => {
    try {
      await hear(connect(onWake), signal, () => {
        told = '';
        onWake();
      });
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      if (said !== told)
        warn(`${who} hears no wakes, so due work is found by polling alone until it does again: ${said}`);
      told = said;
      throw error;
    }
  };
}

async function hear(line: Line, signal: AbortSignal, onHearing: () => void): Promise<void> {
  const over = new AbortController();
  const stopped = new Promise<'stopped'>((resolve) =>
    signal.addEventListener('abort', () => resolve('stopped'), { signal: over.signal }),
  );
  /** Null when it is to stop. */
  const within = <T>(work: Promise<T>, what: string): Promise<T | 'stopped'> =>
    Promise.race([
      inTime(work, LIMIT_MS, () => new Error(`${what} took longer than ${LIMIT_MS} ms`)),
      line.lost,
      stopped,
    ]);
  try {
    if (signal.aborted || (await within(line.open(), 'connecting')) === 'stopped') return;
    onHearing();
    while ((await pause(Promise.race([line.lost, stopped]))) === 'time')
      if ((await within(line.ask(), 'an answer')) === 'stopped') return;
  } finally {
    over.abort('over');
    line.close();
  }
}

/** Until it is time to ask, or this ends it. */
async function pause(end: Promise<'stopped'>): Promise<'stopped' | 'time'> {
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise<'time'>((resolve) => (timer = setTimeout(() => resolve('time'), CHECK_MS)));
  try {
    return await Promise.race([end, time]);
  } finally {
    clearTimeout(timer);
  }
}

/** A promise that is only ever rejected, and how; nobody has to wait for it. */
export function loss(): { readonly lost: Promise<never>; readonly lose: (error: unknown) => void } {
  let lose: (error: unknown) => void = () => undefined;
  const lost = new Promise<never>((_, reject) => (lose = reject));
  lost.catch(() => undefined);
  return { lost, lose };
}
