import { BaseCommand } from '../base-command.ts';
import { CONFIG_FLAGS } from '../operate/flags.ts';

export default class Status extends BaseCommand {
  static override summary = 'What is in the ledger, what needs a person, and what to run next.';
  static override description =
    'Exits with 0 whenever the ledger can be read, whatever is in it: a monitor reads `attention` of --json. See docs/reference/status.md.';
  static override examples = [
    'npx <%= config.bin %> status',
    {
      description: 'How many things need a person?',
      command: "npx <%= config.bin %> status --json | jq '.attention | length'",
    },
  ];
  static override flags = CONFIG_FLAGS;

  async run(): Promise<void> {
    const { flags } = await this.parse(Status);
    const { runStatus } = await import('../operate/status/run-status.ts');
    this.end(await runStatus(flags));
  }
}
