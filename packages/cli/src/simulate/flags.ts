import { boolean, string } from '@oclif/core/flags';

const world = 'WORLD';
const faults = 'FAULTS';
const search = 'SEARCH';
const own = 'YOUR OWN';
const real = 'REAL PROCESSES';

/** The flags of `notify simulate`. Values are words here; `settings.ts` reads them, so that every mistake is worded in one place. */
export const SIMULATE_FLAGS = {
  recipients: string({
    description: 'How many people to write to, 1 to 1,000,000. [200]',
    helpValue: 'N',
    helpGroup: world,
  }),
  workers: string({ description: 'Workers that share the work, 1 to 64. [4]', helpValue: 'N', helpGroup: world }),
  concurrency: string({ description: 'Sends at once per worker, 1 to 10,000. [50]', helpValue: 'N', helpGroup: world }),
  provider: string({
    description: 'What the two simulated providers can do: take keys, be asked, or neither. [keyed]',
    helpValue: 'keyed|lookup|plain',
    helpGroup: world,
  }),
  class: string({
    description:
      'The class of the messages: security, document, transactional, legal, alert, marketing. [transactional]',
    helpValue: 'CLASS',
    helpGroup: world,
  }),
  'on-unknown': string({
    description: "Instead of the class's own rule: replay, lookup, resend, failover, assume-sent, park.",
    helpValue: 'ACTION',
    helpGroup: world,
  }),
  queue: string({
    description:
      'What wakes the workers; with none they ask the ledger alone. With --real also redis://..., sqs+http://..., amqp://...; or redis:, amqp: for a server of the run. [simulated]',
    helpValue: 'simulated|none|ADDRESS',
    helpGroup: world,
  }),
  'no-queue': boolean({ description: 'The same as --queue none.', helpGroup: world }),

  latency: string({
    description: 'How long a provider takes to answer, 0ms to 1h: 50ms, or from 20ms-400ms. [16ms-48ms]',
    helpValue: 'TIME[-TIME]',
    helpGroup: world,
  }),

  'kill-at': string({
    description:
      'Kill the worker that holds the Nth acceptance. MOMENT: after-accept, before-send, before-ack, mid-batch. [after-accept] May be repeated.',
    helpValue: 'N[:MOMENT]',
    multiple: true,
    multipleNonGreedy: true,
    helpGroup: faults,
  }),
  'drop-acks': string({
    description:
      'For this share of the recipients the provider accepts the first send and its reply is lost; with --config, of the sends. 0: of none.',
    helpValue: 'SHARE',
    helpGroup: faults,
  }),
  faults: string({
    description:
      'Fault profiles or kinds, separated by commas, to draw more faults from. [all, or those of --break; none with --kill-at or --drop-acks]',
    helpValue: 'NAMES',
    helpGroup: faults,
  }),
  break: string({
    description:
      'Run a known-bad sender instead of the real one, to see a red run: in its own small world, with its own faults, unless flags say otherwise. ' +
      'NAME: naive-lock, log-check, job-level, cursor-on-read, ack-first, send-before-mark, mark-expires, unknown-is-failed, ' +
      'unknown-is-sent, key-per-attempt, failover-on-timeout, no-window-guard.',
    helpValue: 'NAME',
    helpGroup: faults,
  }),

  seed: string({
    description: 'The same seed and flags give the same run. [drawn, and printed]',
    helpValue: 'TEXT',
    helpGroup: search,
  }),
  schedules: string({
    description:
      'How many different runs. [1 with --kill-at or --drop-acks, 400 at most with --break, else 100, ' +
      'which takes minutes where there are thousands of recipients: --schedules 5 or --for 10s makes it short]',
    helpValue: 'N',
    helpGroup: search,
  }),
  for: string({
    description: 'Go on with new schedules for this long: 60s, 5m.',
    helpValue: 'TIME',
    helpGroup: search,
  }),
  replay: string({ description: 'Run a plan again, exactly as it is written.', helpValue: 'FILE', helpGroup: search }),
  'self-test': boolean({ description: 'Check that every known-bad sender is caught.', helpGroup: search }),

  'recipients-file': string({
    description:
      'Your own list, .csv with a header or .ndjson: to (or email, phone), name, channel, id; the rest is data.',
    helpValue: 'FILE',
    helpGroup: own,
  }),
  config: string({
    description:
      'Your own notify.config.ts: its types, routes, classes and what its providers can do. Nothing is sent. Each type needs a `sample`; ' +
      'those without a `route` go to --recipients-file.',
    helpValue: 'FILE',
    helpGroup: own,
  }),

  real: boolean({
    description:
      'Run real worker processes on a real ledger, killed with SIGKILL, instead of virtual time: --kill-at (without a fault of your own: half-way), --drop-acks, --break, --replay.',
    helpGroup: real,
  }),
  ledger: string({
    description:
      'With --real: the ledger: sqlite:FILE, which is made, or a server, at which a ledger is made and removed: postgres://..., redis://...; without a host (postgres:, redis:) one that the run starts for itself. [a file that is removed at the end]',
    helpValue: 'ADDRESS',
    helpGroup: real,
  }),
  restart: string({
    description:
      'With --real: at the Nth acceptance, crash the server of the ledger or the queue, and start it again with what it has on its disk. Only one that the run started: --ledger postgres: or redis:, --queue redis: or amqp:. May be repeated.',
    helpValue: 'ledger@N|queue@N',
    multiple: true,
    multipleNonGreedy: true,
    helpGroup: real,
  }),
  wipe: string({
    description:
      'With --real: at the Nth acceptance, the queue loses what it holds, or the ledger (--ledger redis:) comes back from a crash empty, and its producer publishes again. May be repeated.',
    helpValue: 'ledger@N|queue@N',
    multiple: true,
    multipleNonGreedy: true,
    helpGroup: real,
  }),
  keep: boolean({ description: 'With --real: leave the ledger, the queue and the mailbox.', helpGroup: real }),

  report: string({
    description: 'Write summary.json, the plan, events.ndjson, not-sent.ndjson and junit.xml there.',
    helpValue: 'DIR',
    helpGroup: 'OUTPUT',
  }),
};

/** What oclif makes of them. */
export interface SimulateFlags {
  readonly recipients?: string | undefined;
  readonly workers?: string | undefined;
  readonly concurrency?: string | undefined;
  readonly provider?: string | undefined;
  readonly class?: string | undefined;
  readonly 'on-unknown'?: string | undefined;
  readonly queue?: string | undefined;
  readonly 'no-queue'?: boolean | undefined;
  readonly latency?: string | undefined;
  readonly 'kill-at'?: readonly string[] | undefined;
  readonly 'drop-acks'?: string | undefined;
  readonly faults?: string | undefined;
  readonly break?: string | undefined;
  readonly seed?: string | undefined;
  readonly schedules?: string | undefined;
  readonly for?: string | undefined;
  readonly replay?: string | undefined;
  readonly 'self-test'?: boolean | undefined;
  readonly 'recipients-file'?: string | undefined;
  readonly config?: string | undefined;
  readonly report?: string | undefined;
  readonly real?: boolean | undefined;
  readonly ledger?: string | undefined;
  readonly restart?: readonly string[] | undefined;
  readonly wipe?: readonly string[] | undefined;
  readonly keep?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly 'no-color'?: boolean | undefined;
}

export type FlagName = keyof SimulateFlags;
