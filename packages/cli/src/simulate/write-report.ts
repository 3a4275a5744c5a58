import { createWriteStream } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  junit,
  ndjson,
  simulateJson,
  type InputSummary,
  type PlanFile,
  type ReportContext,
  type RunResult,
  type SimulateReport,
} from '@sendonce/chaos';
import { makeFolder } from './check-report.ts';

/**
 * Writes the minimal plan, so that there is always a line that runs it: into the report, else where the system keeps passing files.
 * Null when nothing failed, or when nothing smaller was found than the plan that was replayed.
 */
export async function writePlan(
  report: SimulateReport,
  directory: string | null,
  isNew: boolean,
): Promise<string | null> {
  const plan = report.minimal?.plan ?? (isNew && report.result.violations.length > 0 ? planOf(report.result) : null);
  if (plan === null) return null;
  const { violations, traceHash } = report.minimal?.result ?? report.result;
  const invariant = violations[0]?.invariant ?? plan.expect ?? 'plan';
  const folder = directory ?? join(tmpdir(), 'sendonce');
  const file = join(folder, `${directory === null ? `${invariant}-${traceHash.slice(0, 12)}` : invariant}.plan.json`);
  makeFolder(folder);
  await writeFile(file, `${JSON.stringify(plan, null, 2)}\n`);
  return file;
}

const OUR_PLANS = /^([SL]\d+|META|END|plan)\.plan\.json$/;

/** Plans of an earlier run into the same directory would be taken for this one's. What is being replayed (`keep`) stays. */
export async function removeOldPlans(directory: string, keep: string | null): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names.filter((each) => OUR_PLANS.test(each))) {
    const file = join(directory, name);
    if (keep !== null && resolve(keep) === resolve(file)) continue;
    if ((await readFile(file, 'utf8')).includes('"sendonce.plan/1"')) await rm(file);
  }
}

function planOf({ seed, setup, faults, violations }: RunResult): PlanFile {
  const [first] = violations;
  const expect = first?.invariant ?? 'pass';
  return { schema: 'sendonce.plan/1', title: first?.message ?? expect, seed, setup, faults, expect };
}

/** Everything else that `--report DIR` holds; the folder is there. Files of an earlier run are replaced. */
export async function writeReport(directory: string, report: SimulateReport, context: ReportContext): Promise<void> {
  await writeFile(join(directory, 'summary.json'), `${JSON.stringify(simulateJson(report, context), null, 2)}\n`);
  if (report.real !== undefined)
    await writeFile(join(directory, 'real.json'), `${JSON.stringify(report.real, null, 2)}\n`);
  await writeFile(join(directory, 'junit.xml'), junit(report, context));
  await writeLines(join(directory, 'events.ndjson'), ndjson(report.events));
  await writeLines(join(directory, 'not-sent.ndjson'), notSent(report, context.input));
}

async function writeLines(file: string, lines: Iterable<string>): Promise<void> {
  await pipeline(Readable.from(lines), createWriteStream(file));
}

/** The lists that the text cuts short: whoever got nothing, unfinished notifications, invalid rows. */
function* notSent(report: SimulateReport, input: InputSummary): Generator<string> {
  yield* report.ends === undefined ? ofOne(report) : ofAll(report.ends);
  for (const row of input.invalid) yield `${JSON.stringify({ kind: 'invalid', ...row })}\n`;
}

/** What there is no room for is counted on a line of its own. */
function* ofAll({ lines, leftOut }: NonNullable<SimulateReport['ends']>): Generator<string> {
  for (const line of lines) yield `${JSON.stringify(line)}\n`;
  if (leftOut > 0) yield `${JSON.stringify({ kind: 'left-out', count: leftOut })}\n`;
}

function* ofOne({ result, addressOf, idOf }: SimulateReport): Generator<string> {
  for (const { recipient, state, reason } of result.notSent) {
    const to = addressOf[recipient] ?? null;
    yield `${JSON.stringify({ kind: state, recipient: idOf[recipient] ?? recipient, to, reason })}\n`;
  }
  for (const unsealed of result.unsealed) yield `${JSON.stringify({ kind: 'unsealed', ...unsealed })}\n`;
}
