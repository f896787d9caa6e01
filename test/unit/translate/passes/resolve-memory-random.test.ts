// Random kernels compute addresses of shared memory, local memory and buffers in many ways. Their IR
// must compute what the reference interpreter computes: after resolve-memory, and again after
// legalize-memory.
import { describe, expect, it } from 'vitest';
import type { Launch } from '../../../../src/base/launch.ts';
import { interpret } from '../../../../src/cpu-ref/interpreter/interpret.ts';
import { parsePtxOrThrow } from '../../../../src/ptx/index.ts';
import { buildProgram } from '../../../../src/translate/build/index.ts';
import { Builder } from '../../../../src/translate/ir/builder.ts';
import { verifyProgram } from '../../../../src/translate/ir/verify.ts';
import { legalizeMemory } from '../../../../src/translate/legalize/memory/memory.ts';
import { cleanUp } from '../../../../src/translate/passes/clean-up.ts';
import { hoistLoads } from '../../../../src/translate/passes/hoist-loads.ts';
import { resolveMemory } from '../../../../src/translate/passes/resolve-memory.ts';
import { effort } from '../../../effort.ts';
import { runResolved } from '../../../ir/run-resolved.ts';
import { randomAddresses } from '../../../lockstep/random-addresses.ts';
import { randomBuffers } from '../../../lockstep/random-buffers.ts';

type Stage = 'resolved' | 'legal';

function run(launch: Launch, stage: Stage): ReadonlyMap<number, Uint8Array> {
  const module = parsePtxOrThrow(launch.ptx);
  const entry = module.functions.find(({ kind }) => kind === 'entry');
  if (entry === undefined) throw new Error('no kernel');
  const { program, ids } = buildProgram(module, entry, { block: launch.block, dynamicShared: launch.sharedBytes });
  const builder = new Builder(ids);
  const all = [program.kernel, ...program.functions];
  for (const func of all) cleanUp(func, builder);
  const [x, y, z] = launch.block;
  const plan = resolveMemory(program, builder, {
    block: launch.block,
    lanes: Math.ceil((x * y * z) / 32) * 32,
    slots: 1,
  });
  expect(verifyProgram(program)).toEqual([]);
  for (const func of all) hoistLoads(func, plan);
  if (stage === 'legal') legalizeMemory(program, builder, plan);
  for (const func of all) cleanUp(func, builder);
  expect(verifyProgram(program)).toEqual([]);
  return runResolved(program, plan, launch);
}

function compare(launch: Launch): void {
  const result = interpret(parsePtxOrThrow(launch.ptx), launch);
  expect(result.status, `${result.failure?.message}\n${launch.ptx}`).toBe('done');
  for (const stage of ['resolved', 'legal'] as const) {
    const outputs = run(launch, stage);
    for (const [param, wanted] of result.outputs) {
      const got = outputs.get(param);
      const defined = result.undefinedMasks.get(param);
      const first = wanted.findIndex(
        (byte, index) => ((byte ^ (got?.[index] ?? 0)) & (defined?.[index] ?? 0xff)) !== 0,
      );
      expect(first, `${launch.id}, ${stage}, parameter ${param}: byte ${first} differs\n${launch.ptx}`).toBe(-1);
    }
  }
}

describe.each(effort([0], [0, 1, 2]))('round %d', (round) => {
  it('shared and local memory', { timeout: 300_000 }, () => {
    for (let seed = 10 * round; seed < 10 * round + effort(6, 10); seed++) compare(randomAddresses(seed, false));
  });
  it('buffers', { timeout: 300_000 }, () => {
    for (let seed = 40 * round; seed < 40 * round + effort(20, 40); seed++) compare(randomBuffers(seed));
  });
});
