// The reports for other projects: each shader computes the expected result on an interpreter of
// WGSL, and each kernel on the reference.
import { expect, test } from 'vitest';
import { interpret } from '../../../src/cpu-ref/interpreter/interpret.ts';
import { parsePtxOrThrow } from '../../../src/ptx/index.ts';
import { runWgsl } from '../../wgsl-interpreter/index.ts';
import { blocksOf } from './docs-blocks.ts';

const blocks = blocksOf('docs/lab-notes/reports.md');
const [, ...scripts] = blocks.filter(({ language }) => language === 'js');
const kernels = blocks.filter(({ language }) => language === 'ptx');

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

test.each(kernels.map(({ code, line }) => [line, code] as const))('the kernel at line %i stores 1', (_, ptx) => {
  const data = new Uint8Array(Uint32Array.of(0, 1).buffer);
  const { outputs, findings } = interpret(parsePtxOrThrow(ptx, { file: 'report.ptx' }), {
    id: 'report',
    group: 'reports',
    ptx,
    ptxFile: 'report.ptx',
    entry: 'k',
    grid: [1, 1, 1],
    block: [1, 1, 1],
    sharedBytes: 0,
    params: [
      { name: 'in', kind: 'buffer', type: 'u32', bytes: 8, data },
      { name: 'out', kind: 'buffer', type: 'u32', bytes: 4 },
    ],
  });
  expect([findings, outputs.get(1)]).toEqual([[], Uint8Array.of(1, 0, 0, 0)]);
});
