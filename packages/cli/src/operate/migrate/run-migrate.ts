import { EXIT } from '../../command-error.ts';
import { atDesk } from '../desk.ts';
import type { DeskFlags } from '../flags.ts';
import { migratable, type Migratable } from './migratable.ts';

export interface MigrateFlags extends DeskFlags {
  readonly print?: boolean | undefined;
}

/**
 * Runs `notify migrate`: prepares the ledger, the destinations and the inboxes of the config, or prints what would do it.
 * @throws SendonceError LEDGER_REFUSED, DESTINATIONS_UNAVAILABLE and the like; what was prepared before it stays so.
 */
export function runMigrate(flags: MigrateFlags): Promise<number> {
  return atDesk(
    flags,
    async ({ config, terminal, isJson }) => {
      const stores = migratable(config);
      if (flags.print === true) {
        // Whatever comes of it is SQL, for the tool at the other end of a pipe.
        terminal.out(stores.length === 0 ? `-- ${NOTHING}` : sqlOf(stores));
        return EXIT.pass;
      }
      for (const { store } of stores) await store.migrate();
      const names = stores.map(({ name }) => name);
      if (isJson) terminal.out(`${JSON.stringify(resultOf(names))}\n`);
      else terminal.out(names.length === 0 ? NOTHING : `Up to date: ${names.join(', ')}. ${AGAIN}`);
      return EXIT.pass;
    },
    { makesLedger: true },
  );
}

function resultOf(stores: readonly string[]): object {
  return { schema: 'sendonce.migrate/1', migrated: stores.length > 0, stores };
}

/** Two providers may have one inbox: the same text is printed once. */
function sqlOf(stores: readonly Migratable[]): string {
  const names = new Map<string, string[]>();
  for (const { name, store } of stores) {
    const text = store.migrationSql().trimEnd();
    names.set(text, [...(names.get(text) ?? []), name]);
  }
  return [...names].map(([text, of]) => `-- ${of.join(', ')}\n${text}\n`).join('\n');
}

const AGAIN = 'Running this again changes nothing.\n';
const NOTHING = 'Nothing to do: what this config stores makes its tables by itself when it is opened.\n';
