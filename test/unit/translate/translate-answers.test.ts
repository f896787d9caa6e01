// Details that a translation can easily get wrong: names, carries, narrow loads, several branches
// to the same label, indexes past the end, reused registers, effects.
import { describe, expect, it } from 'vitest';
import type { Launch } from '../../../src/base/launch.ts';
import { compareOutputs } from '../../../src/harness/compare/compare.ts';
import { cpuExecutor } from '../../../src/harness/executors/cpu-executor.ts';
import { warpRows } from '../../../src/isa/index.ts';
import { planFor } from '../../../src/translate/index.ts';
import { warpFacts } from '../../../src/translate/ir/warp-facts.ts';
import { helpers } from '../../../src/wgsl/helpers.ts';
import { drawn, inTurn } from '../../effort.ts';
import { faultKernels } from '../../faults/kernels.ts';
import { lockstepExecutor, translateLaunch } from '../../lockstep/lockstep-executor.ts';
import { memberLaunch } from '../../lockstep/member-kernels.ts';
import { smallKernel, statementsOf, wgslOf } from '../../lockstep/small-kernel.ts';

const reference = cpuExecutor();
const executorOf = (size: number) => lockstepExecutor(size, { subgroupId: size !== 64 });
const native = executorOf(32);
const nextOthers = inTurn([1, 64, 4, 128, 8, 1, 16].map(executorOf), 1);

/**
 * Runs a kernel whose results are all defined by PTX, on subgroups of 32 and of some other sizes.
 */
async function check(launch: Launch): Promise<void> {
  const { outputs: expected, undefinedMasks } = await reference.run(launch);
  expect(undefinedMasks?.size ?? 0, 'PTX defines all results').toBe(0);
  for (const executor of [native, ...nextOthers()]) {
    const { outputs } = await executor.run(launch);
    const { mismatches, first } = compareOutputs(launch, expected, outputs, {});
    expect({ size: executor.describe().subgroupSize, mismatches, first }).toMatchObject({ mismatches: 0 });
  }
}

/**
 * Names that WGSL, the prelude or the compiler uses for something else, and names that become equal
 * if a number is appended.
 */
const names = [
  ...'result_d operand_a executed $more $again $next f1 f11 f1_1 f_1 return$g1 $x x x_ x_1 _x live pc exit_to other_arm was_live'.split(
    ' ',
  ),
  ...'taken yes value value_1 waiting never operand old swap loaded word index count lanes exec state heap data params params_'.split(
    ' ',
  ),
  ...'tid ctaid lane warp subgroup_lane s t v fn var let loop switch array u32 i32 f32 bool vec2 select bitcast main array_'.split(
    ' ',
  ),
  ...'subgroupBallot subgroupShuffle workgroupBarrier storageBarrier atomicLoad extractBits min max warp_ballot warp_shuffle'.split(
    ' ',
  ),
  ...'barriers barrier_count Barrier threads_alive block_state wait resume alive group complete load_generic store_generic'.split(
    ' ',
  ),
  ...Object.keys(helpers).slice(0, 20),
].filter((name) => /^(\$|[A-Za-z])/.test(name) || name.length > 1);

interface Shape {
  readonly mode: 'threads' | 'structured' | 'dispatch';
  /**
   * A body in which `$1` to `$6` are words, `$7` is a predicate, and `$8` and `$9` are labels. `$1`
   * is the thread's input, `$6` its number, and `$5` the result.
   */
  readonly body: string;
}

const shapes: readonly Shape[] = [
  {
    mode: 'threads',
    body: `  mov.u32 $2, 0; mov.u32 $5, 3;
$8:
  mad.lo.u32 $5, $5, $1, $2; div.s32 $3, $5, 7; xor.b32 $5, $5, $3; shl.b32 $4, $1, $2; add.u32 $5, $5, $4;
  add.u32 $2, $2, 1; and.b32 $3, $6, 7; setp.lt.u32 $7, $2, $3; @$7 bra $8;`,
  },
  {
    mode: 'structured',
    body: `  and.b32 $2, $6, 3; setp.eq.u32 $7, $2, 0; @$7 bra $8;
  activemask.b32 $3; popc.b32 $5, $3; mul.lo.u32 $5, $5, $1; bra $9;
$8:
  activemask.b32 $3; shr.u32 $4, $1, $2; add.u32 $5, $3, $4;
$9:
  shfl.sync.bfly.b32 $4, $5, 3, 0x1f, -1; xor.b32 $5, $5, $4; bar.sync 0; shfl.sync.idx.b32 $3, $5, $1, 0x1f, -1; add.u32 $5, $5, $3;`,
  },
  {
    mode: 'dispatch',
    body: `  and.b32 $2, $1, 1; setp.eq.u32 $7, $2, 0; mov.u32 $5, 1; @$7 bra $8;
  shfl.sync.bfly.b32 $3, $1, 1, 0x1f, -1; add.u32 $5, $5, $3; bra $9;
$8:
  shfl.sync.bfly.b32 $4, $1, 1, 0x1f, -1; sub.u32 $5, $4, $6;
$9:
  vote.sync.ballot.b32 $3, $7, -1; xor.b32 $5, $5, $3;`,
  },
];

/**
 * Returns the shape's kernel with these eleven names. The last two are the names of the parameters.
 */
function named({ body }: Shape, given: readonly string[]): Launch {
  const launch = memberLaunch('', [64, 1, 1]);
  const name = (index: number): string => given[index - 1] ?? `n${index}`;
  const text = body.replace(/\$([1-9])\b/g, (_, index: string) => name(Number(index)));
  const words = [1, 2, 3, 4, 5, 6].map(name).join(', ');
  return {
    ...launch,
    ptx: `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 ${name(10)}, .param .u64 ${name(11)})
{
  .reg .pred ${name(7)};
  .reg .b32 ${words}, %t;
  .reg .b64 %in, %out, %offset;
  mov.u32 ${name(6)}, %tid.x;
  mov.u32 %t, %ctaid.x;
  mad.lo.u32 %t, %t, 64, ${name(6)};
  mul.wide.u32 %offset, %t, 4;
  ld.param.u64 %in, [${name(10)}];
  ld.param.u64 %out, [${name(11)}];
  add.u64 %in, %in, %offset;
  add.u64 %out, %out, %offset;
  ld.global.u32 ${name(1)}, [%in];
${text}
  st.global.u32 [%out], ${name(5)};
  ret;
}
`,
  };
}

describe('names of registers, labels and parameters', () => {
  const groups = Array.from({ length: Math.ceil(names.length / 11) }, (_, group) =>
    names.slice(group * 11, group * 11 + 11),
  );
  for (const shape of shapes) {
    it.each(drawn(groups, 2).map((group) => [group.join(' '), group] as const))(
      `${shape.mode}: %s`,
      async (_, group) => {
        const launch = named(shape, group);
        expect(translateLaunch(launch, planFor(32)).mode).toBe(shape.mode);
        await check(launch);
      },
    );
  }

  it.each([
    ['results and operands of staged shuffles', ['result_d', 'operand_a', 'executed', 'result_p', 'operand_b', 'wait']],
    ['halves of addresses', ['%lo1', '%lo2', '%lo', 'lo1', '%hi1', 'hi1']],
    ['numbers after a name', ['f1', 'f11', 'f1_1', 'f_1_1', 'f1_', 'f']],
    ['names that differ in a sign only', ['%x', 'x', '$x', '_x', '%$x', 'x_']],
  ])('%s', async (_, group) => {
    for (const shape of shapes) await check(named(shape, group));
  });
});

describe('kernels for planted faults are right without the fault', () => {
  it.each(drawn([...faultKernels.keys()], Math.ceil(faultKernels.size / 2)))('%s', async (name) => {
    const launch = faultKernels.get(name);
    if (launch === undefined) throw new Error(name);
    await check(launch);
  });
});

describe('narrow loads', () => {
  const types = ['u8', 's8', 'b8', 'u16', 's16', 'b16', 'u32', 's32', 'b32', 'u64', 's64', 'b64'];
  const widthOf = (type: string): number => Number(type.slice(1));
  const spaces: Readonly<Record<string, { readonly before: string; readonly at: (bytes: number) => string }>> = {
    global: { before: '', at: (bytes) => `ld.global.TYPE REG, [%base+${bytes}]` },
    generic: { before: '', at: (bytes) => `ld.TYPE REG, [%base+${bytes}]` },
    shared: {
      before: '.shared .align 8 .b8 cells[2048]; mov.u32 %n0, cells; shl.b32 %n1, %me, 5; add.u32 %n0, %n0, %n1; COPY',
      at: (bytes) => `ld.shared.TYPE REG, [%n0+${bytes}]`,
    },
    local: {
      before: '.local .align 8 .b8 cells[32]; mov.u32 %n0, cells; COPY',
      at: (bytes) => `ld.local.TYPE REG, [%n0+${bytes}]`,
    },
  };

  for (const [space, { before, at }] of Object.entries(spaces)) {
    for (const register of [16, 32, 64]) {
      it(`${space} memory, into registers of ${register} bits`, async () => {
        const copy = [0, 4, 8, 12]
          .map((bytes) => `ld.global.u32 %n2, [%base+${bytes}]; st.${space}.u32 [%n0+${bytes}], %n2;`)
          .join(' ');
        const steps = types
          .filter((type) => widthOf(type) <= register)
          .flatMap((type) => {
            const places = [0, 1, 2, 3, 5, 6, 8].filter((bytes) => bytes % (widthOf(type) / 8) === 0);
            return places.map((bytes) => {
              const load = at(bytes).replace('TYPE', type).replace('REG', `%v${register}`);
              const words = {
                16: 'cvt.u32.u16 %n3, %v16; mad.lo.u32 %r, %r, 31, %n3;',
                32: 'mad.lo.u32 %r, %r, 31, %v32;',
                64: 'mov.b64 {%n3, %n4}, %v64; mad.lo.u32 %r, %r, 31, %n3; mad.lo.u32 %r, %r, 31, %n4;',
              }[register];
              return `  ${load}; ${words}`;
            });
          });
        const body = `  .reg .b16 %v16; .reg .b32 %v32; .reg .b64 %v64, %base; .reg .b32 %n<6>;
  sub.s32 %n5, 0, %me; mul.wide.s32 %base, %n5, 4; add.s64 %base, %in, %base;
  and.b32 %n5, %me, 7; mul.wide.u32 %v64, %n5, 8; add.s64 %base, %base, %v64;
  ${before.replace('COPY', copy)}
${steps.join('\n')}`;
        await check(memberLaunch(body));
      });
    }
  }

  it('an index from a byte in a 64-bit register', async () => {
    const body = `  .reg .b64 %a, %b; .reg .b32 %n;
  and.b32 %n, %me, 3; cvt.u64.u32 %b, %n; add.s64 %a, %in, %b; ld.global.u8 %a, [%a]; shl.b64 %a, %a, 1; and.b64 %a, %a, 0x3c;
  and.b32 %n, %me, 48; sub.s32 %n, %n, %me; mul.wide.s32 %b, %n, 4; add.s64 %a, %a, %b; add.s64 %a, %a, %in; ld.global.u32 %r, [%a];`;
    await check(memberLaunch(body));
  });
});

it.each([
  ['and.b32 %n1, %n0, 255', 'a mask'],
  ['bfe.u32 %n1, %n0, 0, 8', 'a bit field'],
  ['shl.b32 %n1, %n0, 24; shr.u32 %n1, %n1, 24', 'shifts'],
])('an address from the low bits of another variable may be anywhere: %s', async (code) => {
  const body = `  .reg .b32 %n<4>; .shared .align 256 .b8 first[256]; .shared .align 256 .b8 second[256];
  shl.b32 %n2, %me, 2; mov.u32 %n0, first; add.u32 %n0, %n0, %n2; st.shared.u32 [%n0], %x;
  mov.u32 %n0, second; add.u32 %n0, %n0, %n2; st.shared.u32 [%n0], %me;
  ${code}; ld.shared.u32 %r, [%n1];`;
  await check(memberLaunch(body));
});

it('branches to the next instruction disappear', () => {
  const size = (count: number): number => {
    const branches = Array.from(
      { length: count },
      (_, at) => `  setp.gt.s32 %p1, %r0, ${at};\n  @%p1 bra E${at};\nE${at}:`,
    );
    return wgslOf(smallKernel(`${branches.join('\n')}\n  add.s32 %r1, %r0, 1;`)).length;
  };
  expect(size(20)).toBe(size(0));
});

it('reused registers do not change the WGSL', () => {
  const twin = (first: string, second: string, third: string) => `  setp.gt.s32 %p1, %r0, 3;
  @%p1 bra SECOND;
  mov.u32 ${first}, 5;
  add.s32 ${first}, ${first}, %r0;
  shfl.sync.bfly.b32 %r1, ${first}, 1, 0x1f, 0xffffffff;
  bra JOIN;
SECOND:
  mul.lo.u32 ${second}, %r0, 3;
  mov.b32 %r1, ${second};
JOIN:
  add.s32 ${third}, %r1, 9;
  mul.lo.u32 %r1, ${third}, ${third};`;
  const shape = (body: string): string => {
    const seen = new Map<string, string>();
    return statementsOf(wgslOf(smallKernel(body)))
      .join('\n')
      .replace(/\b[a-z]\w*\b/g, (name) => {
        if (!seen.has(name)) seen.set(name, `n${seen.size}`);
        return seen.get(name) ?? name;
      });
  };
  expect(shape(twin('%r2', '%r2', '%r2'))).toBe(shape(twin('%r2', '%r3', '%r4')));
});

describe('instructions that write memory stay if their results are unused', () => {
  it.each([
    'st.global.u32 [%out], %x',
    'st.volatile.global.u32 [%out], %x',
    'st.relaxed.gpu.global.u32 [%out], %x',
    'st.release.gpu.global.u32 [%out], %x',
    'red.global.add.u32 [%out], %x',
    'atom.global.xor.b32 %r1, [%out], %x',
    'atom.global.exch.b32 _, [%out], %x',
    'atom.global.cas.b32 %r1, [%out], 0xa5a5a5a5, %x',
  ])('%s', async (instruction) => {
    const launch = memberLaunch(`  ${instruction};`);
    await check({ ...launch, ptx: launch.ptx.replace('  st.global.u32 [%out], %r;\n', '') });
  });
});

it('every result of every warp instruction has a uniformity', () => {
  for (const { name, writes } of warpRows)
    expect([name, warpFacts(name).results.length]).toEqual([name, writes.length]);
});
