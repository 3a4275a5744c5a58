import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../base-command.ts';
import { CONFIG_FLAGS } from '../operate/flags.ts';

export default class Migrate extends BaseCommand {
  static override summary = "Prepares the store of the config's ledger: once per release, before its workers start.";
  static override description =
    'Running it again changes nothing; of several at once one does it while the others wait. A SQLite ledger needs it not: it makes its ' +
    'tables when it is opened. See docs/reference/postgres.md.';
  static override examples = [
    'npx <%= config.bin %> migrate',
    {
      description: 'Give the SQL to another tool.',
      command: 'npx <%= config.bin %> migrate --print | psql "$DATABASE_URL"',
    },
  ];
  static override flags = {
    ...CONFIG_FLAGS,
    print: boolean({ description: 'Print the SQL instead of running it. Connects to nothing.' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Migrate);
    const { runMigrate } = await import('../operate/migrate/run-migrate.ts');
    this.end(await runMigrate(flags));
  }
}
