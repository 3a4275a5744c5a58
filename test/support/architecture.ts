import { posix } from 'node:path';
import ts from 'typescript';

/** Source text by path from the root of the repository, with forward slashes. */
export type Files = ReadonlyMap<string, string>;

/** An area of the tree and all that its files may import: files of ours by path, packages and built-in modules by name. */
export interface Arrow {
  readonly area: RegExp;
  readonly mayImport: readonly RegExp[];
}

interface Import {
  readonly file: string;
  readonly specifier: string;
  /** A path for a relative import, else the specifier itself. */
  readonly target: string;
}

/** Names every import that its file's arrow does not allow, and every file that no arrow speaks of. */
export function forbiddenImports(files: Files, arrows: readonly Arrow[]): string[] {
  const imports = importsOf(files);
  return [...files.keys()].flatMap((file) => {
    const arrow = arrows.find(({ area }) => area.test(file));
    if (arrow === undefined) return [`${file} belongs to no area of the table`];
    return imports
      .filter((found) => found.file === file && !arrow.mayImport.some((allowed) => allowed.test(found.target)))
      .map(({ specifier }) => `${file} may not import '${specifier}'`);
  });
}

/** Names one cycle per group of files that import each other, as the path round it. Imports of types count too. */
export function importCycles(files: Files): string[] {
  const next = targetsByFile(importsOf(files));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) cycles.push([...path.slice(start), file].join(' -> '));
    if (start >= 0 || done.has(file)) return;
    for (const target of next.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of files.keys()) visit(file, []);
  return cycles;
}

/** Names every line that holds one of the words, also as a part of a camelCase name. */
export function forbiddenWords(files: Files, words: ReadonlySet<string>): string[] {
  return [...files].flatMap(([file, source]) =>
    source.split('\n').flatMap((line, index) =>
      wordsOf(line)
        .filter((word) => words.has(word))
        .map((word) => `${file}:${index + 1} names '${word}'`),
    ),
  );
}

function importsOf(files: Files): Import[] {
  return [...files].flatMap(([file, source]) =>
    ts.preProcessFile(source, true, true).importedFiles.map(({ fileName: specifier }) => ({
      file,
      specifier,
      target: specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier,
    })),
  );
}

function targetsByFile(imports: readonly Import[]): Map<string, string[]> {
  const targets = new Map<string, string[]>();
  for (const { file, target } of imports) targets.set(file, [...(targets.get(file) ?? []), target]);
  return targets;
}

/** `sendGridClient` counts as itself, as its parts, and as each pair of neighbours: send, grid, client, sendgrid, gridclient. */
function wordsOf(line: string): string[] {
  return (line.match(/[A-Za-z]+/g) ?? []).flatMap((word) => {
    const parts = word.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
    const pairs = parts.slice(1).map((part, index) => `${parts[index]}${part}`);
    return [...new Set([word, ...parts, ...pairs].map((each) => each.toLowerCase()))];
  });
}
