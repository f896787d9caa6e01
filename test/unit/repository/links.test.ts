// Every relative link in a Markdown page leads to a file, and its anchor to a heading of that file.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folders = ['docs', 'test', 'bench', 'demo'];
const pages = [
  ...readdirSync(root),
  ...folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  ),
].filter((file) => file.endsWith('.md') && !file.includes('node_modules'));

/// The text without its code blocks, which may contain anything.
const proseOf = (text: string): string => text.replace(/^( *)```[\s\S]*?^\1```/gm, '');

/// The anchors that GitHub gives the headings. A repeated heading gets a number.
function anchorsOf(file: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = [...proseOf(readFileSync(file, 'utf8')).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => {
    const anchor = title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
  return new Set(anchors);
}

test('the repository has pages', () => expect(pages.length).toBeGreaterThan(15));

test.each(pages)('the links of %s lead somewhere', (page) => {
  const links = [...proseOf(readFileSync(join(root, page), 'utf8')).matchAll(/\]\(([^)#\s]*)(?:#([^)\s]*))?\)/g)];
  const broken = links.filter(([, target = '', anchor]) => {
    if (/^[a-z]+:/.test(target)) return false;
    const file = target === '' ? join(root, page) : join(root, dirname(page), target);
    if (!existsSync(file)) return true;
    return anchor !== undefined && !statSync(file).isDirectory() && !anchorsOf(file).has(anchor);
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});
