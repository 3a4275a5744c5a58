import { posix } from 'node:path';
import type { Read } from './includes.ts';

/** Names every relative link whose file, or heading inside it, does not exist. */
export function brokenLinks(file: string, markdown: string, exists: (path: string) => boolean, read: Read): string[] {
  return [...withoutCode(markdown).matchAll(/\[[^\]]*\]\((?<target>[^)\s]+)\)/g)]
    .map(({ groups }) => groups?.['target'] ?? '')
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = '', anchor] = target.split('#');
      const to = path === '' ? file : posix.join(posix.dirname(file), path);
      if (!exists(to)) return true;
      return anchor !== undefined && to.endsWith('.md') && !anchorsOf(read(to)).has(anchor);
    })
    .map((target) => `${file} links to '${target}'`);
}

/** The headings of a document as GitHub links to them. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, title = ''] of withoutCode(markdown).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let unique = slug;
    for (let n = 1; anchors.has(unique); n += 1) unique = `${slug}-${n}`;
    anchors.add(unique);
  }
  return anchors;
}

function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^```[\s\S]*?^```/gm, '');
}
