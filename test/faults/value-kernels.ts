// Kernels that test the translation of values: numbers, parallel moves, loops and branch arms.

/** Bodies of kernels by name, for `memberLaunch`. */
export const valueKernels: Readonly<Record<string, string>> = {
  'values that are swapped': `  mov.u32 %r6, 0;
  mov.u32 %r1, %x;
  mov.u32 %r2, %me;
  mov.u32 %r3, 0;
LOOP:
  mov.u32 %r4, %r1;
  mov.u32 %r1, %r2;
  mov.u32 %r2, %r6;
  mov.u32 %r6, %r4;
  add.u32 %r3, %r3, 1;
  and.b32 %r5, %me, 7;
  setp.lt.u32 %p1, %r3, %r5;
  @%p1 bra LOOP;
  mad.lo.u32 %r, %r1, 31, %r2;`,
  'guards of stores and loads': `  setp.gt.u32 %p1, %me, 20;
  mov.u32 %r, 9;
  st.global.u32 [%out], %me;
  @%p1 st.global.u32 [%out], %x;
  @!%p1 ld.global.u32 %r, [%out];
  div.u32 %r1, %x, 7;
  @%p1 rem.u32 %r1, %x, 13;
  add.u32 %r, %r, %r1;`,
  'signed words': `  sub.s32 %r1, %x, 0x200000;
  setp.lt.s32 %p1, %r1, %me;
  shr.s32 %r2, %r1, 3;
  selp.b32 %r3, %r1, %r2, %p1;
  sub.s32 %r3, %r3, 77;
  min.s32 %r4, %r1, 5;
  max.s32 %r5, %r2, -9;
  add.s32 %r, %r3, %r4;
  xor.b32 %r, %r, %r5;
  div.s32 %r6, %r1, 7;
  add.s32 %r, %r, %r6;`,
  '64-bit numbers': `  cvt.u64.u32 %d0, %x;
  shl.b64 %d1, %d0, 24;
  add.s64 %d1, %d1, %d0;
  not.b64 %d2, %d1;
  add.s64 %d3, %d2, %d0;
  sub.s64 %d4, %d0, %d1;
  mul.lo.s64 %d5, %d4, %d3;
  mul.wide.s32 %d6, %x, -77;
  sub.s32 %n3, %me, 5;
  mul.wide.s32 %d7, %n3, %n3;
  xor.b64 %d5, %d5, %d6;
  add.s64 %d5, %d5, %d7;
  xor.b64 %d5, %d5, %d2;
  or.b64 %d6, %d0, 0xffff0000;
  shl.b64 %d7, %d0, 16;
  add.s64 %d6, %d6, %d7;
  xor.b64 %d5, %d5, %d6;
  cvt.u32.u64 %n0, %d5;
  shr.u64 %d5, %d5, 32;
  cvt.u32.u64 %n1, %d5;
  mad.lo.u32 %r, %n1, 31, %n0;
  cvt.s64.s32 %d6, %n3;
  shr.s64 %d6, %d6, 40;
  cvt.u32.u64 %n2, %d6;
  add.u32 %r, %r, %n2;
  setp.lt.s64 %p1, %d4, %d3;
  selp.u32 %n2, 1, 0, %p1;
  add.u32 %r, %r, %n2;`,
  'a chain of carries': `  not.b32 %n0, %x;
  add.cc.u32 %r1, %n0, %x;
  addc.cc.u32 %r2, %n0, %me;
  addc.u32 %r3, 0, 0;
  add.cc.u32 %r7, %n0, -1;
  addc.cc.u32 %r7, -1, 0;
  addc.u32 %r7, 0, 0;
  mad.lo.u32 %r3, %r3, 3, %r7;
  sub.cc.u32 %r4, %me, 20;
  subc.cc.u32 %r5, %x, %n0;
  addc.u32 %r6, 0, 0;
  mad.lo.u32 %r, %r1, 3, %r2;
  mad.lo.u32 %r, %r, 3, %r3;
  mad.lo.u32 %r, %r, 3, %r4;
  mad.lo.u32 %r, %r, 3, %r5;
  mad.lo.u32 %r, %r, 3, %r6;`,
  'a loop of known length': `  mov.u32 %r, 0;
  mov.u32 %n0, 0;
LOOP:
  mad.lo.u32 %r, %r, 5, %n0;
  add.u32 %r, %r, %x;
  add.u32 %n0, %n0, 1;
  setp.lt.u32 %p1, %n0, 5;
  @%p1 bra LOOP;`,
  'a loop of known length that tests first': `  mov.u32 %r, 0;
  mov.u32 %n0, 0;
LOOP:
  setp.ge.u32 %p1, %n0, 5;
  @%p1 bra DONE;
  mad.lo.u32 %r, %r, 5, %n0;
  add.u32 %r, %r, %x;
  add.u32 %n0, %n0, 1;
  bra LOOP;`,
  'nested loops': `  mov.u32 %r, 0;
  mov.u32 %n0, 0;
OUTER:
  mov.u32 %n1, 0;
INNER:
  add.u32 %n2, %n0, %n1;
  and.b32 %n3, %me, 7;
  setp.eq.u32 %p1, %n2, %n3;
  @%p1 bra NEXT;
  mul.lo.u32 %n4, %n0, %n1;
  and.b32 %n5, %x, 31;
  setp.gt.u32 %p2, %n4, %n5;
  @%p2 bra DONE;
  mad.lo.u32 %r, %r, 3, %n2;
  add.u32 %n1, %n1, 1;
  setp.lt.u32 %p3, %n1, 6;
  @%p3 bra INNER;
  add.u32 %r, %r, 1;
NEXT:
  add.u32 %n0, %n0, 1;
  setp.lt.u32 %p3, %n0, %n3;
  @%p3 bra OUTER;`,
  'arms that meet': `  setp.gt.u32 %p1, %me, 9;
  @%p1 bra SECOND;
  mov.u32 %r1, %x;
  bra JOIN;
SECOND:
  mov.u32 %r1, %me;
JOIN:
  setp.lt.u32 %p2, %me, 40;
  mov.u32 %r2, 5;
  @%p2 bra SKIP;
  mov.u32 %r2, 6;
SKIP:
  mad.lo.u32 %r, %r1, 3, %r2;`,
  'values that are swapped at a join': `  mov.u32 %r1, %x;
  mov.u32 %r2, %me;
  add.u32 %r3, %x, %me;
  mov.u32 %r4, 0;
  shr.u32 %n0, %lane, 3;
  add.u32 %n0, %n0, 1;
  and.b32 %n3, %lane, 24;
  mov.u32 %n1, 0xff;
  shl.b32 %n1, %n1, %n3;
  setp.lt.u32 %p1, %n0, 3;
  @%p1 bra INSIDE;
LOOP:
  mad.lo.u32 %r3, %r3, 31, %r2;
  div.u32 %r5, %r1, 3;
  vote.sync.ballot.b32 %n2, %p1, %n1;
  add.u32 %r3, %r3, %n2;
  mov.u32 %r2, %r1;
  mov.u32 %r1, %r5;
INSIDE:
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, %n0;
  @%p1 bra LOOP;
  mad.lo.u32 %r, %r1, 31, %r2;
  mad.lo.u32 %r, %r, 31, %r3;`,
  'bits of a number that is used later': `  cvt.rn.f32.u32 %f0, %me;
  and.b32 %n0, %x, 7;
LOOP:
  mov.b32 %n1, %f0;
  add.f32 %f0, %f0, 0f3f800000;
  mad.lo.u32 %r, %r, 31, %n1;
  setp.eq.u32 %p1, %n0, 0;
  sub.u32 %n0, %n0, 1;
  @!%p1 bra LOOP;`,
  'a loop that counts to a number': `  and.b32 %n0, %x, 7;
LOOP:
  mad.lo.u32 %r, %r, 31, %n0;
  add.u32 %n0, %n0, 3;
  setp.ne.u32 %p1, %n0, 30;
  setp.lt.u32 %p2, %n0, 60;
  and.pred %p1, %p1, %p2;
  @%p1 bra LOOP;`,
};
