// Kernels that earlier fuzzing found, with faults of this project or of NVIDIA's compiler. Each
// kernel runs on the interpreter and as WGSL.
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { readCase } from '../../../../src/harness/launches/case-file-node.ts';
import { runCase } from '../../../../src/harness/runs/run-case.ts';
import { inTurn } from '../../../effort.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';

const folder = new URL('../../../fuzz-cases/', import.meta.url).pathname;
const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
/**
 * The subgroup sizes; 1 is the portable plan. A short run tests each case on one of them, in
 * rotation.
 */
const nextSizes = inTurn([32, 1, 64, 4, 32, 128, 16], 1);

test('the folder has cases', () => expect(names.length).toBeGreaterThan(0));

describe.each(names)('%s', (name) => {
  const launch = readCase(folder + name);
  test('equals the reference', async () => {
    const [result] = await runCase(launch, [cpuExecutor()]);
    expect(result).toMatchObject({ status: 'pass', mismatches: 0 });
  });

  test.each([...new Set(nextSizes())])('subgroups of %d', async (size) => {
    const [result] = await runCase(launch, [lockstepExecutor(size, { invocationOrder: 'shuffled' })]);
    expect(result).toMatchObject({ status: 'pass', mismatches: 0, message: '' });
  });
});
