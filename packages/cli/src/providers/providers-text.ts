import {
  grouped,
  HTTP_ROWS,
  isExact,
  PROVIDERS,
  promiseOf,
  type OutcomeGroup,
  type ProviderFacts,
} from '@sendonce/adapters/catalogue';
import { SendonceError } from '@sendonce/core';
import { unknownAmong } from '../nearest.ts';

/** What `notify providers` prints: all of them, or one. @throws SendonceError FLAG_INVALID for a name that there is not. */
export function providersText(name: string | null, { isJson }: { readonly isJson: boolean }): string {
  const chosen = name === null ? PROVIDERS : PROVIDERS.filter((each) => each.name === name);
  const [one] = chosen;
  if (one === undefined)
    throw new SendonceError(
      'FLAG_INVALID',
      `the provider '${name ?? ''}' is ${unknownAmong(
        name ?? '',
        PROVIDERS.map((each) => each.name),
      )}`,
    );
  if (isJson) return `${JSON.stringify({ schema: 'sendonce.providers/1', providers: chosen.map(jsonOf) }, null, 2)}\n`;
  return `${(name === null ? listOf(PROVIDERS) : pageOf(one)).join('\n')}\n`;
}

function listOf(all: readonly ProviderFacts[]): readonly string[] {
  const rows = all.map(
    (each) => [each.name, each.channels.join(', '), each.title, promiseOf(each.capabilities)] as const,
  );
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column as 0 | 1 | 2].length)));
  return [
    ...rows.map((row) => `  ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd()),
    '',
    'What each answer of one proves: npx notify providers NAME',
  ];
}

function pageOf({ name, title, channels, needs, capabilities, id, outcomes }: ProviderFacts): readonly string[] {
  const { correlation } = capabilities;
  return [
    `${name}: ${title}`,
    '',
    `  import       @sendonce/adapters/providers/${name}${needs === null ? '' : `   (npm install ${needs})`}`,
    `  channel      ${channels.join(', ')}`,
    `  lost answer  ${promiseOf(capabilities)}`,
    `  our id       ${correlation === 'none' ? 'does not come back' : `comes back in ${correlation.field}`}`,
    `  its id       ${id}`,
    ...(outcomes.length === 0
      ? []
      : ['', '  answers', ...grouped([...outcomes, ...HTTP_ROWS]).map(answerLine), ...SHARED]),
  ];
}

/** What no table of codes can say: the same for all that speak HTTP. */
const SHARED: readonly string[] = [
  '    2xx with its id: accepted',
  '    2xx without it, a 5xx or another answer that is not listed, a reset, no answer in time: unknown, with its code',
  '    no connection, or the time is up before the request left: not-sent',
];

function answerLine({ statuses, codes, is }: OutcomeGroup): string {
  const which = [statuses.length === 0 ? '' : `HTTP ${statuses.join(', ')}`, codes.join(', ')];
  return `    ${which.filter((text) => text !== '').join(' ')}: ${is}`;
}

function jsonOf(facts: ProviderFacts): object {
  const { lookup, ...rest } = facts.capabilities;
  return {
    ...facts,
    import: `@sendonce/adapters/providers/${facts.name}`,
    lostAnswer: promiseOf(facts.capabilities),
    exact: isExact(facts.capabilities),
    capabilities: { ...rest, lookup: lookup === 'none' ? 'none' : lookup.kind },
  };
}
