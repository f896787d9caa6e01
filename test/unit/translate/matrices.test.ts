// Kernels whose products are subgroup matrices, against the reference.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compareWindows, referenceWindows } from '../../../src/harness/bench/check.ts';
import { kernelEntries } from '../../../src/harness/bench/entries/kernel-entries.ts';
import { compareOutputs, expectedOutputs } from '../../../src/harness/compare/compare.ts';
import { readCase } from '../../../src/harness/launches/case-file-node.ts';
import { h200Matrices, lockstepExecutor } from '../../lockstep/lockstep-executor.ts';

function matrixExecutor() {
  const notes: string[] = [];
  const executor = lockstepExecutor(32, {
    matrices: h200Matrices,
    onProgram: ({ matrixNote }) => {
      if (matrixNote !== undefined) notes.push(matrixNote);
    },
  });
  return { executor, notes };
}

describe('benchmark kernels with subgroup matrices', () => {
  it.each([
    ['matmul-f16', /^Subgroup matrices for 16 products: factors are loaded as matrices;/],
    ['matmul-f16-async', /^Subgroup matrices for 16 products: factors are loaded as matrices;/],
    ['matmul-s8', /^Subgroup matrices for 16 products: factors are loaded as matrices;/],
    ['matmul-f16-triton', /^Subgroup matrices for 16 products: /],
    ['attention', /^Subgroup matrices for 32 products: a left matrix is packed: its words are not loaded/],
  ])('%s agrees with the reference', async (name, note) => {
    const entry = kernelEntries().find(({ id }) => id === `kernel:${name}`);
    if (entry === undefined) throw new Error(`no kernel ${name}`);
    const { sequence } = entry.make('check', 1);
    const { executor, notes } = matrixExecutor();
    const expected = await referenceWindows(sequence);
    const { compared, difference } = compareWindows(sequence, expected, await referenceWindows(sequence, executor));
    expect(difference).toBeUndefined();
    expect(compared).toBeGreaterThan(1000);
    expect(notes).toEqual([expect.stringMatching(note)]);
  });
});

const corpus = join(import.meta.dirname, '../../kernels');

describe('wmma kernels of the corpus', () => {
  it.each(readdirSync(corpus).filter((file) => /^wmma_.*\.json$/.test(file)))(
    '%s has the results of an H200',
    async (file) => {
      const launch = readCase(join(corpus, file));
      const { executor, notes } = matrixExecutor();
      const { outputs } = await executor.run(launch);
      const { compared, mismatches, first } = compareOutputs(launch, expectedOutputs(launch), outputs);
      expect(first).toBeUndefined();
      expect(mismatches).toBe(0);
      expect(compared).toBeGreaterThan(0);
      expect({ file, notes }).toMatchSnapshot();
    },
  );
});
