import { INVARIANTS } from './checkers/index.ts';
import { coverage, type Coverage, type CoverageData } from './coverage.ts';
import { neverFired, unexpected } from './doubts.ts';
import { EndsOfSchedules } from './ends.ts';
import { hashText } from './kernel/draw.ts';
import type { PlanFile } from './plan.ts';
import { duration } from './report/format.ts';
import type {
  Coverage as CoverageSummary,
  Minimal,
  SimulateOptions,
  SimulateReport,
  Workload,
} from './report/types.ts';
import { CLASSES_OF_END, type EndClass, type RunResult, type Tally } from './result.ts';
import { RunAborted } from './run.ts';
import { failureOf, runSchedule, verdictOf, withoutCounts, type Schedule, type ScheduleOptions } from './schedule.ts';
import { recipientCount, type Case, type Verdict } from './search/case.ts';
import { explain } from './search/explain.ts';
import type { Ahead } from './search/ahead.ts';
import { casesOf } from './search/cases.ts';
import { Nobody } from './search/nobody.ts';
import { seenOf, type Seen } from './search/seen.ts';
import { shrink } from './search/shrink.ts';
import { runVerdict } from './verdict.ts';
import { whoIsWho } from './who-is-who.ts';
import { isGraver, worstOf } from './worst.ts';

/** How long a failing case may be made smaller, and then explained, real ms. */
const SHRINK_MS = 10_000;
const EXPLAIN_MS = 3_000;
/** One passing schedule of so many is run twice, and each failing one, to see that it is the same run. */
const TWICE_EVERY = 100;
const THREADS_AFTER_MS = 300;
/** A case this small is run to its end even if somebody waits. */
const SMALL = 200;
const NO_VERDICT: Verdict = { failure: null, fired: [], involved: [] };

/** What our own callers may ask beside. */
export interface SearchOptions extends SimulateOptions {
  /** Say what may vary in the minimal plan. @defaultValue true */
  readonly explain?: boolean;
  /** What the one schedule is expected to end in, as in a plan. @defaultValue nothing */
  readonly expect?: string | undefined;
}

/** Runs schedules until one fails, the number or the time is up, or the signal aborts; a failing one comes back as small as it gets. */
export async function simulate(options: SearchOptions): Promise<SimulateReport> {
  const run = new Search(options);
  await run.search();
  return run.report();
}

/** Runs a plan exactly as it is written. Without the violation that it expects it is inconclusive. */
export async function replayPlan(
  plan: PlanFile,
  options: { readonly workload?: Workload | null; readonly signal?: AbortSignal } = {},
): Promise<SimulateReport> {
  const { seed, setup, faults, expect } = plan;
  const run = new Search({
    expect,
    seed,
    setup,
    faults,
    record: true,
    workload: options.workload ?? null,
    ...(options.signal && { signal: options.signal }),
  });
  await run.search({ asWritten: true });
  return run.report();
}

class Search {
  readonly #options: SearchOptions;
  readonly #coverage: Coverage = coverage();
  readonly #schedule: ScheduleOptions;
  readonly #startedAt = performance.now();
  readonly #sums: Record<EndClass, number> = Object.fromEntries(CLASSES_OF_END.map((name) => [name, 0])) as Record<
    EndClass,
    number
  >;
  readonly #nobody = new Nobody();
  readonly #ends = new EndsOfSchedules();
  #totals = { requested: 0, armed: 0, fired: 0, virtualMs: 0 };
  #schedules = 0;
  #ahead: Ahead | null = null;
  #hash = 0;
  #first: Schedule | null = null;
  #failed: Schedule | null = null;
  /** The gravest of what a known-bad sender did beside what it stands for. */
  #beside: Schedule | null = null;
  #minimal: { readonly schedule: Schedule; readonly minimal: Minimal } | null = null;
  #nondeterminism: SimulateReport['nondeterminism'] = null;

  constructor(options: SearchOptions) {
    this.#options = options;
    const { workload = null, record = false } = options;
    const isAborted = (accepted: number): boolean => {
      this.#progress(accepted);
      return this.#isInterrupted();
    };
    this.#schedule = { workload, covered: true, record, trace: true, isAborted };
  }

  async search(options: { readonly asWritten?: boolean } = {}): Promise<void> {
    try {
      await this.#search(options);
    } catch (error) {
      // What is known of the schedules before is shown.
      if (!(error instanceof RunAborted)) throw error;
    } finally {
      await this.#ahead?.close();
    }
  }

  async #search({ asWritten = false }: { readonly asWritten?: boolean }): Promise<void> {
    const { schedules = 1, forMs = null } = this.#options;
    const caseAt = casesOf(this.#options);
    if (schedules === 1 && forMs === null) {
      const only = await this.#count(caseAt(0), { record: this.#schedule.record });
      if (failureOf(only.result) !== null && !asWritten) await this.#shrinkAlone(only);
      return;
    }
    // Loaded only where there is something to search: it is a third of the start-up time.
    const { falsify } = await import('./search/property.ts');
    // However short the time is, one schedule at least runs: none would prove nothing.
    const isTimeUp = (): boolean => forMs !== null && this.#schedules > 0 && this.#wallMs() >= forMs;
    const over = (): boolean =>
      this.#isInterrupted() || this.#nondeterminism !== null || this.#nobody.isHopeless || isTimeUp();
    const cases = forMs === null ? schedules : Number.MAX_SAFE_INTEGER;
    const falsified = await falsify({
      caseAt,
      run: (of) => this.#try(of, cases),
      cases,
      over,
      shrinkMs: SHRINK_MS,
      nowMs: () => performance.now(),
    });
    if (falsified !== null) await this.#keepMinimal(falsified.smallest, falsified.verdict);
  }

  /** A schedule of the search or, once one has failed, of making it smaller. */
  async #try(of: Case, cases: number): Promise<Verdict> {
    if (this.#failed !== null) return this.#quietly(of);
    const seen = await this.#fromThread(cases);
    if (seen === null) return verdictOf(await this.#count(of, { record: false }));
    this.#add(seen);
    return { failure: null, fired: seen.result.fired, involved: [] };
  }

  /** The next schedule, as a thread saw it. Null where there are no threads, and when anything is wrong with it: then it is run here. */
  async #fromThread(cases: number): Promise<Seen | null> {
    if (isTwice(this.#schedules)) return null;
    this.#ahead ??= await this.#startThreads(cases);
    const seen = (await this.#ahead?.take(this.#schedules)) ?? null;
    return seen !== null && worstOf(seen.result) === null ? seen : null;
  }

  async #startThreads(cases: number): Promise<Ahead | null> {
    const { threads, signal, setup, seed, faults, dropAcks = 0, profile = null, workload = null } = this.#options;
    if (threads === undefined || workload?.kind === 'config') return null;
    if (this.#wallMs() < (threads.afterMs ?? THREADS_AFTER_MS)) return null;
    const { Ahead, threadsFor } = await import('./search/ahead.ts');
    const many = threads.threads ?? threadsFor(recipientCount(setup));
    if (many === 0) return null;
    const source = { setup, seed, faults, dropAcks, profile, workload };
    const ahead = new Ahead({ entry: threads.entry, threads: many, source, cases, isOwn: isTwice });
    signal?.addEventListener('abort', () => void ahead.close(), { once: true });
    return ahead;
  }

  /** Once somebody wants to go, nothing gets smaller. */
  async #quietly(of: Case): Promise<Verdict> {
    if (this.#isInterrupted()) return NO_VERDICT;
    this.#progress(0);
    try {
      return verdictOf(await runSchedule(of, { ...this.#schedule, covered: false, record: false, trace: false }));
    } catch (error) {
      if (error instanceof RunAborted) return NO_VERDICT;
      throw error;
    }
  }

  async #count(of: Case, { record }: { readonly record: boolean }): Promise<Schedule> {
    const isTraced = this.#isAlone || isTwice(this.#schedules);
    const ran = await runSchedule(of, { ...this.#schedule, record, trace: isTraced });
    // A failing schedule is shown, so its hash has to be that of its events.
    const schedule = isTraced || failureOf(ran.result) === null ? ran : await this.#again(of);
    const { result } = schedule;
    this.#first ??= schedule;
    if (failureOf(result) !== null) this.#failed = schedule;
    else if (isGraver(worstOf(result), this.#beside && worstOf(this.#beside.result))) this.#beside = schedule;
    if (this.#failed !== null || isTwice(this.#schedules)) await this.#compare(of, result);
    this.#add(seenOf(schedule));
    return schedule;
  }

  #progress(acceptedSince: number): void {
    const { schedules = 1, forMs = null, onProgress } = this.#options;
    const settled = this.#totals.requested + (this.#failed === null ? acceptedSince : 0);
    onProgress?.({
      schedules: this.#schedules,
      ofSchedules: forMs === null ? schedules : null,
      settled,
      shrinking: this.#failed !== null,
      wallMs: this.#wallMs(),
    });
  }

  #add(seen: Seen): void {
    const { tally, requested, faults, fired, virtualMs, traceHash, setup } = seen.result;
    this.#nobody.saw(seen);
    this.#ends.saw(seen, this.#options.workload?.kind === 'config' ? null : recipientCount(setup));
    if (seen.covered !== null) this.#coverage.add(seen.covered);
    for (const name of CLASSES_OF_END) this.#sums[name] += tally[name];
    const totals = this.#totals;
    this.#totals = {
      requested: totals.requested + requested,
      armed: totals.armed + faults.length,
      fired: totals.fired + fired.filter(Boolean).length,
      virtualMs: totals.virtualMs + virtualMs,
    };
    this.#hash = hashText(`${this.#hash} ${traceHash}`);
    this.#schedules += 1;
    this.#progress(0);
  }

  get #isAlone(): boolean {
    return (this.#options.schedules ?? 1) === 1 && (this.#options.forMs ?? null) === null;
  }

  /** The case once more, every event hashed. */
  #again(of: Case): Promise<Schedule> {
    return runSchedule(of, { ...this.#schedule, covered: false, record: false, trace: true });
  }

  /** The main command is one schedule of a few hundred milliseconds: its second run is asked for by `--schedules`, a failure or a plan. */
  async #compare(of: Case, { seed, traceHash }: RunResult): Promise<void> {
    if (this.#isAlone && this.#failed === null) return;
    const again = await this.#again(of);
    if (again.result.traceHash !== traceHash)
      this.#nondeterminism = { seed, first: traceHash, second: again.result.traceHash };
  }

  async #shrinkAlone(found: Schedule): Promise<void> {
    const until = performance.now() + SHRINK_MS;
    const outOfTime = (): boolean => performance.now() >= until || this.#isInterrupted();
    const start = await this.#addressed(found);
    const { smallest, verdict } = await shrink(start.of, start.verdict, { run: (of) => this.#quietly(of), outOfTime });
    await this.#keepMinimal(smallest, verdict);
  }

  /** Counted kills become kills of a delivery, where that fails in the same way. */
  async #addressed(found: Schedule): Promise<{ readonly of: Case; readonly verdict: Verdict }> {
    const verdict = verdictOf(found);
    const rewritten = withoutCounts(found);
    const again = await this.#quietly(rewritten);
    return again.failure === verdict.failure ? { of: rewritten, verdict: again } : { of: found.of, verdict };
  }

  async #keepMinimal(smallest: Case, verdict: Verdict): Promise<void> {
    const { isAborted: _, ...toTheEnd } = this.#schedule;
    const options = recipientCount(smallest.setup) <= SMALL ? toTheEnd : this.#schedule;
    const schedule = await runSchedule(smallest, { ...options, covered: false, record: true });
    const until = performance.now() + EXPLAIN_MS;
    const outOfTime = (): boolean => performance.now() >= until || this.#isInterrupted();
    const explaining = { run: (of: Case) => this.#quietly(of), outOfTime, duration };
    const explanation =
      this.#options.explain === false ? [] : await explain(smallest, verdict.failure ?? '', explaining);
    const { result } = schedule;
    const first = result.violations[0];
    const plan: PlanFile = {
      schema: 'sendonce.plan/1',
      title: first?.message ?? 'no violation',
      seed: smallest.seed,
      setup: smallest.setup,
      faults: smallest.faults,
      expect: first?.invariant ?? 'pass',
    };
    this.#minimal = { schedule, minimal: { plan, explanation, result } };
  }

  report(): SimulateReport {
    const { seed, setup } = this.#options;
    const broken = this.#failed ?? this.#beside;
    const shown = broken ?? this.#first;
    const told = this.#minimal?.schedule ?? shown;
    const data = this.#coverage.data();
    const doubts = this.#doubts(data);
    const tally: Tally = { ...this.#sums };
    return {
      verdict: runVerdict({
        hasTwoHistories: this.#nondeterminism !== null,
        isBroken: broken !== null,
        interrupted: this.#isInterrupted(),
        doubts,
      }),
      mode: 'virtual',
      seed,
      setup,
      schedules: this.#schedules,
      totals: { ...this.#totals, tally },
      result: shown?.result ?? nothing(this.#options),
      ...(this.#schedules > 1 && { ends: this.#ends.summary() }),
      minimal: this.#minimal?.minimal ?? null,
      events: told?.events ?? [],
      ...whoIsWho(told, shown),
      coverage: summary(data),
      checked: this.#schedules === 0 ? [] : INVARIANTS,
      doubts,
      nondeterminism: this.#nondeterminism,
      interrupted: this.#isInterrupted(),
      wallMs: this.#wallMs(),
      traceHash:
        this.#schedules === 1 && shown !== null ? shown.result.traceHash : this.#hash.toString(16).padStart(8, '0'),
    };
  }

  /** What was asked for and did not happen proves nothing. */
  #doubts(data: CoverageData): readonly string[] {
    const { faults, dropAcks = 0, profile = null, expect } = this.#options;
    const first = this.#first;
    const nobody = this.#nobody.doubts();
    const doubts = [...nobody, ...(first === null ? [] : unexpected(first.result, expect))];
    // What was never sent could be struck by nothing: that no fault fired follows.
    if (nobody.length > 0) return doubts;
    if (profile === null && first !== null)
      for (const [index, fault] of faults.entries())
        if (first.result.fired[index] !== true)
          doubts.push(`fault ${index + 1} (${fault.do}) never fired: what it is addressed to never happened`);
    if (dropAcks > 0 && first !== null && profile === null && !first.result.fired.slice(faults.length).some(Boolean))
      doubts.push('no reply was lost: too few sends for that share');
    if (this.#schedules >= TWICE_EVERY) doubts.push(...neverFired(data));
    return doubts;
  }

  #isInterrupted(): boolean {
    return this.#options.signal?.aborted === true;
  }

  #wallMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}

function isTwice(n: number): boolean {
  return n % TWICE_EVERY === 0;
}

function summary({ faults, pairs, moves }: CoverageData): CoverageSummary {
  return {
    faults: faults.map(({ kind, op, phase, armed, fired }) => ({ kind: `${kind} ${op} ${phase}`, armed, fired })),
    moves: { seen: moves.seen.length, declared: moves.declared },
    pairs: pairs.length,
  };
}

/** What is known of a schedule that was interrupted. */
function nothing({ seed, setup, faults }: SearchOptions): RunResult {
  return {
    seed,
    setup,
    faults,
    fired: faults.map(() => false),
    requested: 0,
    tally: Object.fromEntries(CLASSES_OF_END.map((name) => [name, 0])) as Record<EndClass, number>,
    kills: [],
    violations: [],
    unsealed: [],
    notSent: [],
    virtualMs: 0,
    events: 0,
    traceHash: '',
  };
}
