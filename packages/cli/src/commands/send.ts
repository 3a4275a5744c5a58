import { string as arg } from '@oclif/core/args';
import { BaseCommand } from '../base-command.ts';
import { SEND_FLAGS } from '../send/flags.ts';

export default class Send extends BaseCommand {
  static override summary = 'Publish notifications of a type; workers send them.';
  static override description =
    'Reads rows, one notification each, and prints their ids, one a line. A bad row is told by its line number and loses nobody else. ' +
    'The same command again publishes nothing twice, also after it was killed. Exit codes: 0 all accepted (or accepted before), ' +
    '2 usage, 4 some rows were refused and are listed, 70 the ledger failed, 130 interrupted. See docs/reference/send.md.';
  static override examples = [
    {
      description: 'One notification.',
      command: `npx <%= config.bin %> send orderPlaced --data-json '{"id":"o-17","email":"ann@example.com"}'`,
    },
    {
      description: 'One for each row of a file, named by a column.',
      command: 'npx <%= config.bin %> send orderPlaced --data orders.csv --key-column id',
    },
    {
      description: 'One for everybody on a list.',
      command: `npx <%= config.bin %> send news --key news-7 --data-json '{"issue":7}' --recipients-file people.csv`,
    },
    {
      description: 'From another program, and which were refused?',
      command: `export-orders | npx <%= config.bin %> send orderPlaced --data - --json | jq 'select(.error)'`,
    },
  ];
  static override args = {
    type: arg({ description: 'A type of notification of the config.', required: true, ignoreStdin: true }),
  };
  static override flags = SEND_FLAGS;

  protected override readonly jsonSpaces = 0;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Send);
    const { runSend } = await import('../send/run-send.ts');
    this.end(await runSend(args.type, flags));
  }
}
