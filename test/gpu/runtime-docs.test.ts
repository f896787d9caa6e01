// The examples of the guides about the runtime print the documented results.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ExampleRun, runExamples } from '../run-examples.ts';
import { swiftShader } from './runtime-support.ts';

const pages = ['docs/guides/run-cuda-in-a-page.md', 'docs/guides/check-for-races.md'];
const root = fileURLToPath(new URL('../..', import.meta.url));
// This folder is inside the package, so the package's name resolves to its built files. Git ignores
// it.
const folder = join(root, 'reports', `runtime-docs-${process.pid}`);

describe.skipIf(!swiftShader || !existsSync(join(root, 'dist/runtime/node.js'))).each(pages)('%s', (page) => {
  const text = readFileSync(join(root, page), 'utf8');
  const examples = [...text.matchAll(/^```js\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? '');

  let run: ExampleRun;
  beforeAll(() => {
    mkdirSync(folder, { recursive: true });
    for (const name of ['saxpy.ptx', 'reverse.ptx'])
      copyFileSync(join(root, 'docs/examples', name), join(folder, name));
    const files = examples.map((code, index) => {
      const file = join(folder, `example-${index + 1}.mjs`);
      writeFileSync(file, code);
      return file;
    });
    run = runExamples(files, { cwd: folder, env: { ...process.env, ...swiftShader } });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.runIf(page === pages[0])('shows the kernel that it runs', () => {
    expect(text).toContain(readFileSync(join(root, 'docs/examples/saxpy.cu'), 'utf8'));
  });

  test('examples end without an error', () => {
    expect({ stderr: run.stderr, status: run.status }).toEqual({ stderr: '', status: 0 });
  });

  test.each(examples.map((code, index) => [index + 1, code] as const))('example %i', (index, code) => {
    const expected = [...code.matchAll(/^\/\/=> (.*)$/gm)].map(([, line]) => line);
    expect(run.printed[index - 1]).toEqual(expected);
  });
});
