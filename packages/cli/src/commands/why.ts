import { string as arg } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { BaseCommand } from '../base-command.ts';
import { ADDRESS_FLAGS, CONFIG_FLAGS } from '../operate/flags.ts';

export default class Why extends BaseCommand {
  static override summary = 'Tell the story of one delivery, notification or recipient, and what happens next.';
  static override description =
    'Each attempt with its outcome, each possible duplicate that was written down, and who did what. See docs/reference/why.md.';
  static override examples = [
    'npx <%= config.bin %> why d_4kX...',
    { description: 'A notification, and its deliveries in short.', command: 'npx <%= config.bin %> why n_9fQ...' },
    {
      description: 'What did somebody get?',
      command: 'npx <%= config.bin %> why recipient:ann@example.com',
    },
  ];
  static override args = {
    id: arg({
      description: 'A delivery (d_...), a notification (n_... or its key), or recipient:ADDRESS.',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    ...CONFIG_FLAGS,
    tenant: string({ description: 'The tenant of a key or a recipient. [any]', helpValue: 'NAME' }),
    ...ADDRESS_FLAGS,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Why);
    const { runWhy } = await import('../operate/why/run-why.ts');
    this.end(await runWhy(args.id, flags));
  }
}
