// A fault in any part of the translator shows in some kernel: each of a list is planted, and must be seen.
import { beforeAll, describe, expect, it } from 'vitest';
import { runOnCpu } from '../../src/cpu-ref/executor.ts';
import { compareOutputs } from '../../src/harness/compare/compare.ts';
import { makeJob, readOutputs } from '../../src/harness/executors/kernel-job.ts';
import { planFor } from '../../src/translate/index.ts';
import { drawn } from '../effort.ts';
import { guardKernels } from '../faults/guard-kernels.ts';
import { guardFaults } from '../faults/guard-list.ts';
import { faultKernels } from '../faults/kernels.ts';
import { faults } from '../faults/list.ts';
import { type FaultyTranslator, plantFaults } from '../faults/plant.ts';
import { exactFloats, flushedFloats } from '../lockstep/lockstep-executor.ts';
import { runWgsl } from '../wgsl-interpreter/index.ts';

let translator: FaultyTranslator;

beforeAll(async () => {
  translator = await plantFaults([...faults, ...guardFaults]);
}, 600_000);

/// Whether a kernel gives what the reference gives, on subgroups of this size. What does not translate or run is wrong too. Guards are there where the
/// adapter flushes subnormals.
function isRight(name: string, size: number): boolean {
  const flushes = guardKernels.has(name);
  const launch = guardKernels.get(name) ?? faultKernels.get(name);
  if (launch === undefined) throw new RangeError(`no kernel is called ${name}`);
  const { entry, block } = launch;
  const plan = planFor(size);
  try {
    const module = translator.parsePtxOrThrow(launch.ptx);
    const { program } = translator.translate(module, {
      entry,
      block,
      plan,
      float: flushes ? flushedFloats : exactFloats,
    });
    if (program === undefined) return false;
    const result = runWgsl(makeJob(program, launch), { subgroupSize: plan.subgroupSize, maxSteps: 500_000, flushes });
    const { mismatches } = compareOutputs(launch, runOnCpu(launch).outputs, readOutputs(program, launch, result), {});
    return mismatches === 0;
  } catch {
    return false;
  }
}

const sizes = [32, 1];
const areRight = (name: string): boolean => sizes.every((size) => isRight(name, size));

/// A short run plants half of them, others each time.
const planted = [...drawn(faults, 24), ...drawn(guardFaults, 8)];

describe('a planted fault shows', () => {
  it.each(planted.map((fault) => [fault.name, fault] as const))('%s', (_, fault) => {
    translator.plant(undefined);
    expect(areRight(fault.by), `${fault.by}, without the fault`).toBe(true);
    translator.plant(fault);
    expect(areRight(fault.by), `${fault.by}, with the fault`).toBe(false);
    translator.plant(undefined);
  });
});

it('the list has a name for each', () => {
  expect(faults.length).toBeGreaterThanOrEqual(40);
  const all = [...faults, ...guardFaults];
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});
