/** What is at a path in an answer; undefined where there is nothing. */
export function at(json: unknown, ...path: readonly (string | number)[]): unknown {
  let found = json;
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Readonly<Record<string | number, unknown>>)[name];
  }
  return found;
}

/** A text there, or a number as text; null for anything else and for an empty one. */
export function textAt(json: unknown, ...path: readonly (string | number)[]): string | null {
  const found = at(json, ...path);
  if (typeof found === 'number') return String(found);
  return typeof found === 'string' && found !== '' ? found : null;
}
