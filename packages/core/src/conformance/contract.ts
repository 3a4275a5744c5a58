/** One sentence that a port promises, and how to tell whether an adapter keeps it. */
export interface Law<Subject> {
  /** Unique among the laws of its port; reads after the port's name: "queue: never hands out an acked message again". */
  readonly law: string;
  /** The capability, or all the capabilities, without which the law says nothing. */
  readonly needs?: string | readonly string[];
  /** Rejects when the law is broken. */
  check(subject: Subject): Promise<void>;
}

/** What every law is given: a fresh, empty port, and time. */
export interface LawSubject {
  /** What the adapter declares; a law that `needs` one of them is skipped where it is absent, false, 0 or 'none'. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** The step of time that the laws count in: leases, windows and delays are multiples of it, ms. */
  readonly unitMs: number;
  /** Lets this much of the port's time pass: a manual clock is moved, a real one is waited for. */
  readonly elapse: (ms: number) => Promise<void>;
  /** Called once after each law. */
  close(): Promise<void>;
}

export type LawResult =
  | { readonly kind: 'kept'; readonly law: string }
  | { readonly kind: 'broken'; readonly law: string; readonly error: unknown }
  | { readonly kind: 'skipped'; readonly law: string; readonly reason: string };

export interface RunLawsOptions {
  /** Only the laws whose sentence contains this text, or for which this function is true. @defaultValue all */
  readonly filter?: string | ((law: string) => boolean);
}

/** Why a law says nothing about this subject, or null when it has to be kept. */
export function reasonToSkip<Subject extends LawSubject>(law: Law<Subject>, subject: Subject): string | null {
  const { needs = [] } = law;
  const missing = (typeof needs === 'string' ? [needs] : needs).find((name) => isAbsent(subject.capabilities[name]));
  return missing === undefined ? null : `needs '${missing}', which this adapter does not declare`;
}

function isAbsent(declared: unknown): boolean {
  return declared === undefined || declared === false || declared === 0 || declared === 'none';
}

/** Runs each law on a subject of its own, one after the other. A broken law is a result, never a rejection. */
export async function runLaws<Subject extends LawSubject>(
  laws: readonly Law<Subject>[],
  makeSubject: () => Subject | Promise<Subject>,
  { filter = () => true }: RunLawsOptions = {},
): Promise<readonly LawResult[]> {
  const isWanted = typeof filter === 'string' ? (law: string) => law.includes(filter) : filter;
  const results: LawResult[] = [];
  for (const law of laws) if (isWanted(law.law)) results.push(await runLaw(law, makeSubject));
  return results;
}

/** Runs one law on a fresh subject. */
export async function runLaw<Subject extends LawSubject>(
  law: Law<Subject>,
  makeSubject: () => Subject | Promise<Subject>,
): Promise<LawResult> {
  const subject = await makeSubject();
  try {
    const reason = reasonToSkip(law, subject);
    if (reason !== null) return { kind: 'skipped', law: law.law, reason };
    await law.check(subject);
    return { kind: 'kept', law: law.law };
  } catch (error) {
    return { kind: 'broken', law: law.law, error };
  } finally {
    await subject.close();
  }
}
