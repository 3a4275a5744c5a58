import { SendonceError } from '@sendonce/core';
import { COMPONENTS, type FaultKind } from '../faults/kind.ts';
import { FAULTS } from '../faults/index.ts';

/** Named sets of fault kinds, by the names of the kinds in them. */
export const PROFILES: Readonly<Record<string, (kind: FaultKind) => boolean>> = {
  all: () => true,
  network: ({ do: name }) =>
    /^(request-lost|reply-lost|slow|reply-slow|twice|late|error|partition|partition-all)$/.test(name),
  kills: ({ do: name }) => /^(kill|kill-mid-batch|kill-loop|kill-producer|stop|poison)$/.test(name),
  ...Object.fromEntries(COMPONENTS.map((component) => [component, (kind: FaultKind) => kind.component === component])),
};

/** Every word that `--faults` takes: profiles first, then kinds. */
export function faultNames(): readonly string[] {
  return [...Object.keys(PROFILES), ...new Set(FAULTS.map((kind) => kind.do))].filter(
    (name, at, all) => all.indexOf(name) === at,
  );
}

/**
 * The kinds that a list of words names: a profile, a kind (`reply-lost`), or a kind at one call (`reply-lost@provider.send`).
 * @throws SendonceError FLAG_INVALID for a word that names none.
 */
export function kindsOf(words: readonly string[]): readonly FaultKind[] {
  const kinds = words.flatMap(named);
  return kinds.filter((kind, at) => kinds.indexOf(kind) === at);
}

function named(word: string): readonly FaultKind[] {
  const profile = PROFILES[word];
  if (profile !== undefined) return FAULTS.filter(profile);
  const [name, op] = word.split('@');
  const kinds = FAULTS.filter((kind) => kind.do === name).flatMap((kind) => at(kind, op));
  if (kinds.length === 0)
    throw new SendonceError(
      'FLAG_INVALID',
      `'${word}' is no fault kind and no profile; known: ${faultNames().join(', ')}`,
    );
  return kinds;
}

function at(kind: FaultKind, op: string | undefined): readonly FaultKind[] {
  if (op === undefined) return [kind];
  return kind.ops.filter((each) => each === op).map((each) => ({ ...kind, ops: [each] }));
}
