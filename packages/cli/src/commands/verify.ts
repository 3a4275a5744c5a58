import { BaseCommand } from '../base-command.ts';
import { VERIFY_FLAGS } from '../verify/flags.ts';

export default class Verify extends BaseCommand {
  static override summary = 'Runs every law of its port on a queue, a ledger, destinations or an inbox of your own.';
  static override description =
    'Each law runs on a new, empty store; one that holds something is refused. Exits with 0 when every law that could be judged is kept, 1 when ' +
    'one is broken, 2 for a mistake in flags or files, 4 when no law could be judged. See docs/reference/verify.md.';
  static override examples = [
    'npx <%= config.bin %> verify --queue ./my-queue.ts',
    {
      description: 'One law alone.',
      command: "npx <%= config.bin %> verify --queue ./my-queue.ts --law 'acked'",
    },
    {
      description: 'A ledger of ours, on a server of yours.',
      command: 'npx <%= config.bin %> verify --ledger "$DATABASE_URL"',
    },
    {
      description: 'What a config makes.',
      command: 'npx <%= config.bin %> verify --config notify.config.ts',
    },
  ];
  static override flags = VERIFY_FLAGS;

  async run(): Promise<void> {
    const { flags } = await this.parse(Verify);
    const { runVerify } = await import('../verify/run-verify.ts');
    this.end(await runVerify(flags));
  }
}
