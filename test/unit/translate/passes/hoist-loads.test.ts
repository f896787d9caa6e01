// Loads that move before stores which cannot alias them.
import { describe, expect, it } from 'vitest';
import { bufferKernel, expectReference } from '../../../lockstep/buffer-kernel.ts';
import { statementsOf, wgslOf } from '../../../lockstep/small-kernel.ts';

/**
 * Returns the loads, stores, atomics and barriers in the order of the shader: `l` for the input,
 * `r` for the results, `s`, `a`, `b`.
 */
function orderOf(ptx: string): string {
  const kinds: readonly (readonly [RegExp, string])[] = [
    [/^workgroupBarrier/, 'b'],
    [/^atomic(Add|Max)/, 'a'],
    [/^\w+\[.*\] = /, 's'],
    [/\binput\[/, 'l'],
    [/\bresult\[/, 'r'],
  ];
  const lines = statementsOf(wgslOf(ptx, { entry: 'buffers' }));
  return lines.map((line) => kinds.find(([kind]) => kind.test(line))?.[1] ?? '').join('');
}

/**
 * `%rd6` and `%rd7` are the thread's addresses in the input and in the results, `%r12` is its
 * address in shared memory.
 */
const places = `  mul.wide.u32 %rd8, %r0, 4;
  add.s64 %rd6, %rd1, %rd8;
  add.s64 %rd7, %rd3, %rd8;
  shl.b32 %r12, %r0, 2;
  mov.u32 %r13, cells;
  add.u32 %r12, %r12, %r13;
`;

describe('a load', () => {
  it.each([
    [
      'moves before a store',
      'ld.global.u32 %r3, [%rd6]; st.shared.u32 [%r12], %r3; ld.global.u32 %r1, [%rd6+4];',
      'llss',
    ],
    [
      'moves with its address',
      'st.shared.u32 [%r12], %r0; add.s32 %r3, %r0, 9; mad.wide.u32 %rd9, %r3, 4, %rd1; ld.global.u32 %r1, [%rd9];',
      'lss',
    ],
    [
      'moves with its whole address computation',
      'st.shared.u32 [%r12], %r0; add.s32 %r3, %r0, 9; mul.lo.u32 %r4, %r3, 3; mad.wide.u32 %rd9, %r4, 4, %rd1; ld.global.u32 %r1, [%rd9];',
      'lss',
    ],
    [
      'of a buffer that is written stays',
      'st.global.u32 [%rd7], %r2; ld.global.u32 %r1, [%rd7]; add.s32 %r1, %r1, 1;',
      'srs',
    ],
    ['of shared memory stays', 'st.shared.u32 [%r12], %r2; ld.shared.u32 %r1, [%r12];', 'ss'],
    ['moves before an atomic', 'mov.u32 %r3, 1; red.shared.add.u32 [%r12], %r3; ld.global.u32 %r1, [%rd6];', 'las'],
    ['does not move before a barrier', 'st.shared.u32 [%r12], %r0; bar.sync 0; ld.global.u32 %r1, [%rd6];', 'sbls'],
    [
      'moves up to the previous barrier',
      'st.shared.u32 [%r12], %r0; bar.sync 0; st.shared.u32 [%r12], %r2; ld.global.u32 %r1, [%rd6];',
      'sblss',
    ],
    [
      'whose address was loaded stays',
      'ld.global.u32 %r3, [%rd6]; st.shared.u32 [%r12], %r0; ld.shared.u32 %r4, [%r12]; mad.wide.u32 %rd9, %r4, 4, %rd1; ld.global.u32 %r1, [%rd9]; add.s32 %r1, %r1, %r3;',
      'lsls',
    ],
    [
      'under a guard stays',
      'mov.u32 %r1, 0; setp.gt.s32 %p1, %r2, 0; st.shared.u32 [%r12], %r0; @%p1 ld.global.u32 %r1, [%rd6];',
      'sls',
    ],
    ['under a fence stays', 'st.shared.u32 [%r12], %r0; membar.cta; ld.global.u32 %r1, [%rd6];', 'sls'],
    ['of a volatile stays', 'st.shared.u32 [%r12], %r0; ld.volatile.global.u32 %r1, [%rd6];', 'sls'],
  ])('%s', async (_, body, expected) => {
    const ptx = bufferKernel(places + body);
    expect(orderOf(ptx)).toBe(expected);
    await expectReference(ptx);
  });

  it('stays after a read of the register that it overwrites', async () => {
    const body = `${places}  mov.u32 %r1, 7;
  mov.u32 %r3, 0;
LOOP:
  st.shared.u32 [%r12], %r1;
  ld.shared.u32 %r4, [%r12];
  add.s32 %r3, %r3, %r4;
  setp.eq.u32 %p2, %r3, 0x12345;
  @%p2 bra LOOP;
  st.shared.u32 [%r12], %r1;
  ld.global.u32 %r1, [%rd6];
  ld.shared.u32 %r5, [%r12];
  add.s32 %r3, %r3, %r5;
  setp.lt.u32 %p1, %r3, 20;
  @%p1 bra LOOP;
  add.s32 %r1, %r1, %r3;
`;
    await expectReference(bufferKernel(body));
  });

  it('stays after a write of a register of its address', async () => {
    const body = `${places}  mov.u32 %r3, %r0;
  mov.u32 %r1, 0;
LOOP:
  add.s32 %r3, %r3, 8;
  st.shared.u32 [%r12], %r3;
  add.s32 %r3, %r3, 1;
  mad.wide.u32 %rd9, %r3, 4, %rd1;
  ld.global.u32 %r4, [%rd9];
  mad.lo.s32 %r1, %r1, 31, %r4;
  ld.shared.u32 %r5, [%r12];
  add.s32 %r1, %r1, %r5;
  setp.lt.u32 %p1, %r3, %r4;
  @!%p1 bra END;
  setp.lt.u32 %p1, %r3, 99;
  @%p1 bra LOOP;
END:
`;
    await expectReference(bufferKernel(body));
  });

  it('moves before a store with at most fifteen others', () => {
    const body = Array.from(
      { length: 40 },
      (_, index) => `  ld.global.u32 %r1, [%rd6+${index * 4}];\n  st.shared.u32 [%r12], %r1;\n`,
    );
    const runs = orderOf(bufferKernel(places + body.join(''))).match(/l+|s+/g);
    expect(runs?.map(({ length }) => length)).toEqual([17, 16, 16, 16, 7, 9]);
  });
});
