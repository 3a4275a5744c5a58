/** Text of a file by its path from the root of the repository. */
export type Read = (path: string) => string;
/** Makes the rows of a generated table. */
export type Tables = Readonly<Record<string, () => string>>;

const INCLUDE = /^<!-- file: (?<path>[^\s#]+)(?:#(?<part>\S+))? -->\n\n?```(?<language>\w+)\n[\s\S]*?^```$/gm;
const TABLE = /<!-- table: (?<name>[\w-]+) -->\n[\s\S]*?<!-- \/table -->/g;

/**
 * The document with each included block as its source has it now: `<!-- file: path -->` the whole file, `<!-- file: path#name -->` the
 * region or the exported declaration of that name, `<!-- table: name -->` a table made from the code.
 */
export function fillIncludes(markdown: string, read: Read, tables: Tables): string {
  return markdown
    .replaceAll(INCLUDE, (...match) => {
      const { path, part, language } = match.at(-1) as Record<'path' | 'language', string> & { part?: string };
      const text = part === undefined ? read(path) : partOf(path, read(path), part);
      const mark = part === undefined ? path : `${path}#${part}`;
      return `<!-- file: ${mark} -->\n\`\`\`${language}\n${withoutMarks(text).trimEnd()}\n\`\`\``;
    })
    .replaceAll(TABLE, (...match) => {
      const { name } = match.at(-1) as { name: string };
      const table = tables[name];
      if (table === undefined) throw new Error(`there is no table '${name}'; known: ${Object.keys(tables).join(', ')}`);
      return `<!-- table: ${name} -->\n${table()}\n<!-- /table -->`;
    });
}

/** Code blocks in TypeScript that no file stands behind, by their first line. */
export function looseBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/(?<before>[^\n]*)\n+```ts\n(?<first>[^\n]*)/g)]
    .filter(({ groups }) => !groups?.['before']?.startsWith('<!-- file: '))
    .map(({ groups }) => groups?.['first'] ?? '');
}

function partOf(path: string, source: string, name: string): string {
  const part = regionOf(source, name) ?? declarationOf(source, name);
  if (part === null) throw new Error(`${path} has no region and no exported declaration '${name}'`);
  return part;
}

function regionOf(source: string, name: string): string | null {
  const lines = source.split('\n');
  const start = lines.findIndex((line) => new RegExp(`^\\s*(//|#) #?region ${name}$`).test(line));
  if (start < 0) return null;
  const end = lines.findIndex((line, at) => at > start && /^\s*(\/\/|#) #?endregion$/.test(line));
  return dedent(lines.slice(start + 1, end));
}

/** From its documentation comment to the line that closes it. */
function declarationOf(source: string, name: string): string | null {
  const lines = source.split('\n');
  const at = lines.findIndex((line) => new RegExp(`^export (interface|type|const|function) ${name}\\b`).test(line));
  if (at < 0) return null;
  let start = at;
  if (lines[at - 1]?.trimEnd().endsWith('*/')) {
    start = at - 1;
    while (!lines[start]?.trimStart().startsWith('/**')) start -= 1;
  }
  // A union's members close their braces line by line; only the semicolon ends it.
  const closes = /^export (type|const)/.test(lines[at] ?? '') ? /;\s*$/ : /[;}]\s*$/;
  let depth = 0;
  for (let end = at; end < lines.length; end += 1) {
    const code = (lines[end] ?? '').replaceAll(/\/\*.*?\*\/|\/\/.*$|^\s*\*.*$/g, '');
    depth += (code.match(/[[{(]/g) ?? []).length - (code.match(/[\]})]/g) ?? []).length;
    if (depth === 0 && closes.test(code)) return lines.slice(start, end + 1).join('\n');
  }
  return null;
}

function dedent(lines: readonly string[]): string {
  const depths = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const least = Math.min(...depths);
  return lines.map((line) => line.slice(least)).join('\n');
}

function withoutMarks(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^\s*(\/\/|#) #?(end)?region\b/.test(line))
    .join('\n');
}
