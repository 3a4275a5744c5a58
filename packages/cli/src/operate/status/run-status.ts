import { EXIT } from '../../command-error.ts';
import { atDesk } from '../desk.ts';
import type { DeskFlags } from '../flags.ts';
import { readStatus } from './read-status.ts';
import { statusText } from './status-words.ts';

/** Runs `notify status`; answers its exit code, which says only whether the ledger could be read. */
export function runStatus(flags: DeskFlags): Promise<number> {
  return atDesk(flags, async (desk) => {
    const report = await readStatus(desk);
    const { terminal, isJson } = desk;
    terminal.out(isJson ? `${JSON.stringify(report, null, 2)}\n` : statusText(report, terminal.paint));
    return EXIT.pass;
  });
}
