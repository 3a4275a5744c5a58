import { EXIT } from '../command-error.ts';
import { quoted } from '../simulate/again.ts';
import type { Judgement } from './judgement.ts';
import type { Suite } from './suite.ts';

/** What became of all laws of one adapter. */
export interface SuiteReport {
  readonly port: Suite['port'];
  readonly from: string;
  readonly kept: number;
  readonly broken: number;
  /** Laws that say nothing about an adapter without some capability. */
  readonly skipped: number;
  /** Cut short before these were judged. */
  readonly missing: number;
  readonly laws: readonly JudgedLaw[];
}

type Told<Each> = Each extends unknown ? Omit<Each, 'unitMs'> : never;
/** `alone`: the command that runs this one. */
export type JudgedLaw = Told<Judgement> & { readonly alone: string };

/** What `--json` prints. */
export interface VerifyReport {
  readonly schema: 'sendonce.verify/1';
  readonly verdict: 'kept' | 'broken' | 'inconclusive' | 'interrupted';
  /** Not every law was run. */
  readonly interrupted: boolean;
  readonly suites: readonly SuiteReport[];
  /** What was thrown where nobody could catch it: a promise that an adapter forgot about. */
  readonly loose: readonly string[];
}

export function suiteReport(suite: Suite, judged: readonly Judgement[], laws: number): SuiteReport {
  const count = (kind: Judgement['kind']): number => judged.filter((each) => each.kind === kind).length;
  return {
    port: suite.port,
    from: suite.from,
    kept: count('kept'),
    broken: count('broken'),
    skipped: count('skipped'),
    missing: laws - judged.length,
    laws: judged.map((each) => told(suite, each)),
  };
}

function told(suite: Suite, judgement: Judgement): JudgedLaw {
  const alone = aloneLine(suite, judgement.law);
  if (judgement.kind !== 'broken') return { ...judgement, alone };
  const { kind, law, reason, expected, seen, at } = judgement;
  return { kind, law, reason, expected, seen, at, alone };
}

/** The command that runs this one law. */
export function aloneLine({ flags }: Pick<Suite, 'flags'>, law: string): string {
  return ['npx notify verify', flags, `--law ${quoted(law)}`].filter((word) => word !== '').join(' ');
}

/** A law that could not be judged is no verdict; an adapter of which none could is none at all. */
export function verifyReport(suites: readonly SuiteReport[], loose: readonly string[], isCut: boolean): VerifyReport {
  const isBroken = loose.length > 0 || suites.some(({ broken }) => broken > 0);
  const isJudged = suites.every(({ kept }) => kept > 0);
  const verdict = isBroken ? 'broken' : isCut ? 'interrupted' : isJudged ? 'kept' : 'inconclusive';
  return { schema: 'sendonce.verify/1', verdict, interrupted: isCut, suites, loose };
}

const CODES: Readonly<Record<VerifyReport['verdict'], number>> = {
  kept: EXIT.pass,
  broken: EXIT.safety,
  inconclusive: EXIT.inconclusive,
  interrupted: EXIT.interrupted,
};

/** Whoever interrupted is told so, whatever was found before. */
export function verifyExitCode({ verdict, interrupted }: Pick<VerifyReport, 'verdict' | 'interrupted'>): number {
  return interrupted ? EXIT.interrupted : CODES[verdict];
}
