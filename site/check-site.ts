// Checks the links of a built site.
import { posix } from 'node:path';
import { groupBy } from '../src/base/group-by.ts';
import { attributeValues } from './html.ts';

/**
 * Returns a line for each link to a file or an anchor that is missing, and for each file that a
 * page would load from another server. `isElsewhere` accepts the paths of files that another build
 * writes.
 */
export function checkSite(
  files: ReadonlyMap<string, string | Uint8Array>,
  isElsewhere: (path: string) => boolean = () => false,
): readonly string[] {
  const pages = [...files].flatMap(([path, content]) =>
    path.endsWith('.html')
      ? [[path, typeof content === 'string' ? content : new TextDecoder().decode(content)] as const]
      : [],
  );
  const ids = new Map(pages.map(([path, html]) => [path, new Set(attributeValues(html, 'id'))]));
  const problems: string[] = [];
  for (const [path, html] of pages) {
    for (const target of loadedBy(html)) if (/^(https?:)?\/\//.test(target)) problems.push(`${path} loads ${target}`);
    const counts = groupBy(attributeValues(html, 'id'), (id) => id);
    for (const [id, { length }] of counts) if (length > 1) problems.push(`${path}: the anchor ${id} is there twice`);
    for (const target of new Set(['href', 'src'].flatMap((name) => attributeValues(html, name)))) {
      if (/^([a-z]+:|\/\/)/i.test(target)) continue;
      if (target.startsWith('/')) {
        problems.push(`${path}: ${target} works only at the root of a server`);
        continue;
      }
      const [, file = '', anchor] = /^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/.exec(target) ?? [];
      const found = file === '' ? path : posix.join(posix.dirname(path), file);
      if (isElsewhere(found)) continue;
      if (!files.has(found)) problems.push(`${path}: ${target} is missing`);
      else if (anchor && ids.get(found)?.has(decodeURIComponent(anchor)) === false)
        problems.push(`${path}: ${target} has no such anchor`);
    }
  }
  return problems;
}

const loadedBy = (html: string): readonly string[] => [
  ...attributeValues(html, 'src'),
  ...[...html.matchAll(/<link\s[^>]*>/g)].flatMap(([tag]) => attributeValues(tag, 'href')),
];
