import { readFileSync } from 'node:fs';

/** A page of the documentation: `reference/status`. */
export function page(name: string): string {
  return readFileSync(new URL(`../../../../../docs/${name}.md`, import.meta.url), 'utf8');
}

/** The words in backticks at the beginning of each row of the tables below a heading. */
export function rowsBelow(text: string, heading: string): string[] {
  const section = text.split(/^(?=## )/m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const cells = [...section.matchAll(/^\| (`[^|]*)\|/gm)].map(([, cell = '']) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word));
}

/** Every key of an object, lists by what is in them; what `leaves` fits has names of its own and ends there. */
export function keysOf(value: unknown, leaves: RegExp, path = ''): string[] {
  if (typeof value !== 'object' || value === null || leaves.test(path)) return [path];
  if (Array.isArray(value)) return typeof value[0] === 'object' ? keysOf(value[0], leaves, `${path}[]`) : [path];
  return Object.entries(value).flatMap(([key, inner]) => keysOf(inner, leaves, path === '' ? key : `${path}.${key}`));
}
