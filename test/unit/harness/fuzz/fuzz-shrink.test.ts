// Shrinking a generated kernel keeps it valid and makes it small.
import { expect, test } from 'vitest';
import { generateKernel } from '../../../../src/harness/fuzz/kernels/generate.ts';
import { shrink, smaller } from '../../../../src/harness/fuzz/kernels/shrink.ts';
import type { FuzzKernel } from '../../../../src/harness/fuzz/kernels/tree.ts';
import { bodyLines, printKernel } from '../../../../src/harness/fuzz/print/print.ts';
import { referenceOf } from '../../../../src/harness/fuzz/reference.ts';
import { effort } from '../../../effort.ts';

test('every smaller kernel is valid too', () => {
  for (let index = 0; index < effort(6, 12); index++) {
    let at = 0;
    for (const candidate of smaller(generateKernel(20, index))) {
      // Tests every seventh candidate.
      if (at++ % 7 !== 0) continue;
      expect(referenceOf(printKernel(candidate)).flaw, printKernel(candidate).ptx).toBeUndefined();
    }
  }
});

const holds = (part: RegExp) => async (kernel: FuzzKernel) => part.test(bodyLines(printKernel(kernel).ptx).join('\n'));

test.each([
  ['a reduction', /redux\.sync\.xor/],
  ['an elected lane under a guard', /@!?%p\d elect\.sync/],
  ['a branch table', /brx\.idx/],
  ['a chain', /sub\.rn\.f32 %tf/, 24],
])('keeps little more than the pattern: %s', async (_, part, lines = 9) => {
  const text = (kernel: FuzzKernel) => bodyLines(printKernel(kernel).ptx).join('\n');
  let found: FuzzKernel | undefined;
  for (let index = 0; index < 3000 && !found; index++) {
    const kernel = generateKernel(24, index);
    if (part.test(text(kernel))) found = kernel;
  }
  if (!found) throw new Error('no such kernel');
  const least = await shrink(found, holds(part));
  expect(bodyLines(printKernel(least).ptx).length).toBeLessThanOrEqual(lines);
  expect(least).toMatchObject({ blocks: 1, block: [32, 1, 1], data: 'plain' });
});
