import { string as arg } from '@oclif/core/args';
import { BaseCommand } from '../base-command.ts';
import { PROCESS_STREAMS } from '../terminal.ts';

export default class Providers extends BaseCommand {
  static override summary = 'List the providers there are, and what becomes of a message whose answer is lost.';
  static override description =
    'Needs no config and asks nobody. With a name: what that provider declares, and what each of its documented answers proves. See docs/reference/providers.md.';
  static override examples = [
    'npx <%= config.bin %> providers',
    { description: 'What does each answer prove?', command: 'npx <%= config.bin %> providers resend' },
    {
      description: 'Which of them are exact?',
      command: "npx <%= config.bin %> providers --json | jq '.providers[] | select(.exact).name'",
    },
  ];
  static override args = {
    name: arg({ description: 'One provider, as its import path ends.', ignoreStdin: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Providers);
    const { providersText } = await import('../providers/providers-text.ts');
    PROCESS_STREAMS.out(providersText(args.name ?? null, { isJson: flags.json === true }));
  }
}
