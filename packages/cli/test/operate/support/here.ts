import { vi } from 'vitest';
import type { Result } from '../../notify.ts';

/** Runs what a command runs, in this process: the command line itself is tried elsewhere, and takes half a second each time. */
export async function here(work: () => Promise<number>): Promise<Result> {
  const texts = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      texts[name] += String(text);
      return true;
    }),
  );
  try {
    const code = await work();
    return { code, ...texts };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
