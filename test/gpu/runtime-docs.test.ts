// The examples of docs/guides/run-cuda-in-a-page.md print the documented results.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { swiftShader } from './runtime-support.ts';

const page = 'docs/guides/run-cuda-in-a-page.md';
const root = fileURLToPath(new URL('../..', import.meta.url));
// This folder is inside the package, so the package's name resolves to its built files. Git ignores
// it.
const folder = join(root, 'reports', `runtime-docs-${process.pid}`);

const text = readFileSync(join(root, page), 'utf8');
const examples = [...text.matchAll(/^```js\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? '');

describe.skipIf(!swiftShader || !existsSync(join(root, 'dist/runtime/node.js')))(page, () => {
  beforeAll(() => {
    mkdirSync(folder, { recursive: true });
    copyFileSync(join(root, 'docs/examples/saxpy.ptx'), join(folder, 'saxpy.ptx'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('shows the kernel that it runs', () => {
    expect(text).toContain(readFileSync(join(root, 'docs/examples/saxpy.cu'), 'utf8'));
  });

  test.each(examples.map((code, index) => [index + 1, code] as const))('example %i', (index, code) => {
    const file = join(folder, `example-${index}.mjs`);
    writeFileSync(file, code);
    const env = { ...process.env, ...swiftShader };
    const { stdout, stderr, status } = spawnSync(process.execPath, [file], {
      cwd: folder,
      env,
      encoding: 'utf8',
      timeout: 60_000,
    });
    const expected = [...code.matchAll(/^\/\/=> (.*)$/gm)].map(([, line]) => line);
    expect(stderr).toBe('');
    expect(stdout.trimEnd().split('\n')).toEqual(expected);
    expect(status).toBe(0);
  });
});
