import { string as arg } from '@oclif/core/args';
import { BaseCommand } from '../base-command.ts';
import { REPLAY_FLAGS } from '../operate/flags.ts';
import { quoted } from '../simulate/again.ts';

export default class ReplayDlq extends BaseCommand {
  static override summary = 'Send dead letters again, each once, after showing what would be done.';
  static override description =
    'Shows a plan, asks, and makes a new delivery for each dead letter that fits, which workers then send. Running it again, or twice ' +
    'at once, sends nothing twice. Ctrl-C stops after the batch in flight. Exit codes: 0 done, 2 usage or not confirmed, 4 some cannot ' +
    'be sent again and are listed, 70 the ledger failed, 130 interrupted. See docs/reference/replay-dlq.md.';
  static override examples = [
    { description: 'What would be sent again?', command: 'npx <%= config.bin %> replay-dlq --dry-run' },
    {
      description: 'The outage of the last two hours is over.',
      command: "npx <%= config.bin %> replay-dlq --provider ses --since 2h --note 'SES is back'",
    },
    {
      description: 'Ten of them first, without a question.',
      command: 'npx <%= config.bin %> replay-dlq --limit 10 --yes',
    },
    {
      description: 'One that may have been sent already.',
      command: 'npx <%= config.bin %> replay-dlq d_4kX... --include parked',
    },
  ];
  static override args = {
    ids: arg({
      description: 'Deliveries, or notifications for all of theirs. [whatever the flags fit]',
      multiple: true,
      required: false,
      ignoreStdin: true,
    }),
  };
  static override flags = REPLAY_FLAGS;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ReplayDlq);
    const { runReplay } = await import('../operate/replay/run-replay.ts');
    const again = ['npx notify replay-dlq', ...this.argv.map(quoted)].join(' ');
    this.end(await runReplay({ flags, ids: args.ids ?? [], again }));
  }
}
