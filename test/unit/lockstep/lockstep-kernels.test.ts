// The kernel corpus on subgroups of 32 or 64 invocations or without any, in lockstep, against what an NVIDIA H200 gave for the same PTX.
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

/** Kernels that wait for each other are in lockstep-waits. */
const all = readdirSync(folder).filter((file) => file.endsWith('.json') && !file.startsWith('wait_'));
const familyOf = (file: string): string => file.split('_')[0] ?? '';

/** A short run has half of the families, others each time, and one case of each; the reference has more, in interpreter-kernels.test.ts. */
const families = new Set(drawn([...new Set(all.map(familyOf))], 48));
const files = selection(
  all.filter((file) => families.has(familyOf(file))),
  48,
  familyOf,
);

const executors = [
  lockstepExecutor(32),
  lockstepExecutor(64, { subgroupId: false, invocationOrder: 'shuffled', seed: 7 }),
  lockstepExecutor(1, { invocationOrder: 'shuffled', seed: 9 }),
];

/** One for each kernel, in turn; in a long run both. */
const nextExecutors = inTurn(executors, 1);

describe('kernels in lockstep', () => {
  it.each(files)('%s', async (file) => {
    const launch = readCase(join(folder, file));
    const own = nextExecutors();
    if (launch.fails !== undefined) {
      for (const executor of own) await expect(executor.run(launch)).rejects.toThrow(launch.fails);
      return;
    }
    // Here workgroups run one after the other.
    if (launch.cooperative && launch.grid.some((blocks) => blocks > 1)) {
      for (const executor of own) await expect(executor.run(launch)).rejects.toThrow('wait for each other here');
      return;
    }
    const recorded = expectedOutputs(launch);
    // What no hardware has run yet is held against the reference, and so are texts that the case does not tell.
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
