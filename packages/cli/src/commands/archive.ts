import { BaseCommand } from '../base-command.ts';
import { ARCHIVE_FLAGS } from '../operate/archive/flags.ts';

export default class Archive extends BaseCommand {
  static override summary = 'Write what has been over for long to a file, and have the ledger forget it if you like.';
  static override description =
    'One JSON object per line: each notification, then its deliveries. Nothing is removed without --forget: then what is in the file leaves the ' +
    'ledger, once the file is on the disk and was read again. Their keys stay known, so nothing is sent twice. Killed anywhere and run again it goes ' +
    'on. Exit codes: 0 done, 2 usage or not confirmed, 70 the ledger failed, 74 the file did, 130 interrupted. See docs/reference/archive.md.';
  static override examples = [
    'npx <%= config.bin %> archive --before 30d --to 2026-05.ndjson',
    {
      description: 'How much would it be?',
      command: 'npx <%= config.bin %> archive --before 2026-05-01 --dry-run',
    },
    {
      description: 'The same, and then remove it from the ledger; asks before that.',
      command: 'npx <%= config.bin %> archive --before 30d --to 2026-05.ndjson --forget',
    },
    {
      description: 'From a timer, gently.',
      command: 'npx <%= config.bin %> archive --to 2026-05.ndjson --forget --yes --rate 500/s',
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
