// Numbers and pointers, which PTX does not distinguish: the shader returns the reference's results
// whether or not the compiler knows which parameters are pointers.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Launch } from '../../../src/base/launch.ts';
import { runOnCpu } from '../../../src/cpu-ref/executor.ts';
import { compareOutputs } from '../../../src/harness/compare/compare.ts';
import { readCase } from '../../../src/harness/launches/case-file-node.ts';
import { inTurn } from '../../effort.ts';
import { lockstepExecutor } from '../../lockstep/lockstep-executor.ts';

const folder = join(import.meta.dirname, '../../kernels');
const files = readdirSync(folder).filter((file) => /^provenance_.*\.json$/.test(file));

const told = inTurn(
  [32, 64, 4, 1].map((size) => lockstepExecutor(size)),
  1,
);
const untold = inTurn(
  [1, 32, 64, 8].map((size) => lockstepExecutor(size, { knowsPointers: false })),
  1,
);

async function compare(launch: Launch): Promise<void> {
  const { outputs: expected } = runOnCpu(launch);
  for (const executor of [...told(), ...untold()]) {
    const { outputs } = await executor.run(launch);
    const { compared, mismatches, first } = compareOutputs(launch, expected, outputs, {});
    expect({ size: executor.describe().subgroupSize, mismatches, first }).toMatchObject({ mismatches: 0 });
    expect(compared).toBeGreaterThan(0);
  }
}

describe('numbers and pointers', () => {
  it.each(files)('%s', (file) => compare(readCase(join(folder, file))));
});
