// A native run that differs is classified as an error of the optimizer if unoptimized code agrees,
// and otherwise as a disagreement.
import { expect, test } from 'vitest';
import type { Launch, LaunchOutputs } from '../../../../src/base/launch.ts';
import type { KernelExecutor, RunOptions } from '../../../../src/harness/executors/executor.ts';
import { fuzz } from '../../../../src/harness/fuzz/fuzz.ts';
import { judgeKernel, launchOf, optimizerFlaw } from '../../../../src/harness/fuzz/judge.ts';
import { generateKernel } from '../../../../src/harness/fuzz/kernels/generate.ts';
import type { FuzzKernel } from '../../../../src/harness/fuzz/kernels/tree.ts';
import { printKernel } from '../../../../src/harness/fuzz/print/print.ts';
import { referenceOf } from '../../../../src/harness/fuzz/reference.ts';
import { GpuError } from '../../../../src/runtime/device/job.ts';

/** A kernel that runs natively. */
const kernel = Array.from({ length: 40 }, (_, index) => generateKernel(1, index)).find(
  (each) => printKernel(each).native,
);
if (kernel === undefined) throw new Error('none of the first kernels runs natively');
const right = (launch: Launch): LaunchOutputs => referenceOf(launch).outputs;
const wrong = (launch: Launch): LaunchOutputs =>
  new Map([...right(launch)].map(([index, bytes]) => [index, bytes.map((byte) => byte ^ 1)]));
const hangs = (): LaunchOutputs => {
  throw new GpuError('timeout', 'no answer within 20000 ms');
};

/**
 * An NVIDIA GPU whose driver computes `optimized` by default, and `plain` at optimization level 0.
 */
function cuda(optimized: (launch: Launch) => LaunchOutputs, plain: (launch: Launch) => LaunchOutputs): KernelExecutor {
  return {
    name: 'cuda',
    describe: () => ({ name: 'cuda' }),
    run: async (launch, { optimize } = {}) => ({
      outputs: (optimize === 0 ? plain : optimized)(launch),
      ms: 0,
      note: '',
    }),
    close: async () => undefined,
  };
}

test.each([
  ['differs', wrong, { sanitized: [false, true], flaw: 'RUN003', kind: undefined }],
  ['agrees', right, { sanitized: [false], flaw: undefined, kind: undefined }],
])('the sanitizer runs in spite of its option if an executor %s', async (_, outputs, expected) => {
  const sanitized: boolean[] = [];
  const { flaw, disagreement } = await judgeKernel(kernel, {
    executors: [cuda(outputs, wrong)],
    sanitize: false,
    reference(launch, options = {}) {
      const { sanitize = true } = options;
      sanitized.push(sanitize);
      const found = referenceOf(launch, options);
      return sanitize ? { ...found, flaw: 'RUN003' } : found;
    },
  });
  expect({ sanitized, flaw, kind: disagreement?.kind }).toEqual(expected);
});

test.each([
  ['agrees', right, hangs, undefined, undefined],
  ['differs when optimized', wrong, right, optimizerFlaw, undefined],
  ['never ends when optimized', hangs, right, optimizerFlaw, undefined],
  ['differs at every level', wrong, wrong, undefined, 'mismatch'],
  ['never ends', hangs, hangs, undefined, 'timeout'],
])('a kernel that %s', async (_, optimized, plain, flaw, kind) => {
  const verdict = await judgeKernel(kernel, { executors: [cuda(optimized, plain)] });
  expect(verdict.launch).toMatchObject({ native: true });
  expect(verdict.flaw).toBe(flaw);
  expect(verdict.disagreement?.kind).toBe(kind);
});

const drawnKernels = Array.from({ length: 40 }, (_, index) => generateKernel(1, index));
const isNativeKernel = (each: FuzzKernel): boolean => launchOf(each).native;
const waits = (each: FuzzKernel): boolean => launchOf(each).waits;

test.each([
  ['wait is not optimized', waits, 0],
  ['do not wait is optimized', (each: FuzzKernel) => !waits(each), undefined],
])('a kernel whose threads %s, and is compiled with such kernels only', async (_, isOfKind, level) => {
  const asked: (RunOptions & { readonly id: string })[] = [];
  const executor: KernelExecutor = {
    ...cuda(right, right),
    run: async (launch, options = {}) => {
      asked.push({ ...options, id: launch.id });
      return { outputs: right(launch), ms: 0, note: '' };
    },
  };
  const [first, ...others] = drawnKernels.filter((each) => isNativeKernel(each) && isOfKind(each));
  if (first === undefined) throw new Error('none of the kernels is of this kind');
  const { flaw, disagreement } = await judgeKernel(first, { executors: [executor], soon: drawnKernels });
  expect({ flaw, disagreement }).toEqual({ flaw: undefined, disagreement: undefined });
  const [options, ...more] = asked;
  expect(more).toEqual([]);
  expect(options?.optimize).toBe(level);
  expect(options?.soon?.map(({ id }) => id)).toEqual([first, ...others].map(({ id }) => id));
});

test('a kernel that waits and differs natively is a disagreement', async () => {
  const waiting = drawnKernels.find((each) => isNativeKernel(each) && waits(each));
  if (waiting === undefined) throw new Error('no kernel waits');
  const { flaw, disagreement } = await judgeKernel(waiting, { executors: [cuda(right, wrong)] });
  expect({ flaw, kind: disagreement?.kind }).toEqual({ flaw: undefined, kind: 'mismatch' });
});

test('a run on native executors draws only kernels that run there', async () => {
  const ids: string[] = [];
  const executor: KernelExecutor = {
    ...cuda(right, right),
    run: async (launch) => {
      ids.push(launch.id);
      return { outputs: right(launch), ms: 0, note: '' };
    },
  };
  const { kernels, natively, end } = await fuzz({ seed: 1, count: 5, executors: [executor], inFlight: 1 });
  const expected = drawnKernels.filter(isNativeKernel).slice(0, 5);
  expect(ids).toEqual(expected.map(({ id }) => id));
  expect({ kernels, natively, end }).toEqual({
    kernels: 5,
    natively: 5,
    end: Number(expected.at(-1)?.id.split('-').at(-1)) + 1,
  });
});

test('kernels that run only on other executors are not counted as native', async () => {
  const dawn: KernelExecutor = { ...cuda(right, right), name: 'dawn' };
  const { kernels, natively } = await fuzz({ seed: 1, count: 8, executors: [dawn, cuda(right, right)], inFlight: 1 });
  expect({ kernels, natively }).toEqual({
    kernels: 8,
    natively: drawnKernels.slice(0, 8).filter(isNativeKernel).length,
  });
  expect(natively).toBeLessThan(kernels);
});
