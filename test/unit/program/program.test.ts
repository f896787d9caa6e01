// Whole programs of test/program, which check their own results. The script
// scripts/nvptx/compile-program-checks.mjs compiled them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { startWorker } from '../../../src/cli/program.ts';
import { parseModule } from '../../../src/harness/executors/load-kernel.ts';
import { openDawnRuntime } from '../../../src/program/device/open-dawn.ts';
import type { ProgramDevice } from '../../../src/program/device/program-device.ts';
import { ReferenceDevice } from '../../../src/program/device/reference-device.ts';
import { WebgpuDevice } from '../../../src/program/device/webgpu-device.ts';
import { runProgram } from '../../../src/program/run-program.ts';
import { isLong } from '../../effort.ts';

const compiled = (file: string): Buffer => gunzipSync(readFileSync(`test/program/${file}.gz`));

/** Runs a program, and returns its exit code and its output, including that of kernels. */
async function run(
  name: string,
  open: (print: (text: string) => void) => Promise<ProgramDevice>,
  args: readonly string[],
) {
  let [out, err] = ['', ''];
  const decoder = new TextDecoder();
  const device = await open((text) => {
    out += text;
  });
  try {
    const write = (stream: 1 | 2, bytes: Uint8Array): void => {
      if (stream === 1) out += decoder.decode(bytes);
      else err += decoder.decode(bytes);
    };
    const modules = [parseModule(compiled(`${name}.ptx`).toString(), `${name}.ptx`)];
    const program = { wasm: compiled(`${name}.wasm`), modules, args: [name, ...args], env: [] };
    return { code: await runProgram(program, { device, startWorker, write }), out, err };
  } finally {
    await device.close();
  }
}

const passed = ['vectors', 'structs', 'symbols', 'streams', 'errors'].map((name) => `${name}: passed\n`).join('');
const printed = 'thread 0 of 32, 4, 0.5\nthread 1 of 32, 4, 0.5\n';

test('a program runs on the reference, writes a file, and returns an exit code', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanewise-test-'));
  try {
    const file = join(folder, 'out.txt');
    const warnings: string[] = [];
    const open = async (print: (text: string) => void) => new ReferenceDevice(print, (text) => warnings.push(text));
    const { code, out, err } = await run('checks', open, ['assert', file]);
    expect(out).toBe(`${passed}${printed}files: passed\n`);
    expect(readFileSync(file, 'utf8')).toBe('written by assert\n');
    const note = 'note: an allocation of 4000000000 bytes failed: the device has at most 1.75 GiB of memory\n';
    expect([code, err]).toEqual([42, `cudaErrorAssert\n${note}`]);
    expect(warnings.join()).toMatch(/Assertion `threadIdx\.x < limit` failed/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a program runs in Dawn', async () => {
  const open = async (onPrint: (text: string) => void) =>
    new WebgpuDevice(await openDawnRuntime({ onPrint, cache: false }), () => undefined);
  const { code, out, err } = await run('checks', open, ['plain']);
  expect([code, out]).toEqual([0, `${passed}${printed}`]);
  expect(err).toMatch(/^note: an allocation of 4000000000 bytes failed: the device has at most .* GiB of memory\n$/);
});

test.each([
  ['thrust', 6],
  ['cub', 7],
  ['cublas', 4],
  ['curand', 4],
  ['pipelines', 3],
])('%s has the expected results', async (name, groups) => {
  const open = async (print: (text: string) => void) => new ReferenceDevice(print, print);
  const { code, out, err } = await run(name, open, []);
  expect(out.split('\n').filter((line) => !line.endsWith(': passed'))).toEqual(['']);
  expect([code, err, out.split('\n').length - 1]).toEqual([0, '', groups]);
});

test.runIf(isLong)('cuRAND generators have the numbers of NVIDIA’s library', { timeout: 120_000 }, async () => {
  const open = async (print: (text: string) => void) => new ReferenceDevice(print, print);
  const { code, out } = await run('curand', open, ['generators']);
  expect([code, out]).toEqual([0, expect.stringContaining('generator of Philox: passed\n')]);
});
