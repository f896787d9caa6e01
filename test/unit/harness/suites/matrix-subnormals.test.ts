// Matrix products on adapters that flush subnormal numbers: every floating-point form with zeros,
// subnormal elements and addends, on each kind of plan, compared as in `validate`.
import { describe, expect, it } from 'vitest';
import { judge } from '../../../../src/harness/compare/judge.ts';
import { suiteGroups } from '../../../../src/harness/suites/index.ts';
import { contents } from '../../../../src/harness/suites/matrix/product-values.ts';
import type { Choice } from '../../../../src/harness/suites/types.ts';
import { drawn } from '../../../effort.ts';
import { bufferKernel, expectReference } from '../../../lockstep/buffer-kernel.ts';
import { flushedFloats } from '../../../lockstep/float-profiles.ts';
import { type LockstepOptions, lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';
import { wgslOf } from '../../../lockstep/small-kernel.ts';

const seed = 20_261_123;
const configurations: readonly (LockstepOptions & { readonly size: number })[] = [
  { size: 32 },
  { size: 64 },
  { size: 16 },
  { size: 1 },
  { size: 1, shape: 'warp' },
];

/** Whether a suite sums in f32. Sums in f16 never flush. */
const sumsInF32 = (id: string): boolean => /\bf32\b/.test(id) && !/\b(s8|u8|b1)\b/.test(id);
const groups = suiteGroups()
  .filter(({ suites }) => /^(wmma\.)?mma\./.test(suites[0]?.row ?? ''))
  .filter(({ suites }) => suites.some(({ id }) => sumsInF32(id)));
const place = contents.indexOf('tiny');

/** The tests: each group with one configuration, in rotation. */
const runs = groups.flatMap((group, index) =>
  configurations.flatMap(({ size, ...options }, at) =>
    index % configurations.length === at
      ? [{ id: group.suites.find(({ id }) => sumsInF32(id))?.id ?? '', group, size, options }]
      : [],
  ),
);
/** Returns the row, and the type of the factors. */
const kindOf = ({ id }: (typeof runs)[number]): string =>
  /^[\w.]+:|\b(b?f16|tf32|e\dm\d)\b/g[Symbol.match](id)?.join(' ') ?? id;

describe('products of subnormal numbers', () => {
  it.each(drawn(runs, 6, kindOf))('$id and similar suites, $size $options', async ({ group, size, options }) => {
    const executor = lockstepExecutor(size, { ...options, flushes: true });
    const ids = new Set(group.suites.map(({ id }) => id).filter(sumsInF32));
    // Each batch contains a warp with the contents `tiny`. In the first of these warps, only the
    // addends are not zero.
    for (const firstWarp of [place, place + contents.length].map((warp) => warp - (warp % 2))) {
      const choice: Choice = { ids, variant: undefined, firstWarp, warps: 2, seed };
      const batch = group.build(choice);
      const { outputs } = await executor.run(batch.launch);
      const answer = { name: 'lockstep', native: false, outputs };
      for (const [{ id }, { mismatches, first }] of judge(batch, answer, { only: undefined, answers: [answer] }))
        expect({ id, mismatches, first }).toEqual({ id, mismatches: 0, first: undefined });
    }
  });
});

/** Returns a loop that multiplies twice: each sum is the addend of the next product. */
const loopFrom = (start: string): string =>
  bufferKernel(`
  .reg .f32 %s<4>;
  .reg .b32 %a<6>;
  ld.global.u32 %a0, [%rd1];
  and.b32 %a0, %a0, 0x3c003c00;
  ${[0, 1, 2, 3].map((index) => `${start} %s${index}, ${start === 'mov.f32' ? '0f00000000' : `[%rd1+${4 * index}]`};`).join('\n  ')}
  mov.u32 %r3, 0;
again:
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s0,%s1,%s2,%s3}, {%a0,%a0,%a0,%a0}, {%a0,%a0}, {%s0,%s1,%s2,%s3};
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p1, %r3, %r0;
  @%p1 bra again;
  mov.b32 %r1, %s0;`);

it.each([
  ['zero', 'mov.f32', false],
  ['unknown numbers', 'ld.global.f32', true],
])('a loop that starts from %s has guards: %s %s', async (_, start, isGuarded) => {
  const ptx = loopFrom(start).replace('setp.lt.u32 %p1, %r3, %r0', 'setp.lt.u32 %p1, %r3, 3');
  expect(wgslOf(ptx, { float: flushedFloats }).includes('any_special')).toBe(isGuarded);
  expect(wgslOf(ptx)).not.toContain('any_special');
  await expectReference(ptx);
});
