import type { SelfTestReport, SimulateReport } from '@sendonce/chaos';
import { EXIT } from '../command-error.ts';

/** What a CI is told, the gravest first; what was cut short is no verdict on what was not run. */
export function simulateExitCode(report: Pick<SimulateReport, 'verdict' | 'result' | 'interrupted'>): number {
  if (report.interrupted) return EXIT.interrupted;
  switch (report.verdict) {
    case 'pass':
      return EXIT.pass;
    case 'interrupted':
      return EXIT.interrupted;
    case 'nondeterminism':
      return EXIT.nondeterminism;
    case 'inconclusive':
      return EXIT.inconclusive;
    case 'violation':
      return hurtNobody(report) && report.result.violations.every(({ kind }) => kind === 'liveness')
        ? EXIT.liveness
        : EXIT.safety;
  }
}

function hurtNobody({ result: { tally } }: Pick<SimulateReport, 'result'>): boolean {
  return tally.lost + tally.duplicated + tally.phantom === 0;
}

export function selfTestExitCode({ passed, interrupted }: Pick<SelfTestReport, 'passed' | 'interrupted'>): number {
  if (interrupted) return EXIT.interrupted;
  return passed ? EXIT.pass : EXIT.selfTest;
}
