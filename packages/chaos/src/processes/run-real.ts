import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SendonceError, type Ledger } from '@sendonce/core';
import { policyFacts } from '../checkers/context.ts';
import { hashText } from '../kernel/draw.ts';
import type { Fault } from '../plan.ts';
import { lostReplies } from '../search/lost-replies.ts';
import { makeWorkload } from '../workload/make-workload.ts';
import type { Knobs } from '../world/knobs.ts';
import { limitsIn, policyOf, settleBoundMs } from '../world/limits.ts';
import { runKnobs } from '../world/run-knobs.ts';
import { checkSound } from '../world/soundness.ts';
import { audienceOf, type Audience } from './audience.ts';
import { sharedClock } from './clock.ts';
import { capabilitiesOf, processConfig } from './config.ts';
import type { RealEnd } from './facts.ts';
import { openGate } from './gate.ts';
import { asHarness, checkRoom, wordsOf } from './harness-failed.ts';
import { caller, type Caller } from './loopback.ts';
import { patienceOf } from './patience.ts';
import { realReport, type Known } from './real-report.ts';
import { readRemains } from './remains.ts';
import { splitPlan } from './split-plan.ts';
import { Supervisor } from './supervisor.ts';
import { ledgerTerms, queueTerms } from './terms.ts';
import type { RealOptions, RealReport, ServerFaults } from './types.ts';

const NO_SERVER_FAULTS: ServerFaults = { faults: [], isForgetful: false, strike: () => Promise.resolve() };

/**
 * Runs the real core code in real processes, kills them as the plan says, and judges by what is in the mailbox. Leaves no process behind,
 * and no folder unless asked to.
 * @throws SendonceError PLAN_INVALID for faults that cannot be made for real; OPTION_INVALID for a ledger that is not empty, or where no
 * folder can be made; HARNESS_FAILED where the run itself broke; what the ledger throws when it cannot be used.
 */
export async function runReal(options: RealOptions): Promise<RealReport> {
  const folder = makeFolder();
  const run = new Run(options, folder);
  // Whoever ends this process in a hurry waits for nothing.
  const abandon = (): void => run.abandon();
  process.once('exit', abandon);
  try {
    return await run.run();
  } catch (error) {
    throw await asHarness(error, folder);
  } finally {
    process.off('exit', abandon);
    run.removeFolder();
  }
}

/** @throws SendonceError OPTION_INVALID */
function makeFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'sendonce-real-'));
  } catch (error) {
    throw new SendonceError(
      'OPTION_INVALID',
      `no folder for the run can be made in ${tmpdir()}: ${wordsOf(error)}. Name one that can be written in TMPDIR`,
      { cause: error },
    );
  }
}

class Run {
  readonly #options: RealOptions;
  readonly #folder: string;
  readonly #startedAt = performance.now();
  readonly #knobs: Knobs;
  readonly #speed: number;
  readonly #faults: readonly Fault[];
  readonly #audience: Audience;
  readonly #workload: ReturnType<typeof makeWorkload>;
  #supervisor: Supervisor | null = null;

  constructor(options: RealOptions, folder: string) {
    const { setup, seed, faults, dropAcks = 0, workload = null, speed = 1 } = options;
    checkSound(setup, workload, faults);
    this.#options = options;
    this.#folder = folder;
    this.#speed = speed;
    this.#knobs = runKnobs(setup, workload);
    this.#faults = [...faults, ...lostReplies({ seed, setup, faults }, dropAcks, workload)];
    this.#workload = makeWorkload(workload, setup, hashText(seed), this.#knobs);
    this.#audience = audienceOf(this.#workload);
  }

  /** Leaves nobody and nothing behind, at once. */
  abandon(): void {
    this.#supervisor?.abandon();
    this.removeFolder();
  }

  removeFolder(): void {
    if (this.#options.keep !== true) rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  async run(): Promise<RealReport> {
    const { setup, workload = null, openLedger, queue: given = null, signal = never() } = this.#options;
    const plan = splitPlan(this.#faults, {
      limits: limitsIn(setup, workload),
      deliveryOf: (recipient) => this.#audience.deliveryOf(recipient),
    });
    const clockOrders = { startedAt: Date.now(), speed: this.#speed };
    const clock = sharedClock(clockOrders);
    const address = this.#options.ledger(this.#folder);
    const ledger = await openLedger(
      address,
      ledgerTerms(this.#knobs, () => clock.now()),
    );
    const queue = setup.queue && given !== null ? await given.open(given.address, queueTerms(this.#knobs)) : null;
    const mailbox = join(this.#folder, 'mailbox.ndjson');
    const callers: Caller[] = [];
    const config = (port: number): ReturnType<typeof processConfig> => {
      callers.push(caller(port));
      return processConfig({
        name: 'producer',
        setup,
        knobs: this.#knobs,
        workload: this.#workload,
        channels: this.#workload.channels,
        ledger,
        queue,
        caller: callers.at(-1) as Caller,
        clock,
        speed: this.#speed,
        gate: openGate,
      });
    };
    try {
      await refuseUsed(ledger, address);
      const { seed } = this.#options;
      const { file } = ledger.capabilities;
      const writing = [this.#folder, ...(file === null ? [] : [dirname(file)])];
      const { serverFaults } = this.#options;
      const supervisor = new Supervisor({
        serverFaults: serverFaults ?? NO_SERVER_FAULTS,
        entries: this.#options.entries,
        folder: this.#folder,
        checkRoom: () => checkRoom(writing),
        plan,
        faults: this.#faults.length,
        workers: setup.workers,
        hasQueue: setup.queue,
        ledger,
        now: () => clock.now(),
        speed: this.#speed,
        patience: this.#patience(),
        providerOrders: {
          kind: 'provide',
          setup,
          seed,
          clock: clockOrders,
          mailbox,
          hold: [...new Set([...plan.hold, ...(serverFaults?.faults ?? []).map(({ acceptance }) => acceptance)])],
          scripts: plan.scripts,
          folder: this.#options.keep === true ? null : this.#folder,
        },
        workOrders: {
          kind: 'work',
          setup,
          seed,
          channels: this.#workload.channels,
          isListed: workload !== null,
          clock: clockOrders,
          ledger: address,
          queue: queue === null ? null : (given?.address ?? null),
        },
        configAt: config,
        publication: this.#workload.publication(0),
        onSettled: (settled) => this.#progress(settled),
        signal,
      });
      const end = await this.#supervise(supervisor);
      if (end === 'interrupted') return this.#report(supervisor, { end, address, remains: null });
      const remains = await readRemains(ledger, mailbox, clock.now());
      return this.#report(supervisor, { end, address, remains });
    } finally {
      for (const each of callers) each.close();
      await queue?.close();
      await ledger.close();
    }
  }

  async #supervise(supervisor: Supervisor): Promise<RealEnd> {
    this.#supervisor = supervisor;
    let end: RealEnd = 'interrupted';
    try {
      end = await supervisor.run();
      return end;
    } finally {
      await supervisor.end({ gently: end !== 'interrupted' });
    }
  }

  #patience(): ReturnType<typeof patienceOf> {
    const { setup } = this.#options;
    const capabilities = capabilitiesOf(setup, this.#knobs);
    const boundMs = settleBoundMs([this.#policy()], [capabilities], this.#knobs);
    return patienceOf(this.#knobs, {
      boundMs,
      recipients: this.#audience.numbers.length,
      speed: this.#speed,
      waits: setup.sender === null ? 2 : 1,
    });
  }

  #policy(): ReturnType<typeof policyOf> {
    const { type } = this.#workload.publication(0);
    const found = this.#workload.notifications[type];
    if (found === undefined) throw new Error(`'${type}' is not a notification type`);
    return policyOf(found);
  }

  #progress(settled: number): void {
    const wallMs = Math.round(performance.now() - this.#startedAt);
    this.#options.onProgress?.({ schedules: 0, ofSchedules: 1, settled, shrinking: false, wallMs });
  }

  #report(supervisor: Supervisor, { end, address, remains }: Ended): RealReport {
    return realReport({
      options: this.#options,
      faults: this.#faults,
      knobs: this.#knobs,
      speed: this.#speed,
      audience: this.#audience,
      policy: policyFacts(this.#policy()),
      seen: supervisor,
      end,
      address,
      folder: this.#options.keep === true ? this.#folder : null,
      remains,
      wallMs: Math.round(performance.now() - this.#startedAt),
    });
  }
}

function never(): AbortSignal {
  return new AbortController().signal;
}

type Ended = Pick<Known, 'end' | 'address' | 'remains'>;

/** The workers of a run take up whatever is due: never what somebody else put there. */
async function refuseUsed(ledger: Ledger, address: string): Promise<void> {
  const { notifications } = await ledger.count();
  const held = Object.values(notifications).reduce((sum, n) => sum + n, 0);
  if (held === 0) return;
  throw new SendonceError(
    'OPTION_INVALID',
    `the ledger ${address} holds ${held} notifications, and the workers of a real run would take them up; give one that is empty`,
  );
}
