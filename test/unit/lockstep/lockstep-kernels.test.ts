// The kernel corpus on subgroups of 32 or 64 invocations and without subgroups, in lockstep,
// against the results of the same PTX on an NVIDIA H200.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nothingPrinted } from '../../../src/base/printed.ts';
import { runOnCpu } from '../../../src/cpu-ref/executor.ts';
import { compareOutputs, expectedOutputs } from '../../../src/harness/compare/compare.ts';
import { comparePrinted } from '../../../src/harness/compare/compare-printed.ts';
import { readCase } from '../../../src/harness/launches/case-file-node.ts';
import { drawn, inTurn, selection } from '../../effort.ts';
import { lockstepExecutor } from '../../lockstep/lockstep-executor.ts';

const folder = join(import.meta.dirname, '../../kernels');

/**
 * lockstep-waits.test.ts covers kernels whose threads wait for each other. The tiles of Triton's
 * wgmma kernels and of warpgroup_pipeline take 3 to 35 s here. Some need more statements than the
 * interpreter's limit; warpgroup_pipeline agrees on all three executors with a higher one.
 */
const isElsewhere = (file: string): boolean => /^(wait_|triton_wgmma_|warpgroup_pipeline)/.test(file);
const all = readdirSync(folder).filter((file) => file.endsWith('.json') && !isElsewhere(file));
const familyOf = (file: string): string => file.split('_')[0] ?? '';

/**
 * A short run covers 30 cases of 24 families, and other families each time.
 * interpreter-kernels.test.ts covers more cases on the reference.
 */
const families = new Set(drawn([...new Set(all.map(familyOf))], 24));
const files = selection(
  all.filter((file) => families.has(familyOf(file))),
  30,
  familyOf,
);

const executors = [
  lockstepExecutor(32),
  lockstepExecutor(64, { subgroupId: false, invocationOrder: 'shuffled', seed: 7 }),
  lockstepExecutor(1, { invocationOrder: 'shuffled', seed: 9 }),
];

/** A short run uses one executor for each kernel, in turn; a long run uses all. */
const nextExecutors = inTurn(executors, 1);

describe('kernels in lockstep', () => {
  it.each(files)('%s', async (file) => {
    const launch = readCase(join(folder, file));
    const own = nextExecutors();
    if (launch.fails !== undefined) {
      for (const executor of own) await expect(executor.run(launch)).rejects.toThrow(launch.fails);
      return;
    }
    // The interpreter runs workgroups one after the other, so blocks cannot wait for each other.
    if (launch.cooperative && launch.grid.some((blocks) => blocks > 1)) {
      for (const executor of own) await expect(executor.run(launch)).rejects.toThrow('wait for each other here');
      return;
    }
    const recorded = expectedOutputs(launch);
    // Kernels without hardware results, and printed text that the case does not record, are
    // compared with the reference.
    const isTold = recorded.size > 0 && (launch.prints !== undefined || !launch.ptx.includes('vprintf'));
    const reference = isTold ? undefined : runOnCpu(launch);
    const expected = recorded.size > 0 ? recorded : (reference?.outputs ?? recorded);
    for (const executor of own) {
      const { outputs, printed = nothingPrinted } = await executor.run(launch);
      expect(comparePrinted(launch.prints ?? reference?.printed.texts ?? [], printed).first).toBeUndefined();
      const { compared, mismatches, first } = compareOutputs(launch, expected, outputs, {});
      expect({ size: executor.describe().subgroupSize, mismatches, first }).toMatchObject({ mismatches: 0 });
      expect(compared).toBeGreaterThan(0);
    }
  });
});
