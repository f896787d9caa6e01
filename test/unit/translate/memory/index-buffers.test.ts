// Addresses of buffers as indexes: the emitted index expression, and that it is the same address.
import { describe, expect, it } from 'vitest';
import { bufferKernel, expectReference } from '../../../lockstep/buffer-kernel.ts';
import { wgslOf } from '../../../lockstep/small-kernel.ts';

/** Returns the index expressions of the kernel's accesses to its input. */
function indexesOf(ptx: string): string[] {
  const code = wgslOf(ptx, { entry: 'buffers' }).replace(/^ *\/\/.*$/gm, '');
  return [...code.matchAll(/\binput\[(.*?)\](?=[;).&]|\[| =| >>)/g)].map(([, index = '']) => index);
}

describe('the index of', () => {
  it.each<readonly [string, string, readonly string[]]>([
    ['an element', 'mul.wide.u32 %rd6, %r0, 4; add.s64 %rd7, %rd1, %rd6; ld.global.u32 %r1, [%rd7];', ['tid.x']],
    [
      'a sum with its operands swapped',
      'mul.wide.u32 %rd6, %r0, 4; add.s64 %rd7, %rd6, %rd1; ld.global.u32 %r1, [%rd7];',
      ['tid.x'],
    ],
    [
      'the next element',
      'mul.wide.u32 %rd6, %r0, 4; add.s64 %rd7, %rd1, %rd6; ld.global.u32 %r1, [%rd7+4];',
      ['tid.x + 1u'],
    ],
    [
      'a signed index',
      'mul.wide.s32 %rd6, %r2, 4; add.s64 %rd7, %rd1, %rd6; ld.global.u32 %r1, [%rd7+64];',
      // `%r2` is tid.x - 16.
      ['tid.x'],
    ],
    [
      'the previous element',
      'add.s32 %r3, %r0, 20; mul.wide.s32 %rd6, %r3, 4; add.s64 %rd7, %rd1, %rd6; ld.global.u32 %r1, [%rd7+-80];',
      ['tid.x'],
    ],
    [
      'a shifted 64-bit number',
      'cvt.s64.s32 %rd6, %r2; shl.b64 %rd7, %rd6, 2; add.s64 %rd8, %rd1, %rd7; ld.global.u32 %r1, [%rd8+128];',
      ['tid.x + 16u'],
    ],
    [
      'a 64-bit product',
      'cvt.s64.s32 %rd6, %r2; mul.lo.s64 %rd7, %rd6, 12; add.s64 %rd8, %rd1, %rd7; ld.global.u32 %r1, [%rd8+256];',
      ['rd7 + 16u'],
    ],
    ['a product with a sum', 'mad.wide.u32 %rd7, %r0, 8, %rd1; ld.global.u32 %r1, [%rd7+4];', ['(tid.x << 1u) + 1u']],
    [
      'constants added at several steps',
      'add.s64 %rd6, %rd1, 40; mul.wide.u32 %rd7, %r0, 4; add.s64 %rd8, %rd6, %rd7; sub.s64 %rd9, %rd8, 8; ld.global.u32 %r1, [%rd9+4];',
      ['tid.x + 9u'],
    ],
    [
      'a copy',
      'mov.u64 %rd6, %rd1; mul.wide.u32 %rd7, %r0, 4; add.s64 %rd8, %rd6, %rd7; mov.b64 %rd9, %rd8; ld.global.u32 %r1, [%rd9];',
      ['tid.x'],
    ],
    [
      'a 64-bit element',
      'mul.wide.u32 %rd6, %r0, 8; add.s64 %rd7, %rd1, %rd6; ld.global.u64 %rd8, [%rd7+8]; cvt.u32.u64 %r1, %rd8; shr.u64 %rd8, %rd8, 32; cvt.u32.u64 %r3, %rd8; xor.b32 %r1, %r1, %r3;',
      ['tid.x + 1u'],
    ],
    [
      'a vector',
      'mul.wide.u32 %rd6, %r0, 16; add.s64 %rd7, %rd1, %rd6; ld.global.v4.u32 {%r1, %r3, %r4, %r5}, [%rd7+16]; xor.b32 %r1, %r1, %r5;',
      ['tid.x + 1u'],
    ],
    [
      'a vector whose index counts words',
      'shl.b32 %r3, %r0, 2; mul.wide.u32 %rd6, %r3, 4; add.s64 %rd7, %rd1, %rd6; ld.global.v4.u32 {%r1, %r3, %r4, %r5}, [%rd7+16]; xor.b32 %r1, %r1, %r5;',
      ['tid.x + 1u'],
    ],
    [
      'a word among vectors',
      'ld.global.v2.u32 {%r3, %r4}, [%rd1]; mul.wide.u32 %rd6, %r0, 4; add.s64 %rd7, %rd1, %rd6; ld.global.u32 %r1, [%rd7+4]; add.s32 %r1, %r1, %r4;',
      ['0u', 'word >> 1u'],
    ],
    [
      'an address that two arms share',
      'mul.wide.u32 %rd6, %r0, 4; add.s64 %rd7, %rd1, %rd6; setp.gt.s32 %p1, %r2, 0; mov.u32 %r1, 5; @%p1 bra END; ld.global.u32 %r1, [%rd7+8]; END:',
      ['tid.x + 2u'],
    ],
  ])('%s', async (_, body, expected) => {
    const ptx = bufferKernel(body);
    expect(indexesOf(ptx)).toEqual(expected);
    await expectReference(ptx);
  });

  it.each<readonly [string, string]>([
    [
      'a product that wraps in 32 bits',
      'or.b32 %r3, %r0, 0x40000000; shl.b32 %r3, %r3, 2; cvt.u64.u32 %rd6, %r3; add.s64 %rd7, %rd1, %rd6; ld.global.u32 %r1, [%rd7];',
    ],
    [
      'a register that changes after the index is computed',
      'mov.u32 %r3, %r0; mul.wide.u32 %rd6, %r3, 4; add.s64 %rd7, %rd1, %rd6; add.s32 %r3, %r3, 1; ld.global.u32 %r1, [%rd7]; add.s32 %r1, %r1, %r3; setp.eq.u32 %p1, %r1, 0; @%p1 mov.u32 %r3, 7; add.s32 %r1, %r1, %r3;',
    ],
    [
      'a register that may change after the index is computed',
      'mov.u32 %r3, %r0; mul.wide.u32 %rd6, %r3, 4; add.s64 %rd7, %rd1, %rd6; setp.gt.s32 %p1, %r2, 0; @%p1 add.s32 %r3, %r3, 1; ld.global.u32 %r1, [%rd7]; add.s32 %r1, %r1, %r3;',
    ],
    [
      'an address that is computed under a guard',
      'mov.u64 %rd7, %rd1; setp.gt.s32 %p1, %r2, 0; mul.wide.u32 %rd6, %r0, 4; @%p1 add.s64 %rd7, %rd1, %rd6; ld.global.u32 %r1, [%rd7];',
    ],
    [
      'an address that a loop increments',
      'mul.wide.u32 %rd6, %r0, 4; add.s64 %rd7, %rd1, %rd6; mov.u32 %r1, 0; mov.u32 %r3, %r0; LOOP: ld.global.u32 %r4, [%rd7]; mad.lo.s32 %r1, %r1, 31, %r4; add.s64 %rd7, %rd7, 12; add.s32 %r3, %r3, 3; setp.lt.u32 %p1, %r3, 40; @%p1 bra LOOP;',
    ],
    [
      'an address that only some iterations compute',
      'mov.u32 %r1, 0; mov.u32 %r3, 0; mul.wide.u32 %rd6, %r0, 4; add.s64 %rd7, %rd1, %rd6; LOOP: mad.lo.s32 %r5, %r3, 3, %r0; and.b32 %r6, %r3, 1; setp.eq.u32 %p1, %r6, 0; @%p1 bra SKIP; mul.wide.u32 %rd6, %r5, 4; add.s64 %rd7, %rd1, %rd6; SKIP: ld.global.u32 %r4, [%rd7]; mad.lo.s32 %r1, %r1, 31, %r4; add.s32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 9; @%p1 bra LOOP;',
    ],
    [
      'an address that every second iteration computes',
      'mov.u32 %r1, 0; mov.u32 %r3, 0; LOOP: mad.lo.s32 %r5, %r3, 3, %r0; and.b32 %r6, %r3, 1; setp.eq.u32 %p1, %r6, 1; @%p1 bra SKIP; mad.wide.u32 %rd7, %r5, 4, %rd1; SKIP: ld.global.u32 %r4, [%rd7]; mad.lo.s32 %r1, %r1, 31, %r4; add.s32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 9; @%p2 bra LOOP;',
    ],
    [
      'a number that a loop combines with its own shift',
      'mov.u32 %r1, 0; mov.u32 %r3, 0; cvt.u64.u32 %rd6, %r0; LOOP: shl.b64 %rd6, %rd6, 2; add.s64 %rd7, %rd1, %rd6; ld.global.u32 %r4, [%rd7]; mad.lo.s32 %r1, %r1, 31, %r4; add.s32 %r3, %r3, 1; and.b32 %r5, %r1, 0; add.s32 %r5, %r5, 2; setp.lt.u32 %p1, %r3, %r5; @%p1 bra LOOP;',
    ],
    [
      'an index that an inner loop recomputes',
      'mov.u32 %r1, 0; mov.u32 %r3, 0; LOOP: add.s32 %r5, %r0, %r3; mul.wide.u32 %rd6, %r5, 4; add.s64 %rd7, %rd1, %rd6; mov.u32 %r6, 0; INNER: add.s32 %r5, %r5, 7; add.s32 %r6, %r6, 1; ld.global.u32 %r4, [%rd7]; mad.lo.s32 %r1, %r1, 31, %r4; add.s32 %r1, %r1, %r5; setp.lt.u32 %p1, %r6, %r3; @%p1 bra INNER; add.s32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5; @%p1 bra LOOP;',
    ],
    ['bytes', 'cvt.u64.u32 %rd6, %r0; add.s64 %rd7, %rd1, %rd6; ld.global.u8 %h1, [%rd7+3]; cvt.u32.u16 %r1, %h1;'],
    ['halves', 'mul.wide.u32 %rd6, %r0, 2; add.s64 %rd7, %rd1, %rd6; ld.global.s16 %r1, [%rd7+2];'],
    [
      'half of a word',
      'mul.wide.u32 %rd6, %r0, 4; add.s64 %rd7, %rd1, %rd6; ld.global.u16 %h1, [%rd7+2]; cvt.u32.u16 %r1, %h1;',
    ],
    [
      'two indexes',
      'mul.wide.u32 %rd6, %r0, 4; add.s64 %rd7, %rd1, %rd6; mul.wide.s32 %rd8, %r2, 8; add.s64 %rd9, %rd7, %rd8; ld.global.u32 %r1, [%rd9+128];',
    ],
    [
      'a number that is combined with its own shift',
      'cvt.u64.u32 %rd6, %r0; shl.b64 %rd6, %rd6, 2; add.s64 %rd7, %rd1, %rd6; ld.global.u32 %r1, [%rd7]; cvt.u32.u64 %r3, %rd6; add.s32 %r1, %r1, %r3;',
    ],
  ])('%s: the index leads to the same place', async (_, body) => {
    await expectReference(bufferKernel(body));
  });

  it('a heap pointer counts from the start of its buffer', async () => {
    // The kernel compares the address, so the buffer lacks a binding of its own.
    const ptx = bufferKernel(
      'mul.wide.u32 %rd6, %r0, 4; add.s64 %rd7, %rd1, %rd6; setp.eq.u64 %p1, %rd7, 0; mov.u32 %r1, 0; @%p1 bra END; ld.global.u32 %r1, [%rd7+4]; END:',
    );
    expect(wgslOf(ptx, { entry: 'buffers' })).toContain('heap[(rd7_lo + 4u) >> 2u]');
    await expectReference(ptx);
  });
});
