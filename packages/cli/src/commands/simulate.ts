import { BaseCommand } from '../base-command.ts';
import { withBareQueue } from '../flags/bare-queue.ts';
import { SIMULATE_FLAGS } from '../simulate/flags.ts';
import { terminalKind } from '../terminal.ts';

export default class Simulate extends BaseCommand {
  static override summary = 'Break everything that can break, and show that every recipient still gets one message.';
  static override description =
    'Runs the real notifier against simulated queues, stores, providers and clocks, with faults. Nothing is sent and no server is needed. ' +
    'Exit codes: 0 pass, 1 safety violation, 2 usage, 3 liveness violation, 4 inconclusive, 5 nondeterminism, 6 self-test failed, ' +
    '70 internal error, 74 output not written, 130 interrupted. See docs/reference/simulate.md.';
  static override examples = [
    {
      description: 'Kill a worker at the 800th of 2,000 messages.',
      command: 'npx <%= config.bin %> simulate --recipients 2000 --kill-at 800',
    },
    {
      description: 'Search for a minute with every kind of fault.',
      command: 'npx <%= config.bin %> simulate --for 60s',
    },
    {
      description: 'What a provider without idempotency keys makes of lost replies.',
      command: 'npx <%= config.bin %> simulate --provider plain --drop-acks 5%',
    },
    {
      description: 'Your own list and your own configuration.',
      command: 'npx <%= config.bin %> simulate --config notify.config.ts --recipients-file people.csv',
    },
    {
      description: 'See a sender fail that many people write.',
      command: 'npx <%= config.bin %> simulate --break failover-on-timeout',
    },
    {
      description: 'Kill a real process for real.',
      command: 'npx <%= config.bin %> simulate --real --recipients 2000 --kill-at 800',
    },
    {
      description: 'The same on a server of your own, with a queue on another.',
      command:
        'npx <%= config.bin %> simulate --real --ledger postgres://me@127.0.0.1/test --queue redis://127.0.0.1:6379 --kill-at 80',
    },
    {
      description: 'Crash the PostgreSQL that the ledger is on, started for the run alone.',
      command: 'npx <%= config.bin %> simulate --real --ledger postgres: --restart ledger@80',
    },
  ];
  static override flags = SIMULATE_FLAGS;

  async run(): Promise<void> {
    const { flags } = await this.parse(Simulate, withBareQueue(this.argv));
    const kind = terminalKind({ color: !flags['no-color'] });
    // Code of the user's own runs apart, so that whatever it does the command still answers.
    if (flags.config === undefined) {
      const { simulateHere } = await import('../simulate/here.ts');
      this.end(await simulateHere(flags, kind, new URL('../threads/search.js', import.meta.url)));
    } else {
      const { simulateInThread } = await import('../simulate/in-thread.ts');
      const entry = new URL('../threads/simulate.js', import.meta.url);
      this.end(await simulateInThread({ flags, terminal: kind, entry }));
    }
  }
}
