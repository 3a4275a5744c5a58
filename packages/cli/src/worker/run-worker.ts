import type { TelemetryEvent } from '@sendonce/core';
import { EXIT } from '../command-error.ts';
import { atDesk, type Desk } from '../operate/desk.ts';
import { ledgerWords } from '../operate/which-ledger.ts';
import { absolute } from '../operate/words.ts';
import { onSignals } from '../simulate/interrupt.ts';
import { checkUps } from './check-up.ts';
import { firstContact } from './first-contact.ts';
import type { WorkerFlags } from './flags.ts';
import { hashed } from './hashed.ts';
import { nextTry } from './next-try.ts';
import { healthServer, type HealthServer } from './health-server.ts';
import { parseWorker, type WorkerRequest } from './request.ts';
import { Vitals } from './vitals.ts';
import { jsonVoice, wordsVoice, type Voice } from './voice.ts';

/** Core's own, where the config does not say; see `WorkerOptions`. */
const GRACE_MS = 10_000;
const NO_PROGRESS_MS = 60_000;
const CONCURRENCY = 50;
const BOTH = ['decide', 'deliver'] as const;
/** What is left once the sends have had their time: writing what came of them, and closing. */
const CLOSING_MS = 10_000;

/** Runs `notify worker` until a signal; answers its exit code. @throws SendonceError FLAG_INVALID, CONFIG_INVALID, DRIVER_MISSING, ... */
export function runWorker(flags: WorkerFlags): Promise<number> {
  const request = parseWorker(flags);
  const vitals = new Vitals();
  let voice: Voice | null = null;
  const emit = (event: TelemetryEvent): void => {
    vitals.note(event);
    voice?.event(event);
  };
  return atDesk(
    flags,
    async (desk) => {
      const options = {
        vitals,
        hashed: hashed(desk.terminal.env['SENDONCE_LOG_KEY']),
        now: desk.now,
        dueOf: (ids: readonly string[]) => nextTry(desk.ledger, ids),
      };
      voice = desk.isJson ? jsonVoice(desk.terminal, options) : wordsVoice(desk.terminal, options);
      try {
        return await work(desk, request, { ...options, voice });
      } finally {
        voice.close();
      }
    },
    { telemetry: [{ emit }], makesLedger: true },
  );
}

interface Senses {
  readonly vitals: Vitals;
  readonly voice: Voice;
  readonly hashed: (text: string) => string;
}

async function work(desk: Desk, { options, health }: WorkerRequest, senses: Senses): Promise<number> {
  const { notifier, ledger, config } = desk;
  const { voice, vitals } = senses;
  const { graceMs = GRACE_MS, noProgressMs = NO_PROGRESS_MS, stages = BOTH } = { ...config.worker, ...options };
  const worker = notifier.worker(options);
  const controller = new AbortController();
  const { signal } = controller;
  const stop = (): void => {
    voice.news(
      { kind: 'worker.stopping' },
      'Stopping: what is on its way may finish. A second signal ends it at once.',
    );
    controller.abort();
  };
  const end = (): never => process.exit(EXIT.interrupted);
  const dispose = onSignals({ stop, end, patienceMs: graceMs + CLOSING_MS });
  // Ctrl-C in a terminal ends whoever reads as well: then it is stopping already, and this changes nothing.
  let isUnheard = false;
  process.stdout.once('unheard', () => {
    if (signal.aborted) return;
    isUnheard = true;
    process.emit('SIGTERM', 'SIGTERM');
  });
  const startedAt = absolute(desk.now());
  const check = checkUps({ worker, ledger, noProgressMs, delivers: stages.includes('deliver'), ...senses });
  const about = (): Readonly<Record<string, unknown>> => ({
    schema: 'sendonce.worker/1',
    name: options.name ?? config.worker?.name ?? null,
    pid: process.pid,
    startedAt,
    stages,
    settled: Object.fromEntries(vitals.settled),
  });
  let server: HealthServer | null = null;
  try {
    if (health !== null) server = await healthServer(health, { check, about, isStopping: () => signal.aborted });
    sayStarted(desk, voice, { options, stages, url: server?.url ?? null });
    await meet(desk, voice, signal);
    await worker.run({ signal });
  } finally {
    await server?.close();
    dispose();
  }
  voice.news({ kind: 'worker.stopped', settled: Object.fromEntries(vitals.settled) }, `Stopped: ${vitals.words}.`);
  return isUnheard ? EXIT.output : EXIT.pass;
}

interface Started {
  readonly options: WorkerRequest['options'];
  readonly stages: readonly string[];
  readonly url: string | null;
}

function sayStarted({ config, ledger }: Desk, voice: Voice, { options, stages, url }: Started): void {
  const { concurrency = CONCURRENCY, name = null } = { ...config.worker, ...options };
  const who = name === null ? 'Working' : `${name} is working`;
  const where = url === null ? '' : `\nHealth: ${url}/healthz, counts: ${url}/status`;
  voice.news(
    {
      kind: 'worker.started',
      name,
      pid: process.pid,
      stages,
      concurrency,
      ledger: ledger.capabilities.file,
      health: url,
    },
    // The process is this one: npx starts others around it, which a signal does not get past.
    `${who}: ${stages.join(' and ')}, up to ${concurrency} at once, process ${process.pid}${ledgerWords(ledger)}. Ctrl-C stops it.${where}`,
  );
}

/** Says in a word with a code when the ledger is out of reach; the worker tries again by itself. */
async function meet({ ledger }: Desk, voice: Voice, signal: AbortSignal): Promise<void> {
  const stopped = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }));
  const error = await Promise.race([firstContact(ledger), stopped]);
  if (error === null) return;
  const { code, message, docs } = error;
  voice.news(
    { kind: 'worker.waiting', code, reason: message },
    `${code}: ${message}\n  See ${docs}\n  Trying again until it answers.`,
  );
}
