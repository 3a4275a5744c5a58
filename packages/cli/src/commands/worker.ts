import { BaseCommand } from '../base-command.ts';
import { WORKER_FLAGS } from '../worker/flags.ts';

export default class Worker extends BaseCommand {
  static override summary = 'Send what was published, until a signal stops it. Any number may run.';
  static override description =
    'On SIGTERM or Ctrl-C it takes nothing new, gives back what it has not begun, lets what is on its way finish, and exits with 0. ' +
    'Exit codes: 0 stopped, 2 usage, 70 it cannot go on, 130 a second signal ended it at once. See docs/reference/worker.md.';
  static override examples = [
    'npx <%= config.bin %> worker',
    {
      description: 'For a supervisor that asks whether it does its work.',
      command: 'npx <%= config.bin %> worker --health-port 8080 --json',
    },
    {
      description: 'Slower than the config says.',
      command: 'npx <%= config.bin %> worker --concurrency 5',
    },
  ];
  static override flags = WORKER_FLAGS;

  protected override readonly jsonSpaces = 0;

  async run(): Promise<void> {
    const { flags } = await this.parse(Worker);
    const { runWorker } = await import('../worker/run-worker.ts');
    this.end(await runWorker(flags));
  }
}
