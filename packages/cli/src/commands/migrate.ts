import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../base-command.ts';
import { CONFIG_FLAGS } from '../operate/flags.ts';

export default class Migrate extends BaseCommand {
  static override summary = 'Prepares what a config keeps in PostgreSQL: once per release, before its workers start.';
  static override description =
    'The ledger, the destinations, and the inboxes that inApp() puts into. Running it again changes nothing; of several at once one does it ' +
    'while the others wait. What is in SQLite or Redis needs it not: it prepares itself when it is opened. See docs/reference/postgres.md.';
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
