import { string as arg } from '@oclif/core/args';
import { BaseCommand } from '../../base-command.ts';
import { ADDRESS_FLAGS, CONFIG_FLAGS } from '../../operate/flags.ts';

export default class DlqShow extends BaseCommand {
  static override summary = 'Show one delivery: its attempts, its reason, and what replaying it would mean.';
  static override description = 'Its body is never shown. See docs/reference/replay-dlq.md.';
  static override examples = ['npx <%= config.bin %> dlq show d_4kX...'];
  static override args = { id: arg({ description: 'A delivery.', required: true, ignoreStdin: true }) };
  static override flags = { ...CONFIG_FLAGS, ...ADDRESS_FLAGS };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(DlqShow);
    const { runShow } = await import('../../operate/dlq/run-show.ts');
    this.end(await runShow(args.id, flags));
  }
}
