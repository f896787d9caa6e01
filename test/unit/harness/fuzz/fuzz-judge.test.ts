// Judgment of a native run that differs: the optimizer's fault if unoptimized code agrees,
// otherwise a disagreement.
import { expect, test } from 'vitest';
import type { Launch, LaunchOutputs } from '../../../../src/base/launch.ts';
import type { KernelExecutor } from '../../../../src/harness/executors/executor.ts';
import { judgeKernel, optimizerFlaw } from '../../../../src/harness/fuzz/judge.ts';
import { generateKernel } from '../../../../src/harness/fuzz/kernels/generate.ts';
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
