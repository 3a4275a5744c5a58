import { BaseCommand } from '../base-command.ts';
import { ARCHIVE_FLAGS } from '../operate/archive/flags.ts';

export default class Archive extends BaseCommand {
  static override summary = 'Writes what has been over for long to a file, before the ledger forgets it.';
  static override description =
    'One JSON object per line: each notification, then its deliveries. Nothing is removed: the ledger does that by itself, after its retention. See ' +
    'docs/reference/archive.md.';
  static override examples = [
    'npx <%= config.bin %> archive --before 30d --to 2026-05.ndjson',
    {
      description: 'How much would it be?',
      command: 'npx <%= config.bin %> archive --before 2026-05-01 --dry-run',
    },
    {
      description: 'Compressed, on its way elsewhere.',
      command: 'npx <%= config.bin %> archive | gzip > 2026-05.ndjson.gz',
    },
  ];
  static override flags = ARCHIVE_FLAGS;

  async run(): Promise<void> {
    const { flags } = await this.parse(Archive);
    const { runArchive } = await import('../operate/archive/run-archive.ts');
    this.end(await runArchive(flags));
  }
}
