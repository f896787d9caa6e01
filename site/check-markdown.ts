// Checks the links of Markdown files in the repository.
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Document, parseMarkdown } from './markdown.ts';

/**
 * Returns a line for each relative link to a file or an anchor that is missing. Anchors of files
 * that are not Markdown, such as line numbers, are not checked.
 */
export function checkMarkdown(root: string, sources: readonly string[]): readonly string[] {
  const documents = new Map<string, Document>();
  const documentOf = (source: string): Document => {
    const known = documents.get(source) ?? parseMarkdown(readFileSync(join(root, source), 'utf8'));
    documents.set(source, known);
    return known;
  };
  return sources.flatMap((source) =>
    documentOf(source).targets.flatMap((target) => {
      if (/^([a-z]+:|\/\/)/i.test(target)) return [];
      const [path = '', anchor = ''] = target.split('#');
      const file = path === '' ? source : posix.join(posix.dirname(source), decodeURIComponent(path));
      if (path.startsWith('/') || file.startsWith('..') || !existsSync(join(root, file)))
        return [`${source}: ${target} is missing`];
      if (anchor === '' || !file.endsWith('.md') || documentOf(file).anchors.has(decodeURIComponent(anchor))) return [];
      return [`${source}: ${target} has no such anchor`];
    }),
  );
}
