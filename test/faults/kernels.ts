// Kernels that show what the translator does, each of its parts in one of them at least.
import type { Dim3, Launch } from '../../src/base/launch.ts';
import { memberLaunch } from '../lockstep/member-kernels.ts';

/// Addresses of another thread's word of output: `%o` is the address of word `%i` of the block's part.
const outputAt = (index: string) => `  sub.s32 %i, ${index}, %me;
  mul.wide.s32 %o, %i, 4;
  add.s64 %o, %out, %o;`;
const registers = '.reg .b64 %o, %d<8>; .reg .b32 %i, %n<8>; .reg .f32 %f<4>; .reg .b16 %h<8>;';

const bodies: Readonly<Record<string, string>> = {
  'words exchanged by way of a buffer': `  st.global.u32 [%out], %x;
  bar.sync 0;
  xor.b32 %n0, %me, 63;
${outputAt('%n0')}
  ld.global.u32 %n1, [%o];
  bar.sync 0;
  xor.b32 %r, %n1, %me;`,
  'words exchanged by way of shared memory': `  .shared .align 4 .b8 cells[256];
  mov.u32 %n0, cells;
  shl.b32 %n1, %me, 2;
  add.u32 %n1, %n0, %n1;
  st.shared.u32 [%n1], %x;
  bar.sync 0;
  xor.b32 %n2, %me, 33;
  shl.b32 %n2, %n2, 2;
  add.u32 %n2, %n0, %n2;
  ld.shared.u32 %r, [%n2];`,
  'reductions of a block': `  and.b32 %n0, %x, 3;
  setp.ne.u32 %p1, %n0, 0;
  bar.red.popc.u32 %r1, 0, %p1;
  bar.red.and.pred %p2, 0, %p1;
  setp.lt.u32 %p3, %me, 100;
  bar.red.and.pred %p4, 0, %p3;
  bar.red.or.pred %p5, 0, %p1;
  selp.u32 %r2, 1, 0, %p2;
  selp.u32 %r3, 2, 0, %p4;
  selp.u32 %r4, 4, 0, %p5;
  or.b32 %r2, %r2, %r3;
  or.b32 %r2, %r2, %r4;
  mad.lo.u32 %r, %r1, 16, %r2;`,
  'reductions of a block that some have left': `  and.b32 %n0, %me, 3;
  setp.eq.u32 %p1, %n0, 1;
  @%p1 bra DONE;
  setp.ne.u32 %p2, %n0, 7;
  vote.sync.any.pred %p3, %p2, 0xdddddddd;
  bar.red.popc.u32 %r, 0, %p2;`,
  'barriers with numbers': `  .shared .align 4 .b8 cells[256];
  mov.u32 %n0, cells;
  shl.b32 %n1, %me, 2;
  add.u32 %n1, %n0, %n1;
  setp.lt.u32 %p1, %me, 32;
  @%p1 bra FIRST;
  st.shared.u32 [%n1], %x;
  bar.arrive 1, 64;
  mov.u32 %r, 5;
  bar.sync 2, 32;
  bra DONE;
FIRST:
  bar.sync 1, 64;
  ld.shared.u32 %r, [%n1+128];
  bar.sync 3, 32;`,
  'subnormal sums in shared memory': `  .shared .align 4 .b8 cell[4];
  mov.u32 %n0, 0;
  st.shared.u32 [cell], %n0;
  bar.sync 0;
  mov.b32 %f0, 0f00000003;
  red.shared.add.f32 [cell], %f0;
  bar.sync 0;
  ld.shared.u32 %r, [cell];`,
  'subnormal sums in a buffer': `  mov.b32 %n0, 0x00400000;
  st.global.u32 [%out], %n0;
  mov.b32 %f0, 0f00400003;
  atom.global.add.f32 %f1, [%out], %f0;
  ld.global.u32 %r, [%out];`,
  'counters that wrap': `  .shared .align 4 .b8 cells[16];
  mov.u32 %n0, cells;
  mov.u32 %n1, 0;
  setp.eq.u32 %p1, %me, 0;
  @%p1 st.shared.v4.u32 [%n0], {%n1, %n1, %n1, %n1};
  bar.sync 0;
  atom.shared.inc.u32 %n2, [%n0], 7;
  mov.u32 %n3, 0x40;
  atom.shared.max.s32 %n4, [%n0+4], -5;
  and.b32 %n5, %me, 15;
  sub.s32 %n5, %n5, 9;
  atom.shared.min.s32 %n4, [%n0+8], %n5;
  atom.shared.dec.u32 %n6, [%n0+12], 4;
  bar.sync 0;
  ld.shared.v4.u32 {%n1, %n2, %n3, %n4}, [%n0];
  shl.b32 %n2, %n2, 8; xor.b32 %r, %n1, %n2; shl.b32 %n3, %n3, 16; xor.b32 %r, %r, %n3; shl.b32 %n4, %n4, 24; xor.b32 %r, %r, %n4;`,
  'values that change places': `  mov.u32 %r6, 0;
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
  'guards of warp operations': `  setp.gt.u32 %p1, %lane, 19;
  mov.u32 %r, %lane;
  @%p1 shfl.sync.bfly.b32 %r, %x, 1, 0x1f, 0xfff00000;
  mov.u32 %r1, 3;
  @%p1 redux.sync.add.u32 %r1, %lane, 0xfff00000;
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
  'arms with exchanges': `  and.b32 %n0, %lane, 3;
  setp.eq.u32 %p1, %n0, 0;
  @%p1 bra OTHER;
  vote.sync.ballot.b32 %r1, %p1, 0xeeeeeeee;
  shfl.sync.idx.b32 %r, %x, 5, 0x1f, 0xeeeeeeee;
  add.u32 %r, %r, %r1;
  bra JOIN;
OTHER:
  shfl.sync.idx.b32 %r, %x, 4, 0x1f, 0x11111111;
  add.u32 %r, %r, 5;
JOIN:
  shfl.sync.bfly.b32 %r1, %r, 1, 0x1f, -1;
  add.u32 %r, %r, %r1;`,
  'arms by data': `  and.b32 %n0, %x, 1;
  setp.eq.u32 %p1, %n0, 0;
  @%p1 bra OTHER;
  activemask.b32 %r1;
  popc.b32 %r, %r1;
  bra JOIN;
OTHER:
  activemask.b32 %r1;
  not.b32 %r1, %r1;
  popc.b32 %r, %r1;
JOIN:
  shfl.sync.bfly.b32 %r1, %r, 3, 0x1f, -1;
  mad.lo.u32 %r, %r, 64, %r1;`,
  'a loop that lanes leave': `  and.b32 %n0, %lane, 7;
  mov.u32 %n1, 0;
  mov.u32 %r, 0;
LOOP:
  setp.ge.u32 %p1, %n1, %n0;
  @%p1 bra DONE;
  activemask.b32 %n2;
  add.u32 %r, %r, %n2;
  add.u32 %n1, %n1, 1;
  bra LOOP;`,
  'lanes that end': `  and.b32 %n0, %x, 3;
  setp.eq.u32 %p1, %n0, 0;
  mov.u32 %r, 1;
  st.global.u32 [%out], %r;
  @%p1 ret;
  setp.ne.u32 %p2, %n0, 9;
  vote.sync.ballot.b32 %r, %p2, -1;`,
  'a condition that a volatile load gives': `  .shared .align 4 .b8 cell[4];
  st.volatile.shared.u32 [cell], %lane;
  ld.volatile.shared.u32 %r1, [cell];
  setp.ge.u32 %p1, %r1, 16;
  @%p1 bra HIGH;
  activemask.b32 %r2;
  shr.u32 %r3, %r1, 4;
  bra JOIN;
HIGH:
  activemask.b32 %r2;
  shr.u32 %r3, %r1, 4;
  xor.b32 %r3, %r3, 1;
JOIN:
  setp.eq.u32 %p2, %r2, 0;
  selp.u32 %r, 7, %r3, %p2;`,
  'a condition that atomics give': `  .shared .align 4 .b8 cell[4];
  mov.u32 %n0, 0;
  st.shared.u32 [cell], %n0;
  bar.sync 0;
  atom.shared.add.u32 %r1, [cell], 1;
  and.b32 %r1, %r1, 1;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra HIGH;
  activemask.b32 %r2;
  mov.u32 %r3, %r1;
  bra JOIN;
HIGH:
  activemask.b32 %r2;
  xor.b32 %r3, %r1, 1;
JOIN:
  setp.eq.u32 %p2, %r2, 0;
  selp.u32 %r, 7, %r3, %p2;`,
  'a condition that arms chose': `  mov.u32 %r1, 3;
  setp.lt.u32 %p1, %lane, 9;
  @%p1 bra SET;
  mov.u32 %r1, 4;
SET:
  setp.eq.u32 %p2, %r1, 3;
  @%p2 bra OTHER;
  activemask.b32 %r;
  bra DONE;
OTHER:
  activemask.b32 %r;
  not.b32 %r, %r;`,
  'a block whose last warp is not whole': `  activemask.b32 %r1;
  popc.b32 %r2, %r1;
  setp.lt.u32 %p1, %lane, 3;
  @%p1 bra OTHER;
  activemask.b32 %r1;
  bra JOIN;
OTHER:
  activemask.b32 %r1;
JOIN:
  mad.lo.u32 %r, %r1, 33, %r2;`,
  'lanes that end in an arm': `  and.b32 %n0, %x, 3;
  mov.u32 %r, 2;
  setp.eq.u32 %p1, %n0, 0;
  @%p1 bra DONE;
  setp.eq.u32 %p2, %n0, 1;
  @%p2 bra OTHER;
  activemask.b32 %r;
  bra JOIN;
OTHER:
  activemask.b32 %r1;
  add.u32 %r, %r1, 5;
JOIN:
  activemask.b32 %r3;
  xor.b32 %r, %r, %r3;`,
  'masks of lanes': `  mov.u32 %r1, %lanemask_lt;
  and.b32 %r1, %r1, 0x111;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra OTHER;
  vote.sync.ballot.b32 %r, %p1, 0x1;
  bra DONE;
OTHER:
  vote.sync.ballot.b32 %r, %p1, 0xfffffffe;`,
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
  'bytes and halves of a buffer': `  sub.s64 %d0, %in, 0;
  and.b32 %n0, %me, 3;
  cvt.u64.u32 %d1, %n0;
  add.s64 %d0, %d0, %d1;
  ld.global.s8 %n1, [%d0];
  ld.global.u8 %n2, [%d0];
  and.b32 %n0, %me, 2;
  cvt.u64.u32 %d1, %n0;
  add.s64 %d1, %in, %d1;
  ld.global.s16 %n3, [%d1];
  ld.global.v2.u8 {%h0, %h1}, [%d1];
  cvt.u32.u16 %n4, %h1;
  ld.global.s8 %d2, [%d0];
  shr.s64 %d2, %d2, 32;
  cvt.u32.u64 %n5, %d2;
  mad.lo.u32 %r, %n1, 7, %n2;
  mad.lo.u32 %r, %r, 7, %n3;
  mad.lo.u32 %r, %r, 7, %n4;
  add.u32 %r, %r, %n5;`,
  'bytes that are stored': `  .shared .align 4 .b8 cells[256];
  .local .align 4 .b8 own[16];
  mov.u32 %n0, cells;
  shl.b32 %n1, %me, 2;
  add.u32 %n1, %n0, %n1;
  st.shared.u32 [%n1], %x;
  st.shared.u8 [%n1+1], %me;
  xor.b32 %n2, %me, 1;
  shl.b32 %n2, %n2, 1;
  and.b32 %n2, %n2, 2;
  add.u32 %n2, %n1, %n2;
  cvt.u16.u32 %h0, %lane;
  st.shared.u16 [%n2], %h0;
  ld.shared.u32 %r, [%n1];
  mov.u32 %n3, own;
  st.local.u32 [%n3], %x;
  and.b32 %n4, %me, 3;
  add.u32 %n3, %n3, %n4;
  st.local.u8 [%n3], %lane;
  cvt.u16.u32 %h1, %x;
  st.local.v2.u8 [own+8], {%h0, %h1};
  ld.local.u32 %n5, [own];
  ld.local.u16 %n6, [own+8];
  mad.lo.u32 %r, %r, 5, %n5;
  mad.lo.u32 %r, %r, 5, %n6;`,
  'addresses of either space': `  .shared .align 4 .b8 cells[512];
  .local .align 4 .b8 own[8];
  mov.u32 %n0, cells;
  shl.b32 %n1, %me, 2;
  add.u32 %n1, %n0, %n1;
  st.shared.u32 [%n1+256], %x;
  st.local.u32 [own], %me;
  st.local.u32 [own+4], %lane;
  cvt.u64.u32 %d0, %n1;
  add.s64 %d0, %d0, 256;
  cvta.shared.u64 %d0, %d0;
  mov.u64 %d1, own;
  cvta.local.u64 %d1, %d1;
  setp.lt.u32 %p1, %lane, 12;
  selp.b64 %d2, %d0, %d1, %p1;
  selp.b64 %d2, %in, %d2, %p2;
  setp.gt.u32 %p2, %lane, 28;
  selp.b64 %d2, %in, %d2, %p2;
  ld.u32 %r, [%d2];
  add.u32 %r1, %r, 3;
  selp.b64 %d2, %d0, %d1, %p1;
  st.u32 [%d2], %r1;
  ld.shared.u32 %r2, [%n1+256];
  ld.local.u32 %r3, [own];
  mad.lo.u32 %r, %r2, 3, %r3;`,
  'an index past the end': `  .shared .align 4 .b8 cells[256];
  mov.u32 %n0, cells;
  shl.b32 %n1, %me, 2;
  add.u32 %n1, %n0, %n1;
  st.shared.u32 [%n1], %x;
  setp.gt.u32 %p1, %me, 1000;
  @%p1 bra NEVER;
  ld.shared.u32 %r, [%n1];
  bra DONE;
NEVER:
  ld.shared.u32 %r, [cells+260];`,
  'vectors of a variable': `  .shared .align 16 .b8 cells[1024];
  mov.u32 %n0, cells;
  shl.b32 %n1, %me, 4;
  add.u32 %n1, %n0, %n1;
  st.shared.v4.u32 [%n1], {%x, %me, %lane, %x};
  bar.sync 0;
  xor.b32 %n2, %n1, 32;
  ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%n2];
  ld.shared.u32 %r5, [%n1+8];
  mad.lo.u32 %r, %r1, 3, %r2;
  mad.lo.u32 %r, %r, 3, %r3;
  mad.lo.u32 %r, %r, 3, %r4;
  mad.lo.u32 %r, %r, 3, %r5;`,
  '64-bit updates': `  .shared .align 8 .b8 cell[8];
  mov.u64 %d0, 0xfffffff0;
  setp.eq.u32 %p1, %me, 0;
  @%p1 st.shared.u64 [cell], %d0;
  bar.sync 0;
  mov.u64 %d1, 0x300000005;
  red.shared.add.u64 [cell], %d1;
  bar.sync 0;
  ld.shared.u64 %d2, [cell];
  cvt.u32.u64 %n0, %d2;
  shr.u64 %d2, %d2, 32;
  cvt.u32.u64 %n1, %d2;
  mad.lo.u32 %r, %n1, 31, %n0;`,
  'loads behind a store': `  ld.global.u32 %r1, [%out];
  st.global.u32 [%out], %x;
  ld.global.u32 %r2, [%out];
  st.global.u32 [%out], %me;
  ld.global.u32 %r3, [%out];
  mad.lo.u32 %r, %r1, 5, %r2;
  mad.lo.u32 %r, %r, 5, %r3;`,
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
  'a loop that loads': `  mov.u32 %r, 0;
  mov.u32 %n0, 0;
  and.b32 %n1, %me, 15;
  sub.s32 %n2, %n1, %me;
  mul.wide.s32 %d0, %n2, 4;
  add.s64 %d0, %in, %d0;
LOOP:
  ld.global.u32 %n3, [%d0];
  mad.lo.u32 %r, %r, 5, %n3;
  add.s64 %d0, %d0, 4;
  add.u32 %n0, %n0, 1;
  setp.lt.u32 %p1, %n0, %n1;
  @%p1 bra LOOP;`,
  'loops inside of one another': `  mov.u32 %r, 0;
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
};

const block: Dim3 = [64, 1, 1];

/// The kernels by name.
export const faultKernels: ReadonlyMap<string, Launch> = new Map(
  Object.entries(bodies).map(([name, body]) => {
    const launch = memberLaunch(`  ${registers}\n${body}`, block);
    return [name, { ...launch, id: name }];
  }),
);
