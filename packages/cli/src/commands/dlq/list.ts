import { BaseCommand } from '../../base-command.ts';
import { LIST_FLAGS } from '../../operate/flags.ts';
import { quoted } from '../../simulate/again.ts';

export default class DlqList extends BaseCommand {
  static override summary = 'List dead letters with their reasons.';
  static override description =
    'Those that nobody has sent again yet, in the order in which they were made. With --json one object a line, and all of them. ' +
    'See docs/reference/replay-dlq.md.';
  static override examples = [
    { description: 'The first fifty.', command: 'npx <%= config.bin %> dlq list' },
    {
      description: 'Those that may have been sent.',
      command: 'npx <%= config.bin %> dlq list --state parked --since 1d',
    },
    {
      description: 'Their ids, for another program.',
      command: 'npx <%= config.bin %> dlq list --reason timeout --json | jq -r .id',
    },
  ];
  static override flags = LIST_FLAGS;

  async run(): Promise<void> {
    const { flags } = await this.parse(DlqList);
    const { runList } = await import('../../operate/dlq/run-list.ts');
    const again = ['npx notify dlq list', ...withoutCursor(this.argv).map(quoted)].join(' ');
    this.end(await runList(flags, again));
  }
}

function withoutCursor(argv: readonly string[]): readonly string[] {
  return argv.filter((word, at) => !word.startsWith('--cursor') && argv[at - 1] !== '--cursor');
}
