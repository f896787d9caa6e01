// Values that the compiler computes from a thread's position in its block, against the values that
// each thread stores in the reference interpreter.
import { describe, expect, it } from 'vitest';
import type { Dim3 } from '../../../../src/base/launch.ts';
import { allWorkarounds } from '../../../../src/base/workarounds.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { loadKernel } from '../../../../src/harness/executors/load-kernel.ts';
import { controlGraph } from '../../../../src/translate/analysis/control-dependence.ts';
import { threadValues } from '../../../../src/translate/analysis/thread-values.ts';
import { buildProgram } from '../../../../src/translate/build/index.ts';
import { passes, planFor } from '../../../../src/translate/index.ts';
import { Builder } from '../../../../src/translate/ir/builder.ts';
import { type Block, constantOf, isDefinition, type Value } from '../../../../src/translate/ir/nodes.ts';
import { memberMaskOf } from '../../../../src/translate/ir/warp-facts.ts';
import { exactFloats } from '../../../lockstep/float-profiles.ts';
import { memberLaunch } from '../../../lockstep/member-kernels.ts';

const shapes: readonly Dim3[] = [
  [64, 1, 1],
  [40, 1, 1],
  [8, 8, 1],
  [5, 3, 3],
  [16, 2, 4],
];

/**
 * Returns the values of `%r9` in the threads of a block, or undefined if the compiler does not know
 * them. A vote uses `%r9` as its membermask, because the compiler computes masks only.
 */
function known(body: string, block: Dim3): readonly bigint[] | undefined {
  const launch = memberLaunch(`${body}\n  vote.sync.any.pred %p6, %p7, %r9;\n  selp.u32 %r, 1, 2, %p6;`, block);
  const module = loadKernel(launch);
  const [entry] = module.functions;
  if (!entry) throw new Error('no entry');
  const { program, ids } = buildProgram(module, entry, { block, dynamicShared: 0 });
  const options = { block, plan: planFor(32), float: exactFloats };
  const state = {
    program,
    builder: new Builder(ids),
    options,
    workarounds: allWorkarounds,
    memory: undefined,
    rare: new Set<Block>(),
    arrayBytes: 32_768,
    form: 'unrolled' as const,
  };
  for (const pass of passes) pass.run(state);
  const values = threadValues(controlGraph(program.kernel), block).values;
  for (const { insts } of program.kernel.blocks) {
    for (const inst of insts) {
      const mask = inst.op === 'warp' ? memberMaskOf(inst) : undefined;
      if (mask) return bitsOf(mask, values, block);
    }
  }
  throw new Error('no mask');
}

function bitsOf(
  value: Value,
  values: ReturnType<typeof threadValues>['values'],
  [x, y, z]: Dim3,
): readonly bigint[] | undefined {
  const constant = constantOf(value);
  if (constant !== undefined) return Array.from({ length: x * y * z }, () => constant);
  return isDefinition(value) ? values.get(value) : undefined;
}

const decided = (body: string) => `${body}
  mov.b32 %r8, %r9;
  setp.eq.u32 %p7, %r8, 12345;
  @%p7 bra DONE;
  mov.u32 %r, %r8;
  vote.sync.any.pred %p6, %p7, -1;`;

async function stored(body: string, block: Dim3): Promise<readonly (readonly bigint[])[]> {
  const { outputs } = await cpuExecutor().run(memberLaunch(decided(body), block));
  const words = new Uint32Array((outputs.get(1) ?? new Uint8Array()).slice().buffer);
  const threads = block[0] * block[1] * block[2];
  return [words.slice(0, threads), words.slice(threads)].map((half) => Array.from(half, BigInt));
}

const expressions = [
  'mov.u32 %r9, %tid.x;',
  'mov.u32 %r1, %tid.y;\n  xor.b32 %r9, %r1, %lane;',
  'mov.u32 %r1, %tid.z;\n  xor.b32 %r9, %r1, %lane;',
  'mov.u32 %r9, %laneid;',
  'mov.u32 %r9, %lanemask_lt;',
  'mov.u32 %r9, %lanemask_le;',
  'mov.u32 %r9, %lanemask_eq;',
  'mov.u32 %r9, %lanemask_ge;',
  'mov.u32 %r9, %lanemask_gt;',
  'sub.s32 %r9, %lane, 7;',
  'mad.lo.s32 %r9, %lane, -3, %me;',
  'mul.hi.u32 %r9, %me, 0xaaaaaaab;',
  'not.b32 %r9, %lane;',
  'xor.b32 %r1, %me, 21;\n  or.b32 %r9, %r1, %lane;',
  'shl.b32 %r9, 3, %lane;',
  'sub.s32 %r1, %lane, 16;\n  shr.s32 %r9, %r1, 2;',
  'shr.u32 %r9, 0xf0f01234, %lane;',
  'div.u32 %r9, %me, 3;',
  'sub.s32 %r1, %lane, 9;\n  div.s32 %r9, %r1, 2;',
  'sub.s32 %r1, %lane, 9;\n  rem.s32 %r9, %r1, 4;',
  'sub.s32 %r1, %lane, 9;\n  abs.s32 %r1, %r1;\n  neg.s32 %r9, %r1;',
  'sub.s32 %r1, %lane, 9;\n  min.s32 %r1, %r1, 3;\n  max.u32 %r9, %r1, 2;',
  'popc.b32 %r9, %me;',
  'clz.b32 %r9, %lane;',
  'brev.b32 %r9, %me;',
  'bfind.u32 %r9, %lane;',
  'bfe.u32 %r9, %me, 1, 3;',
  'bfe.s32 %r9, %lane, 2, 2;',
  'bfi.b32 %r9, %lane, 0x12345678, 8, 5;',
  'lop3.b32 %r9, %lane, %me, 0x0f0f0f0f, 0xe8;',
  'shf.l.wrap.b32 %r9, %lane, %me, 5;',
  'prmt.b32 %r9, %lane, %me, 0x4150;',
  'setp.lt.u32 %p1, %lane, 11;\n  selp.b32 %r9, %me, 3, %p1;',
  'setp.ge.s32 %p1|%p2, %lane, 11;\n  and.pred %p3, %p1, !%p2;\n  selp.b32 %r9, 1, 2, %p3;',
  'setp.eq.u32 %p1, %lane, 3;\n  setp.ne.or.u32 %p2, %me, 20, %p1;\n  not.pred %p2, %p2;\n  selp.b32 %r9, 1, 2, %p2;',
  'set.lt.u32.u32 %r9, %lane, 5;',
  'mov.u32 %r9, 1;\n  setp.lt.u32 %p1, %lane, 3;\n  @%p1 mov.u32 %r9, 2;',
  'div.u32 %r9, 7, %lane;',
  '.reg .b16 %h;\n  cvt.u16.u32 %h, %me;\n  mul.wide.u16 %r1, %h, %h;\n  cvt.s32.s8 %r9, %r1;',
  '.reg .b64 %d;\n  mul.wide.u32 %d, %me, 0x10000001;\n  cvt.u32.u64 %r9, %d;',
  // The thread's number in a grid whose blocks have 96 threads, a multiple of 32.
  'mov.u32 %r1, %ctaid.x;\n  mad.lo.u32 %r1, %r1, 96, %me;\n  and.b32 %r9, %r1, 31;',
  'mov.u32 %r1, %ctaid.x;\n  shl.b32 %r1, %r1, 5;\n  sub.u32 %r1, %me, %r1;\n  not.b32 %r1, %r1;\n  and.b32 %r9, %r1, 0x13;',
  'mul.lo.u32 %r1, %x, 8;\n  add.u32 %r1, %r1, 3;\n  and.b32 %r9, 7, %r1;',
] as const;

describe('the values in all threads of', () => {
  it.each(expressions)('%s', async (body) => {
    for (const block of shapes) {
      const [first, second] = await stored(body, block);
      expect({ block, values: known(body, block) }).toEqual({ block, values: first });
      expect(second).toEqual(first);
    }
  });
});

describe('the values are unknown of', () => {
  it.each([
    ['data', 'mov.u32 %r9, %x;'],
    ['the number of the block', 'mov.u32 %r9, %ctaid.x;'],
    [
      'too many bits of an unknown number',
      'mov.u32 %r1, %ctaid.x;\n  mad.lo.u32 %r1, %r1, 16, %me;\n  and.b32 %r9, %r1, 31;',
    ],
    ['carries from unknown low bits', 'shr.u32 %r1, %x, 31;\n  add.u32 %r1, %r1, %me;\n  and.b32 %r9, %r1, 2;'],
    [
      'a value that a branch chose',
      'mov.u32 %r9, 1;\n  setp.lt.u32 %p1, %lane, 3;\n  @%p1 bra ON;\n  mov.u32 %r9, %x;\nON:',
    ],
  ])('%s', (_, body) => {
    expect(known(body, [64, 1, 1])).toBeUndefined();
  });
});

it.each([
  ['is known', 500, true],
  ['is too long', 2000, false],
] as const)('a calculation that %s: %i steps', (_, steps, isKnown) => {
  const lines = Array.from({ length: steps }, () => '  mad.lo.u32 %r9, %r9, 69069, 1;');
  expect(known(['  mov.u32 %r9, %me;', ...lines].join('\n'), [64, 1, 1]) !== undefined).toBe(isKnown);
});
