import type { Exit } from './facts.ts';

/** How a process ended, in a sentence after "with". */
export function exitWords({ code, signal }: Omit<Exit, 'tail'>): string {
  return signal ?? `exit code ${code ?? 'unknown'}`;
}
