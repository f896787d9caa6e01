// A fault in any part of the compiler changes the result of some kernel. The test plants faults of
// test/faults, one at a time, and must see the effect of each.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Launch } from '../../../src/base/launch.ts';
import { runOnCpu } from '../../../src/cpu-ref/executor.ts';
import { compareOutputs } from '../../../src/harness/compare/compare.ts';
import { makeJob, readOutputs } from '../../../src/harness/executors/kernel-job.ts';
import { planFor } from '../../../src/translate/index.ts';
import { drawn } from '../../effort.ts';
import { controlFaults } from '../../faults/control-list.ts';
import { guardKernels } from '../../faults/guard-kernels.ts';
import { guardFaults } from '../../faults/guard-list.ts';
import { faultKernels } from '../../faults/kernels.ts';
import { faults } from '../../faults/list.ts';
import { type FaultyTranslator, plantFaults } from '../../faults/plant.ts';
import { casesOf } from '../../filetests/file-cases.ts';
import { checkCase, expectedOf } from '../../filetests/run-case.ts';
import { planOf, readCase, type WgslCase, wgslFiles } from '../../filetests/wgsl-cases.ts';
import { exactFloats, flushedFloats } from '../../lockstep/float-profiles.ts';
import { runWgsl } from '../../wgsl-interpreter/index.ts';

let translator: FaultyTranslator;

/** Returns a function that computes each result once. */
function once<T>(compute: (name: string) => T): (name: string) => T {
  const results = new Map<string, T>();
  return (name) => {
    const result = results.get(name) ?? compute(name);
    results.set(name, result);
    return result;
  };
}

function launchOf(name: string): Launch {
  const launch = guardKernels.get(name) ?? faultKernels.get(name);
  if (launch === undefined) throw new RangeError(`unknown kernel ${name}`);
  return launch;
}

/** The reference is not part of the bundle with faults. */
const referenceOf = once((name) => runOnCpu(launchOf(name)).outputs);

beforeAll(async () => {
  translator = await plantFaults([...faults, ...guardFaults, ...controlFaults]);
}, 600_000);

/**
 * Whether a kernel returns the reference's results on subgroups of this size. A kernel that does
 * not translate or run counts as wrong. Kernels about guards run on an adapter that flushes
 * subnormals.
 */
function isRight(name: string, size: number): boolean {
  const flushes = guardKernels.has(name);
  const launch = launchOf(name);
  const { entry, block, cluster, sharedBytes } = launch;
  const plan = planFor(size);
  try {
    const module = translator.parsePtxOrThrow(launch.ptx);
    const { program } = translator.translate(module, {
      entry,
      block,
      ...(cluster && { cluster }),
      sharedBytes,
      maxWorkgroupBytes: 32_768,
      plan,
      float: flushes ? flushedFloats : exactFloats,
    });
    if (program === undefined) return false;
    const result = runWgsl(makeJob(program, launch), { subgroupSize: plan.subgroupSize, maxSteps: 500_000, flushes });
    const { mismatches } = compareOutputs(launch, referenceOf(name), readOutputs(program, launch, result), {});
    return mismatches === 0;
  } catch {
    return false;
  }
}

const sizes = [32, 1];
const areRight = (name: string): boolean => sizes.every((size) => isRight(name, size));

const areRightWithoutFault = once((name) => {
  translator.plant(undefined);
  return areRight(name);
});

/** A short run plants some of the faults, and other ones each time. */
const planted = [...drawn(faults, 8), ...drawn(guardFaults, 4)];

describe('a planted fault changes a result', () => {
  it.each(planted.map((fault) => [fault.name, fault] as const))('%s', (_, fault) => {
    expect(areRightWithoutFault(fault.by), `${fault.by}, without the fault`).toBe(true);
    translator.plant(fault);
    expect(areRight(fault.by), `${fault.by}, with the fault`).toBe(false);
    translator.plant(undefined);
  });
});

const cases = new Map<string, WgslCase>(
  wgslFiles().flatMap(([, path]) =>
    casesOf(readFileSync(path, 'utf8'), 'wgsl').map((each) => [each.title, readCase(each)] as const),
  ),
);

function caseOf(title: string): WgslCase {
  const each = cases.get(title);
  if (each === undefined) throw new RangeError(`unknown case \`${title}\``);
  return each;
}

const expectedBy = once((title) => expectedOf(caseOf(title)));

/** Executes a case on its own plans. Throws an error that names the case if a result is wrong. */
function execute(title: string): void {
  const each = caseOf(title);
  const expected = expectedBy(title);
  for (const name of each.plans) checkCase(each, expected, name, translator.compileCase(each, planOf(name)));
}

/**
 * Returns the verifier's message for a case, or the error about its results; empty if nothing is
 * wrong.
 */
function faultOf(title: string): string {
  try {
    execute(title);
    return '';
  } catch (error) {
    return String(error);
  }
}

describe('a fault in the control flow is detected when a case is compiled or executed', () => {
  it.each(controlFaults.map((fault) => [fault.name, fault] as const))('%s', (_, fault) => {
    translator.plant(undefined);
    execute(fault.by);
    translator.plant(fault);
    expect(faultOf(fault.by)).toMatch(/ fails on the plan |the control tree is ill-formed/);
    translator.plant(undefined);
  });
});

it('the faults have unique names', () => {
  expect(faults.length).toBeGreaterThanOrEqual(40);
  expect(controlFaults.length).toBeGreaterThanOrEqual(20);
  const all = [...faults, ...guardFaults, ...controlFaults];
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});
