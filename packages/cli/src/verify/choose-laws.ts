import { SendonceError } from '@sendonce/core';
import type { Law } from '@sendonce/core/conformance';
import { flagError } from '../flags/flag-error.ts';
import { lawsOf, type Subject, type Suite } from './suite.ts';

export type Chosen = readonly [suite: Suite, laws: readonly Law<Subject>[]];

/** The laws to run on each adapter. @throws SendonceError FLAG_INVALID where no law has that text. */
export function chooseLaws(suites: readonly Suite[], walks: number, text: string | undefined): readonly Chosen[] {
  if (suites.length === 0)
    throw new SendonceError(
      'FLAG_INVALID',
      'there is nothing to judge: name a queue, a ledger, destinations or an inbox with --queue, --ledger, --destinations or --inbox',
    );
  const all = suites.map((suite) => [suite, lawsOf(suite.port, walks)] as const);
  if (text === undefined) return all;
  const wanted = text.toLowerCase();
  const chosen = all
    .map(([suite, laws]) => [suite, laws.filter(({ law }) => law.toLowerCase().includes(wanted))] as const)
    .filter(([, laws]) => laws.length > 0);
  if (chosen.length > 0) return chosen;
  throw flagError(
    'law',
    text,
    'a part of the sentence of a law, such as "acked"; without it all laws are run and named',
  );
}
