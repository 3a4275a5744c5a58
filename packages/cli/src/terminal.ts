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

/** The process's own. Colours only on a terminal, and not under NO_COLOR (https://no-color.org) or `--no-color`. */
export async function processTerminal(options: { readonly color: boolean }): Promise<Terminal> {
  const { createColors } = (await import('picocolors')).default;
  const { env, stdout, stderr } = process;
  const wanted = options.color && (env['NO_COLOR'] ?? '') === '';
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    watched: stderr.isTTY && wanted && env['TERM'] !== 'dumb',
    paint: createColors(wanted && (stdout.isTTY || (env['FORCE_COLOR'] ?? '') !== '')),
    env,
  };
}
