import { setMaxListeners } from 'node:events';
import { EXIT } from '../command-error.ts';
import { onSignals } from '../simulate/interrupt.ts';
import { terminalKind, terminalOf, type Terminal } from '../terminal.ts';
import { chooseLaws, type Chosen } from './choose-laws.ts';
import type { VerifyFlags } from './flags.ts';
import type { Judgement } from './judgement.ts';
import { lawProgress } from './law-progress.ts';
import { looseEnds, rejections } from './loose-ends.ts';
import { readSuites } from './read-suites.ts';
import { suiteReport, verifyExitCode, verifyReport, type SuiteReport, type VerifyReport } from './report.ts';
import { runSuite } from './run-suite.ts';
import { settingsOf, type Settings } from './settings.ts';
import { heading, lawLines, sumLine, verdictLines } from './words.ts';

/** What laws under way may take to end, once somebody pressed Ctrl-C. */
const PATIENCE_MS = 5_000;

/**
 * Runs `notify verify`; answers its exit code. Whatever the user's own code prints meanwhile goes to stderr, so that stdout holds the
 * result alone.
 * @throws SendonceError FLAG_INVALID, CONFIG_FILE_INVALID, MODULE_INVALID, STORE_NOT_EMPTY, DRIVER_MISSING and what a store says of itself.
 */
export async function runVerify(flags: VerifyFlags): Promise<number> {
  const settings = settingsOf(flags);
  const { stdout, stderr } = process;
  const toStdout = stdout.write.bind(stdout);
  const terminal = await terminalOf(terminalKind({ color: flags['no-color'] !== true }), {
    out: (text) => void toStdout(text),
    err: (text) => void stderr.write(text),
  });
  stdout.write = stderr.write.bind(stderr);
  const ends = looseEnds();
  try {
    const chosen = chooseLaws(await readSuites(flags), settings.walks, flags.law);
    const report = await judgeAll(chosen, { ...settings, loose: ends.loose, terminal, isJson: flags.json === true });
    return verifyExitCode(report);
  } finally {
    ends.forget();
    stdout.write = toStdout;
  }
}

interface Judging extends Settings {
  readonly loose: readonly string[];
  readonly terminal: Terminal;
  readonly isJson: boolean;
}

/** One adapter after the other, each law told as soon as those before it are; interrupted, it tells what it knows. */
async function judgeAll(chosen: readonly Chosen[], judging: Judging): Promise<VerifyReport> {
  const { loose, terminal, isJson } = judging;
  const { paint } = terminal;
  const out = isJson ? () => undefined : terminal.out;
  const interrupted = new AbortController();
  const { signal } = interrupted;
  // Each law under way listens.
  setMaxListeners(0, signal);
  const take = onSignals({
    stop: () => interrupted.abort(),
    end: () => process.exit(EXIT.interrupted),
    patienceMs: PATIENCE_MS,
  });
  const suites: SuiteReport[] = [];
  try {
    for (const [suite, laws] of chosen) {
      if (signal.aborted) break;
      const progress = lawProgress(suite, laws.length, terminal);
      let isHeaded = false;
      const onJudged = (judgement: Judgement): void => {
        progress.clear();
        // Not before: a mistake in what makes it is told alone.
        if (!isHeaded) out(heading(suite, paint));
        isHeaded = true;
        out(lawLines(suite, judgement, paint));
        progress.count();
      };
      try {
        const judged = await runSuite(suite, laws, { ...judging, signal, onJudged });
        progress.end();
        suites.push(suiteReport(suite, judged, laws.length));
        out(sumLine(suites.at(-1) as SuiteReport));
      } finally {
        progress.end();
        await suite.close();
      }
    }
  } finally {
    take();
  }
  await rejections();
  const report = verifyReport(suites, loose, signal.aborted);
  terminal.out(isJson ? `${JSON.stringify(report, null, 2)}\n` : verdictLines(report, paint));
  return report;
}
