import type { Paint } from '@sendonce/chaos';

/** Where a command's words go, and what is known about that place; injected so that commands can be tried without a process. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** True when somebody watches stderr: progress may overwrite itself there. */
  readonly watched: boolean;
  readonly paint: Paint;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a thread cannot find out about the process's terminal by itself. */
export interface TerminalKind {
  readonly colors: boolean;
  readonly watched: boolean;
}

/** Colours only on a terminal, and not under NO_COLOR (https://no-color.org) or `--no-color`. */
export function terminalKind(options: { readonly color: boolean }): TerminalKind {
  const { env, stdout, stderr } = process;
  const wanted = options.color && (env['NO_COLOR'] ?? '') === '';
  return {
    colors: wanted && (stdout.isTTY || (env['FORCE_COLOR'] ?? '') !== ''),
    watched: stderr.isTTY && wanted && env['TERM'] !== 'dumb',
  };
}

/** A terminal of that kind whose words are written by others. */
export async function terminalOf(
  { colors, watched }: TerminalKind,
  { out, err }: Pick<Terminal, 'out' | 'err'>,
): Promise<Terminal> {
  const { createColors } = (await import('picocolors')).default;
  return { out, err, watched, paint: createColors(colors), env: process.env };
}

/** The process's own streams. */
export const PROCESS_STREAMS: Pick<Terminal, 'out' | 'err'> = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};
