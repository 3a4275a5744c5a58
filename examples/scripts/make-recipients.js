// Makes examples/data/recipients.csv: 2,000 rows as a real list has them, the same ones every time.
//   node examples/scripts/make-recipients.js [FILE]
// 1,955 people, 30 of them a second time in other letters, and 15 rows that nobody can be reached by.
import { writeFileSync } from 'node:fs';
import { allFakers } from '@faker-js/faker';

const LOCALES = ['en', 'de', 'fr', 'es', 'pt_BR', 'pl', 'sv', 'cs_CZ', 'tr', 'vi', 'ja', 'el'];
const DOMAINS = ['example.com', 'example.org', 'example.net', 'mail.example.com', 'MAIL.Example.ORG', 'EXAMPLE.COM'];
const PEOPLE = 1_955;
const DOUBLES = 30;
// Each with the reason why it is no address.
const INVALID = [
  ['', 'empty'],
  ['   ', 'blank'],
  ['n/a', 'no @'],
  ['@example.com', 'nothing before the @'],
  ['ann@', 'nothing after the @'],
  ['ann@example', 'no domain'],
  ['ann@@example.com', 'two @'],
  ['ann smith@example.com', 'a space'],
  ['ann..smith@example.com', 'two dots'],
  ['.ann@example.com', 'a leading dot'],
  ['ann@-example.com', 'a leading dash'],
  ['ann@example..com', 'an empty label'],
  [`${'a'.repeat(65)}@example.com`, 'longer than a local part may be'],
  ['ann@exam,ple.com', 'a comma in the domain'],
  ['Ann Smith <ann@example.com>', 'a name around the address'],
];

LOCALES.forEach((locale, i) => allFakers[locale].seed(2_000 + i));
const dice = allFakers.en;

const seen = new Set();
const people = [];
for (let i = 0; people.length < PEOPLE; i++) {
  const locale = LOCALES[i % LOCALES.length];
  const person = makePerson(allFakers[locale], locale);
  if (seen.has(person.to.toLowerCase())) continue;
  seen.add(person.to.toLowerCase());
  people.push(person);
}

// Some letters (ß, ı) do not survive the way to capitals and back: those would be other people.
const same = people.filter(({ to }) => otherCase(to).toLowerCase() === to.toLowerCase());
const doubles = dice.helpers.arrayElements(same, DOUBLES).map((person) => ({ ...person, to: otherCase(person.to) }));
// Both lie between the others, a double always after the person it repeats.
const invalid = INVALID.map(([to, name]) => ({ to, name: `Nobody (${name})`, locale: 'en', town: '' }));
const rows = [...people];
for (const row of invalid) rows.splice(dice.number.int({ min: 0, max: rows.length }), 0, row);
for (const row of doubles) {
  const first = rows.findIndex(({ to }) => to.toLowerCase() === row.to.toLowerCase());
  rows.splice(dice.number.int({ min: first + 1, max: rows.length }), 0, row);
}

const lines = [
  'to,name,locale,town',
  ...rows.map(({ to, name, locale, town }) => [to, name, locale, town].map(field).join(',')),
];
const file = process.argv[2] ?? new URL('../data/recipients.csv', import.meta.url);
writeFileSync(file, `${lines.join('\n')}\n`);

function makePerson(faker, locale) {
  const firstName = faker.person.firstName();
  const lastName = faker.person.lastName();
  const plus = faker.datatype.boolean(0.1) ? `+${faker.helpers.arrayElement(['list', 'shop', 'news', 'orders'])}` : '';
  const domain = faker.helpers.arrayElement(DOMAINS);
  // Every third address keeps its accents, as addresses of today may.
  const local = faker.datatype.boolean(1 / 3) ? withAccents(firstName, lastName) : plain(faker, firstName, lastName);
  const name = faker.datatype.boolean(0.15) ? `${lastName}, ${firstName}` : `${firstName} ${lastName}`;
  const nick = faker.datatype.boolean(0.03) ? `${name} "${firstName.slice(0, 3)}"` : name;
  return { to: `${local}${plus}@${domain}`, name: nick, locale: locale.replace('_', '-'), town: faker.location.city() };
}

function withAccents(firstName, lastName) {
  return `${firstName}.${lastName}`.replace(/[\s'’"(),]+/g, '').slice(0, 20);
}

function plain(faker, firstName, lastName) {
  return faker.internet.email({ firstName, lastName, provider: 'x' }).replace(/@x$/, '');
}

function otherCase(to) {
  return to === to.toUpperCase() ? to.toLowerCase() : to.toUpperCase();
}

function field(text) {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
