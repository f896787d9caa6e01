// Checks the files and passes that ARCHITECTURE.md and docs/design name: the files exist, and the
// passes are complete and in order.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { passNames } from '../../../src/translate/index.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const pagesOf = (folder: string): readonly string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);

const files = ['src', 'demo', 'site', 'scripts', 'test'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
    (name) => `/${folder}/${name.replaceAll('\\', '/')}`,
  ),
);

/** Paths in code font: files by any end of their path, folders by their path from the root. */
const namedFiles = (text: string): readonly string[] =>
  [...text.matchAll(/`([\w./-]+\.(?:ts|mjs|html|py|txt))`/g)].map(([, path = '']) => path);
const namedFolders = (text: string): readonly string[] =>
  [...text.matchAll(/`((?:src|test|bench|scripts)\/[\w/-]+)`/g)].map(([, path = '']) => path);

describe.each(['ARCHITECTURE.md', ...pagesOf('docs/design'), ...pagesOf('docs/explanation')])('%s', (page) => {
  const text = read(page);

  it('names files that exist', () => {
    expect(namedFiles(text).filter((path) => !files.some((file) => file.endsWith(`/${path}`)))).toEqual([]);
  });

  it('names folders that exist', () => {
    expect(namedFolders(text).filter((path) => !isFolder(path))).toEqual([]);
  });
});

it('the diagram of ARCHITECTURE.md has every pass, in order', () => {
  const text = read('ARCHITECTURE.md');
  const lines = [...text.matchAll(/^ │ ([\w-]+) +\S/gm)].map(([, name = '']) => name);
  expect(lines.filter((name) => (passNames as readonly string[]).includes(name))).toEqual([...passNames]);
});

function isFolder(path: string): boolean {
  return statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;
}
