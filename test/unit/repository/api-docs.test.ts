// The examples of docs/guides/use-the-library.md print the documented results.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExampleRun, runExamples } from '../../run-examples.ts';

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
  let run: ExampleRun;
  beforeAll(() => {
    mkdirSync(folder, { recursive: true });
    const files = examples.map(({ name, code }) => {
      const file = join(folder, `${name.replace(/\W+/g, '-')}.mjs`);
      writeFileSync(file, code);
      return file;
    });
    run = runExamples(files);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has examples', () => expect(examples.length).toBeGreaterThan(4));

  it('examples end without an error', () => {
    expect({ stderr: run.stderr, status: run.status }).toEqual({ stderr: '', status: 0 });
  });

  it.each(examples.map(({ name, code }, index) => [name, code, index] as const))('%s', (_, code, index) => {
    const expected = [...code.matchAll(/^\/\/=> (.*)$/gm)].map(([, line]) => line);
    expect(run.printed[index]).toEqual(expected);
  });

  it('names only exports of the package', async () => {
    const api = await import('../../../src/node.ts');
    const names = [...text.matchAll(/`(\w+)\([^`]*\)`/g)].map(([, name]) => name ?? '');
    const methods = new Set(['render', 'run']);
    expect(names.filter((name) => !(name in api) && !methods.has(name))).toEqual([]);
  });
});
