// The compiler analyzes a kernel's uniformity once. It repeats the analysis only after a pass has
// changed the program, or for a different block size.
import '../../provide-parts.ts';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { planFor } from '../../../src/base/lane-plan.ts';
import { analyzeUniformity } from '../../../src/translate/analysis/uniformity.ts';
import { uniformityOf } from '../../../src/translate/analysis/uniformity-of.ts';
import { constant, type Program } from '../../../src/translate/ir/nodes.ts';
import { parseProgram } from '../../../src/translate/ir/parse.ts';
import { translateLaunch } from '../../lockstep/lockstep-executor.ts';
import { kernelLaunch } from '../cpu-ref/interpreter/interpreter-support.ts';

vi.mock('../../../src/translate/analysis/uniformity.ts', async (importActual) => {
  const actual = await importActual<typeof import('../../../src/translate/analysis/uniformity.ts')>();
  return { ...actual, analyzeUniformity: vi.fn(actual.analyzeUniformity) };
});

const computed = () => vi.mocked(analyzeUniformity).mock.calls.length;
beforeEach(() => void vi.mocked(analyzeUniformity).mockClear());

describe('uniformityOf', () => {
  const block = [64, 1, 1] as const;
  const memory = { arrays: [] };
  const text = `source "k.ptx"

kernel k {
b0:
  %tid:i32 = special.i32 "%tid.x"
  %odd:i1 = icmp.ult %tid, 32
  branch %odd, b1, b2
b1:
  barrier.sync 0
  jump b2
b2:
  barrier.sync 1
  exit
}
`;

  test('returns the same object while nothing changes', () => {
    const { program } = parseProgram(text);
    const first = uniformityOf(program, memory, block);
    expect(first.obstacle).toMatch(/^bar\.sync under a divergent branch/);
    expect(uniformityOf({ ...program, functions: [...program.functions] }, { arrays: [] }, [64, 1, 1])).toBe(first);
    expect(computed()).toBe(1);
  });

  const branchOf = ({ kernel }: Program) => {
    const [first] = kernel.blocks;
    if (first?.end.kind !== 'branch') throw new Error('no branch');
    return { first, end: first.end };
  };

  test.each<[string, (program: Program) => void, string | undefined]>([
    [
      'the condition of a branch',
      (program) => {
        const { first, end } = branchOf(program);
        first.end = { ...end, condition: constant('i1', 1) };
      },
      undefined,
    ],
    [
      'the arguments of an instruction',
      (program) => {
        const [, compare] = branchOf(program).first.insts;
        if (compare) compare.args = [constant('i32', 1), constant('i32', 32)];
      },
      undefined,
    ],
    [
      'the attributes of an instruction',
      ({ kernel }) => {
        for (const inst of kernel.blocks.flatMap(({ insts }) => insts))
          if (inst.op === 'barrier') inst.attrs = { ...inst.attrs, kind: 'yield' };
      },
      'a wait for other threads under a divergent branch',
    ],
    [
      'the list of instructions, in place',
      ({ kernel }) => {
        for (const { insts } of kernel.blocks) if (insts[0]?.op === 'barrier') insts.shift();
      },
      undefined,
    ],
  ])('analyzes again after a change of %s', (_, change, obstacle) => {
    const { program } = parseProgram(text);
    uniformityOf(program, memory, block);
    change(program);
    expect(uniformityOf(program, memory, block).obstacle).toBe(obstacle);
    expect(computed()).toBe(2);
  });

  test('analyzes again for a different block size', () => {
    const { program } = parseProgram(text);
    uniformityOf(program, memory, block);
    expect(uniformityOf(program, memory, [32, 1, 1]).obstacle).toBeUndefined();
    expect(computed()).toBe(2);
  });
});

describe('a translation', () => {
  const launch = (early: string) =>
    kernelLaunch(
      `mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;
@%p1 mbarrier.init.shared.b64 [bar], 64; bar.sync 0; ${early}
mbarrier.arrive.shared.b64 _, [bar];
W: mbarrier.test_wait.parity.shared::cta.b64 %p2, [bar], 0; @!%p2 bra W;
st.global.u32 [%rd1], %r1;`,
      { module: '.shared .align 8 .b64 bar;', threads: 64 },
    );

  test('computes it once if `join-waits` changes the kernel and later passes do not', () => {
    translateLaunch(launch(''), planFor(32));
    expect(computed()).toBe(1);
  });

  test('computes it again if `join-waits` restores the kernel', () => {
    translateLaunch(launch('@%p1 ret;'), planFor(32));
    expect(computed()).toBe(2);
  });
});
