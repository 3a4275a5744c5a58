import type { Ledger, Notifier, NotifierConfig, Telemetry } from '@sendonce/core';
import { loadConfig } from '../config-file/load-config.ts';
import { openNotifier } from '../config-file/open-notifier.ts';
import { terminalKind, terminalOf, type Terminal } from '../terminal.ts';
import { findConfig } from './find-config.ts';
import { flagWords } from '../simulate/again.ts';
import type { DeskFlags } from './flags.ts';
import { masks, type Masks } from './mask.ts';
import { checkLedgerExists } from './which-ledger.ts';

/** What a command needs that operates a ledger. */
export interface Desk {
  readonly config: NotifierConfig;
  readonly ledger: Ledger;
  readonly notifier: Notifier;
  readonly terminal: Terminal;
  readonly masks: Masks;
  readonly isJson: boolean;
  /** This machine's; ages and expiries are told by it, decided by the store's. */
  readonly now: () => number;
  /** A command to run next, as it is typed here: for the same config. */
  readonly command: CommandOf;
}

/** Makes `npx notify status` of `status`. */
export type CommandOf = (words: string) => string;

export interface DeskOptions {
  /** Sinks beside those of the config. */
  readonly telemetry?: readonly Telemetry[];
  /** The work begins here, so a ledger that is not there yet is made. @defaultValue false: it is an error */
  readonly makesLedger?: boolean;
}

/**
 * Opens what a config file names, does the work, and closes it. Whatever the user's own code prints meanwhile goes to stderr, so that
 * stdout holds the result alone.
 *
 * @throws SendonceError CONFIG_FILE_INVALID, CONFIG_INVALID, LEDGER_UNAVAILABLE where there is none, and what the work throws.
 */
export async function atDesk<Result>(
  flags: DeskFlags,
  work: (desk: Desk) => Promise<Result>,
  { telemetry = [], makesLedger = false }: DeskOptions = {},
): Promise<Result> {
  const { stdout, stderr } = process;
  const toStdout = stdout.write.bind(stdout);
  const kind = terminalKind({ color: flags['no-color'] !== true });
  const terminal = await terminalOf(kind, {
    out: (text) => void toStdout(text),
    err: (text) => void stderr.write(text),
  });
  stdout.write = stderr.write.bind(stderr);
  try {
    const file = findConfig(flags.config);
    const config = await loadConfig(file, { samples: false });
    const notifier = openNotifier(file, config, telemetry);
    try {
      const { ledger, clock } = config;
      if (!makesLedger) checkLedgerExists(ledger, file);
      const shown = { masks: masks(flags['show-addresses'] === true), isJson: flags.json === true };
      const named = flags.config === undefined ? '' : ` ${flagWords('config', flags.config)}`;
      const command: CommandOf = (words) => `npx notify ${words}${named}`;
      noteMemory(ledger, terminal);
      return await work({
        config,
        ledger,
        notifier,
        terminal,
        command,
        ...shown,
        now: () => clock?.now() ?? Date.now(),
      });
    } finally {
      await close(notifier, terminal);
    }
  } finally {
    stdout.write = toStdout;
  }
}

function noteMemory({ capabilities }: Ledger, { err }: Terminal): void {
  if (capabilities.shared || capabilities.durable) return;
  err('Note: this ledger is in the memory of one process, so what other processes have accepted is not in it.\n');
}

/** The work is done: what cannot be closed is told, and costs nobody the result. */
async function close(notifier: Notifier, { err }: Terminal): Promise<void> {
  try {
    await notifier.close();
  } catch (thrown) {
    err(`Note: not everything could be closed: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
  }
}
