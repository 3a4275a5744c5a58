import { HTTP_ROWS, PROVIDERS, promiseOf, type ProviderFacts } from '../../../packages/adapters/src/catalogue.ts';
import type { Tables } from './includes.ts';
import { table } from './table.ts';

/** What the adapters declare: all of them in `providers`, and the answers of one in `outcomes-NAME`. */
export function providerTables(): Tables {
  return {
    providers,
    'outcomes-http': () => outcomesOf({ outcomes: HTTP_ROWS }),
    ...Object.fromEntries(
      PROVIDERS.filter(({ outcomes }) => outcomes.length > 0).map((facts) => [
        `outcomes-${facts.name}`,
        () => outcomesOf(facts),
      ]),
    ),
  };
}

function providers(): string {
  return table(
    ['provider', 'channel', 'package', 'a lost answer', 'our id comes back as', '`providerMessageId`'],
    PROVIDERS.map(({ name, title, channels, needs, capabilities, id }) => [
      `\`${name}\`: ${title}`,
      channels.join(', '),
      needs === null ? '' : `\`${needs}\``,
      promiseOf(capabilities),
      capabilities.correlation === 'none' ? 'no' : `\`${capabilities.correlation.field}\``,
      id,
    ]),
  );
}

function outcomesOf({ outcomes }: Pick<ProviderFacts, 'outcomes'>): string {
  return table(
    ['HTTP', 'code', 'outcome', 'source'],
    Object.values(groupedBy(outcomes, ({ status = 'any', is, source }) => `${status} ${is} ${source}`)).map((same) => [
      same[0]?.status === undefined ? 'any' : String(same[0].status),
      same.map(({ code }) => (code === undefined ? 'any' : `\`${code}\``)).join(', '),
      (same[0]?.is ?? '')
        .replace(/^rejected (.*)$/, '`rejected`, `$1`')
        .replace(/^(deferred|not-sent|unknown)$/, '`$1`'),
      same[0]?.source ?? '',
    ]),
  );
}

function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): Readonly<Record<string, readonly T[]>> {
  const groups: Record<string, T[]> = {};
  for (const item of items) (groups[keyOf(item)] ??= []).push(item);
  return groups;
}
