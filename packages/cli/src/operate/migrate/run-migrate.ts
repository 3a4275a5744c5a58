import type { Ledger, Migrations } from '@sendonce/core';
import { EXIT } from '../../command-error.ts';
import { atDesk } from '../desk.ts';
import type { DeskFlags } from '../flags.ts';

export interface MigrateFlags extends DeskFlags {
  readonly print?: boolean | undefined;
}

/**
 * Runs `notify migrate`: prepares the store of the config's ledger, or prints what would do it.
 * @throws SendonceError LEDGER_REFUSED and the like.
 */
export function runMigrate(flags: MigrateFlags): Promise<number> {
  return atDesk(
    flags,
    async ({ ledger, terminal, isJson }) => {
      const hasMigrations = isMigratable(ledger);
      if (flags.print === true) {
        // Whatever comes of it is SQL, for the tool at the other end of a pipe.
        terminal.out(hasMigrations ? `${ledger.migrationSql().trimEnd()}\n` : `-- ${NOTHING}`);
        return EXIT.pass;
      }
      if (hasMigrations) await ledger.migrate();
      if (isJson) terminal.out(`${JSON.stringify({ schema: 'sendonce.migrate/1', migrated: hasMigrations })}\n`);
      else terminal.out(hasMigrations ? DONE : NOTHING);
      return EXIT.pass;
    },
    { makesLedger: true },
  );
}

const DONE = 'The ledger is up to date. Running this again changes nothing.\n';
const NOTHING = 'Nothing to do: the ledger of this config makes its tables by itself when it is opened.\n';

function isMigratable(ledger: Ledger): ledger is Ledger & Migrations {
  return 'migrate' in ledger && 'migrationSql' in ledger;
}
