// Makes src/workload/names.ts: the pools from which simulated recipients are put together. Run it again to change them:
//   node packages/chaos/scripts/make-names.js && npx prettier --write packages/chaos/src/workload/names.ts
// Importing faker at run time would cost more than a whole simulation.
import { writeFileSync } from 'node:fs';
import { allFakers } from '@faker-js/faker';

const LOCALES = [
  'en',
  'de',
  'fr',
  'es',
  'pt_BR',
  'pl',
  'tr',
  'sv',
  'cs_CZ',
  'nb_NO',
  'vi',
  'ja',
  'ko',
  'zh_CN',
  'el',
  'ru',
  'uk',
  'ar',
  'he',
  'hu',
];
const PER_LOCALE = 16;

const pool = (make) => {
  const values = new Set();
  for (let tries = 0; values.size < PER_LOCALE && tries < 1_000; tries++) values.add(make());
  return [...values];
};

const people = LOCALES.map((locale) => {
  const faker = allFakers[locale];
  faker.seed(20);
  return {
    locale: locale.replace('_', '-'),
    first: pool(() => faker.person.firstName()),
    last: pool(() => faker.person.lastName()),
  };
});
const faker = allFakers.en;
faker.seed(20);
const words = pool(() => faker.word.noun());
const items = pool(() => faker.commerce.productName());

const list = (values) => `split(${JSON.stringify(values.join('|'))})`;
const row = ({ locale, first, last }) => `{ locale: '${locale}', first: ${list(first)}, last: ${list(last)} }`;

const file = `// Made by scripts/make-names.js with @faker-js/faker.

export interface People {
  readonly locale: string;
  readonly first: readonly string[];
  readonly last: readonly string[];
}

const split = (joined: string): readonly string[] => joined.split('|');

export const PEOPLE: readonly People[] = [${people.map(row).join(',\n')}];

/** For the domains and the plus-tags of made-up addresses. */
export const WORDS: readonly string[] = ${list(words)};

/** What is ordered. */
export const ITEMS: readonly string[] = ${list(items)};
`;
writeFileSync(new URL('../src/workload/names.ts', import.meta.url), file);
