// The reports for other projects: each shader computes the expected result on an interpreter of
// WGSL.
import { expect, test } from 'vitest';
import { runWgsl } from '../../wgsl-interpreter/index.ts';
import { blocksOf } from './docs-blocks.ts';

const [, ...scripts] = blocksOf('docs/lab-notes/reports.md').filter(({ language }) => language === 'js');

/** Runs a shader as the page's function does. */
async function run(code: string, words: readonly number[]): Promise<readonly number[]> {
  const data = new Uint8Array(Uint32Array.from(words).buffer);
  const buffers = [{ binding: 0, kind: 'storage', bytes: data.length, data, read: true }] as const;
  const job = { label: 'report', code, entryPoint: 'main', buffers, workgroups: [1, 1, 1] } as const;
  const result = runWgsl(job, { subgroupSize: 32, uniformSubgroups: true });
  return [...new Uint32Array(result.buffers.get(0)?.buffer ?? new ArrayBuffer(0))];
}

type Script = (run: unknown, console: Pick<Console, 'log'>) => Promise<void>;
const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor as new (...text: string[]) => Script;

test.each(scripts.map(({ code, line }) => [line, code] as const))('the report at line %i', async (_, code) => {
  const printed: unknown[] = [];
  await new AsyncFunction('run', 'console', code)(run, { log: (...values) => void printed.push(...values) });
  const expected = /^\/\/ Expected: (.*)$/m.exec(code)?.[1];
  expect(printed).toEqual([expected]);
});
