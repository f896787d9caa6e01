// Kernels whose asynchronous copies move, against the reference.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compareOutputs } from '../../../../src/harness/compare/compare.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { readCase } from '../../../../src/harness/launches/case-file-node.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';

const kernels = join(import.meta.dirname, '../../../kernels');

it.each([
  ['copy_matrices', 32, 'Asynchronous copies: 6 stores follow other work.'],
  ['copy_two_tiles_odd', 32, 'Asynchronous copies: 1 store follows other work.'],
  ['triton_matmul_i8_pipelined', 32, undefined],
  ['copy_two_tiles_odd', 8, undefined],
])('%s on subgroups of %i', async (file, size, note) => {
  const launch = readCase(join(kernels, `${file}.json`));
  const notes: (string | undefined)[] = [];
  const executor = lockstepExecutor(size, {
    onProgram: ({ code }) => {
      notes.push(code.match(/Asynchronous copies: .*/)?.[0]);
    },
  });
  const expected = await cpuExecutor().run(launch);
  const found = await executor.run(launch);
  const { compared, first } = compareOutputs(launch, expected.outputs, found.outputs);
  expect(first).toBeUndefined();
  expect(compared).toBeGreaterThan(0);
  expect(notes).toEqual([note]);
});
