import { readFileSync, writeFileSync } from 'node:fs';

const PAGE = new URL('../../docs/reference/benchmarks.md', import.meta.url);

/** Puts what was measured between the markers of this name on the page of benchmarks; what is written around them stays. */
export function writeSection(name, text) {
  writeFileSync(PAGE, withSection(readFileSync(PAGE, 'utf8'), name, text));
}

/** @throws when the page has no such markers. */
export function withSection(page, name, text) {
  const start = `<!-- measured: ${name} -->\n`;
  const [before, rest] = page.split(start);
  const end = rest?.indexOf('<!-- /measured -->') ?? -1;
  if (end < 0)
    throw new Error(`the page of benchmarks has no place for '${name}': ${start.trim()} ... <!-- /measured -->`);
  return `${before}${start}\n${text.trim()}\n\n${rest.slice(end)}`;
}

export function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Where and beside what; `load` is the load average when it began. */
export function machineLine(machine, load) {
  const note =
    load > 1 ? '; other programs were running, so compare what stands beside each other, not with other machines' : '';
  return `Machine: ${machine}. Load average when it began: ${load}${note}.`;
}

/** The section on the SQLite ledger. */
export function sqliteSection({ machine, load, rows }) {
  const lines = rows.map(({ name, perSecond, barePerSecond, rssMb }) => {
    const ratio = barePerSecond === undefined ? '' : `${Math.round((perSecond / barePerSecond) * 100)} %`;
    return [name, perSecond, barePerSecond ?? '', ratio, rssMb ?? ''];
  });
  const head = ['what', 'per second', 'the same SQL alone, per second', 'ratio', 'peak memory, MB'];
  return `${machineLine(machine, load)}\n\n${table(head, lines)}`;
}
