import { SendonceError, type AddressRules, type NotificationType, type Notifier } from '@sendonce/core';
import { addressRules } from '@sendonce/core/internal';
import { EXIT } from '../command-error.ts';
import { atDesk, type Desk } from '../operate/desk.ts';
import { onSignals } from '../simulate/interrupt.ts';
import type { SendFlags } from './flags.ts';
import { checkPeople, type People } from './people.ts';
import { Publisher, type Item } from './publisher.ts';
import { readData } from './read-data.ts';
import { Report } from './report.ts';
import { parseSend, type SendRequest } from './request.ts';
import { NOWHERE, placeIn, refusedLine, type SendLine } from './send-line.ts';
import { untilAborted } from './until-aborted.ts';

/** Beyond those of every command: some rows were refused, and are listed. */
export const SOME_REFUSED = 4;

/** Rows per ledger call. */
const BATCH = 200;
/** As many targets per page as core takes where the config does not say, see `worker.chunk`. */
const PAGE_SIZE = 500;
/** Longer than a batch takes that waits for a lock. A second Ctrl-C ends at once, ms. */
const PATIENCE_MS = 30_000;

/** Runs `notify send`; answers its exit code. @throws SendonceError FLAG_INVALID, CONFIG_FILE_INVALID, LEDGER_UNAVAILABLE, ... */
export function runSend(typeName: string, flags: SendFlags): Promise<number> {
  const request = parseSend(flags);
  return atDesk(
    flags,
    async (desk) => {
      const controller = new AbortController();
      const dispose = onSignals({
        stop: () => controller.abort(),
        end: () => process.exit(EXIT.interrupted),
        patienceMs: PATIENCE_MS,
      });
      const report = new Report(desk.terminal, desk.isJson);
      try {
        await send(desk, typeName, { request, report, signal: controller.signal });
        report.end();
        desk.terminal.err(lastWords(desk, report, controller.signal.aborted));
      } catch (error) {
        report.end();
        if (report.counts.accepted > 0) desk.terminal.err(`${report.words}, then it failed. ${AGAIN}\n`);
        throw error;
      } finally {
        dispose();
      }
      if (controller.signal.aborted) return EXIT.interrupted;
      return report.refused > 0 ? SOME_REFUSED : EXIT.pass;
    },
    { makesLedger: true },
  );
}

const AGAIN = 'Run the same command again: what was accepted is not published twice.';

function lastWords({ command, isJson, ledger }: Desk, { words, counts }: Report, isInterrupted: boolean): string {
  const { file } = ledger.capabilities;
  const where = file === null ? '' : `Ledger: ${file}\n`;
  if (isInterrupted) return `Interrupted: ${words}. ${AGAIN}\n${where}`;
  const next = isJson || counts.accepted + counts.repeated === 0 ? '' : `A worker sends it: ${command('worker')}\n`;
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}.\n${where}${next}`;
}

interface Run {
  readonly request: SendRequest;
  readonly report: Report;
  readonly signal: AbortSignal;
}

async function send(desk: Desk, name: string, { request, report, signal }: Run): Promise<void> {
  const { ledger, config } = desk;
  const notifier = desk.notifier as unknown as Notifier<Record<string, NotificationType>>;
  refuseMemory(desk);
  // Says that there is no such type before anything is read.
  await notifier.publishMany(name, []);
  const type = config.notifications[name] as NotificationType;
  const { keyColumn, tenant, recipientsFile } = request;
  if (type.route === undefined && recipientsFile === null)
    throw new SendonceError(
      'RECIPIENTS_MISSING',
      `the type '${name}' has no route(data), so who gets it comes by --recipients-file people.csv`,
    );
  const rules = addressRules(config);
  const people = recipientsFile === null ? null : await checkedPeople(recipientsFile, rules, report);
  const pageSize = config.worker?.chunk ?? PAGE_SIZE;
  const publisher = new Publisher({ notifier, ledger, name, type, tenant, keyColumn, people, pageSize, rules });
  for await (const lines of results(request, publisher, signal)) report.tell(lines);
}

/** What is accepted would be gone when this process ends, and nobody would be told. */
function refuseMemory({ ledger: { capabilities } }: Desk): void {
  if (capabilities.shared || capabilities.durable) return;
  throw new SendonceError(
    'CONFIG_INVALID',
    'the ledger of this config is in the memory of one process: no worker would ever see what is accepted here. ' +
      "Use one that is shared, such as sqliteLedger({ file: 'sendonce.db' })",
  );
}

function checkedPeople(file: string, rules: AddressRules, report: Report): Promise<People> {
  return checkPeople(file, rules, ({ line, reason }) =>
    report.tell([refusedLine(placeIn(file, line), { code: 'DATA_INVALID', message: reason })]),
  );
}

async function* results(
  { source, key }: SendRequest,
  publisher: Publisher,
  signal: AbortSignal,
): AsyncGenerator<readonly SendLine[]> {
  if (source.kind === 'one') {
    yield await publisher.publish([{ place: NOWHERE, data: source.data, key }]);
    return;
  }
  const { file, format } = source;
  for await (const rows of untilAborted(readData(file, format), signal)) {
    // As they come in: whoever writes into a pipe little by little does not wait for a batch to be full.
    for (let from = 0; from < rows.length && !signal.aborted; from += BATCH) {
      const batch = rows.slice(from, from + BATCH);
      const items = batch.flatMap((row): Item[] =>
        row.kind === 'data' ? [{ place: placeIn(file, row.line), data: row.data, key: null }] : [],
      );
      const published = [...(await publisher.publish(items))];
      yield batch.map((row) =>
        row.kind === 'data'
          ? published.shift()!
          : refusedLine(placeIn(file, row.line), { code: 'DATA_INVALID', message: row.reason }),
      );
    }
  }
}
