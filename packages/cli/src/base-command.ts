import { Command } from '@oclif/core/command';
import { boolean } from '@oclif/core/flags';
import { commandError, EXIT, type CommandError } from './command-error.ts';

// Kept from before any simulated world replaces it.
const nextTurn = setImmediate;

/** What all commands share: `--json`, `--no-color`, one way to fail, and an end even if a config file left something open. */
export abstract class BaseCommand extends Command {
  static override baseFlags = {
    json: boolean({ description: 'Print one JSON object and nothing else on stdout.', helpGroup: 'OUTPUT' }),
    'no-color': boolean({ description: 'No colours, also set by NO_COLOR.', helpGroup: 'OUTPUT' }),
  };

  /** How an error is laid out under `--json`; 0 where each line of stdout is an object. */
  protected readonly jsonSpaces: number = 2;

  override async init(): Promise<void> {
    await super.init();
    // The first is bin/notify.js's. oclif's own would throw what that one has told already, in the middle of whatever is under way.
    for (const other of process.stdout.listeners('error').slice(1)) process.stdout.off('error', other as () => void);
    // A promise that the user's own code forgot about: it is told like anything else that is thrown.
    process.on('unhandledRejection', (thrown) => {
      // Not here: this may be the middle of a simulated run, in which nothing may be written, and which may tell it better itself.
      nextTurn(() => {
        if (this.#hasTold) return;
        this.#tell(thrown);
        process.exit();
      });
    });
  }

  override async catch(thrown: Error & { code?: string }): Promise<void> {
    // oclif's own way to leave early, for instance after --help.
    if (thrown.code === 'EEXIT') throw thrown;
    this.parsed = true;
    this.#tell(thrown);
  }

  /** The result of a command: its exit code, or what went wrong. */
  protected end(result: number | CommandError): void {
    if (typeof result === 'number') process.exitCode = result;
    else this.#print(result);
  }

  #hasTold = false;

  #tell(thrown: unknown): void {
    const { flags, baseFlags } = this.ctor;
    this.#print(commandError(thrown, Object.keys({ ...baseFlags, ...flags }), this.id?.replaceAll(':', ' ')));
  }

  #print({ exitCode, text, json }: CommandError): void {
    this.#hasTold = true;
    process.exitCode = exitCode;
    process.stderr.write(text);
    if (this.argv.includes('--json')) process.stdout.write(`${JSON.stringify(json, null, this.jsonSpaces)}\n`);
    // Whoever interrupts waits no longer, whatever is still going on.
    if (exitCode === EXIT.interrupted) process.exit();
  }

  override async finally(): Promise<void> {
    endSoon();
  }
}

/** Ends the process once its output is written, if something that a config file opened would keep it alive. */
function endSoon(): void {
  setTimeout(() => {
    if (process.stdout.writableLength > 0 && process.stdout.errored === null) endSoon();
    else process.exit();
  }, 500).unref();
}
