// The examples of docs/guides/use-the-library.md print the documented results.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
// This folder is inside the package, so the package's name resolves to its built files. Git ignores
// it.
const folder = join(root, 'reports', `api-docs-${process.pid}`);

const text = readFileSync(join(root, 'docs/guides/use-the-library.md'), 'utf8');
const sections = text.split(/^## /m).slice(1);
const examples = sections.flatMap((section) => {
  const title = section.split('\n')[0] ?? '';
  return [...section.matchAll(/^```js\n([\s\S]*?)^```/gm)].map((match, index) => ({
    name: `${title} ${index + 1}`,
    code: match[1] ?? '',
  }));
});

describe.skipIf(!existsSync(join(root, 'dist/node.js')))('docs/guides/use-the-library.md', () => {
  beforeAll(() => mkdirSync(folder, { recursive: true }));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has examples', () => expect(examples.length).toBeGreaterThan(4));

  it.each(examples.map(({ name, code }) => [name, code] as const))('%s', (name, code) => {
    const file = join(folder, `${name.replace(/\W+/g, '-')}.mjs`);
    writeFileSync(file, code);
    const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8', timeout: 300_000 });
    const expected = [...code.matchAll(/^\/\/=> (.*)$/gm)].map(([, line]) => line);
    expect(stderr).toBe('');
    expect(stdout.trimEnd().split('\n')).toEqual(expected);
  });

  it('names only exports of the package', async () => {
    const api = await import('../../../src/node.ts');
    const names = [...text.matchAll(/`(\w+)\([^`]*\)`/g)].map(([, name]) => name ?? '');
    const methods = new Set(['render', 'run']);
    expect(names.filter((name) => !(name in api) && !methods.has(name))).toEqual([]);
  });
});
