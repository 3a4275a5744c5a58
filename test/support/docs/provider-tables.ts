import {
  grouped,
  HTTP_ROWS,
  PROVIDERS,
  promiseOf,
  type ProviderFacts,
} from '../../../packages/adapters/src/catalogue.ts';
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
    grouped(outcomes).map(({ statuses, codes, is, source }) => [
      statuses.length === 0 ? 'any' : statuses.join(', '),
      codes.length === 0 ? 'any' : codes.map((code) => `\`${code}\``).join(', '),
      is.replace(/^rejected (.*)$/, '`rejected`, `$1`').replace(/^(deferred|not-sent|unknown)$/, '`$1`'),
      source,
    ]),
  );
}
