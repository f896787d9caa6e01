// Kernels that test the translation of collectives, and of lanes that leave a construct early.

/** Bodies of kernels by name, for `memberLaunch`. */
export const laneKernels: Readonly<Record<string, string>> = {
  'a loop whose lanes reach a reduction in turns': `  shr.u32 %n0, %x, 31;
  or.b32 %n1, %n0, %lane;
  and.b32 %n2, %n1, 1;
  add.u32 %n3, %n0, 5;
  mov.u32 %n4, 0;
ROUND:
  add.u32 %n5, %n4, %n2;
  setp.ne.u32 %p1, %n5, 0;
  setp.ne.and.u32 %p1, %n5, 5, %p1;
  setp.lt.and.u32 %p1, %n1, 16, %p1;
  @%p1 redux.sync.add.u32 %r, %x, 0xffff;
  add.u32 %x, %x, %r;
  add.u32 %n4, %n4, 1;
  setp.lt.u32 %p2, %n4, %n3;
  @%p2 bra ROUND;`,
  'a loop with groups whose masks are in registers': `  shr.u32 %n0, %x, 31;
  or.b32 %n1, %n0, %lane;
  setp.lt.u32 %p1, %n1, 16;
  selp.b32 %n2, 0xffff, 0xff0000, %p1;
  setp.lt.u32 %p3, %n1, 24;
  add.u32 %n3, %n0, 3;
  mov.u32 %n4, 0;
ROUND:
  @%p3 redux.sync.add.u32 %r, %x, %n2;
  add.u32 %x, %x, %r;
  add.u32 %n4, %n4, 1;
  setp.lt.u32 %p2, %n4, %n3;
  @%p2 bra ROUND;`,
  'a loop whose arms meet': `  add.u32 %n3, %x, 1;
  shr.u32 %n3, %n3, 31;
  add.u32 %n3, %n3, 4;
  mov.u32 %n4, 0;
ROUND:
  ld.global.u32 %n5, [%out];
  mad.lo.u32 %n5, %n5, 3, %x;
  st.global.u32 [%out], %n5;
  and.b32 %n0, %x, 4;
  setp.ne.u32 %p1, %n0, 0;
  @%p1 bra OTHER;
  redux.sync.add.u32 %r, %x, -1;
  add.u32 %r, %r, %n4;
  bra JOIN;
OTHER:
  redux.sync.add.u32 %r, %n4, -1;
  shr.u32 %r, %r, 1;
JOIN:
  add.u32 %x, %x, %r;
  add.u32 %n4, %n4, 1;
  setp.lt.u32 %p2, %n4, %n3;
  @%p2 bra ROUND;
  ld.global.u32 %r, [%out];`,
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
  'reductions of a block after some threads have exited': `  and.b32 %n0, %me, 3;
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
  bar.sync 1, 32;
  st.shared.u32 [%n1], %x;
  bar.sync 2, 64;
  st.shared.u32 [%n1+-128], %me;
  bar.arrive 3, 64;
  mov.u32 %r, 5;
  bra DONE;
FIRST:
  bar.sync 2, 64;
  ld.shared.u32 %r, [%n1+128];
  bar.sync 3, 64;
  ld.shared.u32 %r1, [%n1];
  add.u32 %r, %r, %r1;`,
  'counted barriers after some threads have exited': `  and.b32 %n0, %me, 15;
  setp.eq.u32 %p1, %n0, 5;
  @%p1 bra DONE;
  setp.lt.u32 %p2, %me, 40;
  shr.u32 %n1, %me, 5;
  bar.red.popc.u32 %r, %n1, 32, %p2;`,
  'values of lanes when they leave a loop': `  and.b32 %n0, %lane, 7;
  mov.u32 %n1, 0;
LOOP:
  activemask.b32 %r;
  add.u32 %n1, %n1, 1;
  setp.lt.u32 %p1, %n1, %n0;
  @%p1 bra LOOP;`,
  'lanes that leave one by one': `  and.b32 %n0, %x, 3;
  setp.eq.u32 %p1, %n0, 0;
  @%p1 bra DONE;
  activemask.b32 %r;
  setp.eq.u32 %p2, %n0, 1;
  @%p2 bra DONE;
  activemask.b32 %r1;
  mad.lo.u32 %r, %r, 3, %r1;`,
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
  'arms chosen by data': `  and.b32 %n0, %x, 1;
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
  'a loop with two exits': `  and.b32 %n0, %lane, 7;
  mov.u32 %n1, 0;
  mov.u32 %r, 0;
LOOP:
  setp.ge.u32 %p1, %n1, %n0;
  @%p1 bra DONE;
  activemask.b32 %n2;
  add.u32 %r, %r, %n2;
  add.u32 %n1, %n1, 1;
  add.u32 %n3, %x, %n1;
  and.b32 %n3, %n3, 7;
  setp.eq.u32 %p2, %n3, 0;
  @%p2 bra DONE;
  activemask.b32 %n2;
  mad.lo.u32 %r, %r, 3, %n2;
  bra LOOP;`,
  'lanes that end': `  and.b32 %n0, %x, 3;
  setp.eq.u32 %p1, %n0, 0;
  mov.u32 %r, 1;
  st.global.u32 [%out], %r;
  @%p1 ret;
  setp.ne.u32 %p2, %n0, 9;
  vote.sync.ballot.b32 %r, %p2, -1;`,
  'a condition from a volatile load': `  .shared .align 4 .b8 cell[4];
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
  'a condition from atomics': `  .shared .align 4 .b8 cell[4];
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
  'a condition chosen by arms': `  mov.u32 %n0, %ctaid.x;
  mov.u32 %r1, %n0;
  setp.lt.u32 %p1, %lane, 9;
  @%p1 bra SET;
  st.global.u32 [%out], %x;
  add.u32 %r1, %n0, 1;
SET:
  setp.eq.u32 %p2, %r1, %n0;
  @%p2 bra OTHER;
  activemask.b32 %r;
  bra DONE;
OTHER:
  activemask.b32 %r;
  not.b32 %r, %r;`,
  'a block with a partial last warp': `  activemask.b32 %r1;
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
  and.b32 %r1, %r1, 0x110;
  setp.ne.u32 %p1, %r1, 0;
  setp.ne.u32 %p2, %x, 0;
  @%p1 bra OTHER;
  activemask.b32 %r;
  bra DONE;
OTHER:
  vote.sync.ballot.b32 %r, %p2, 0xffffffe0;
  activemask.b32 %r2;
  mad.lo.u32 %r, %r, 3, %r2;`,
  'guards of warp operations': `  setp.gt.u32 %p1, %lane, 19;
  mov.u32 %r, %lane;
  @%p1 shfl.sync.bfly.b32 %r, %x, 1, 0x1f, 0xfff00000;
  mov.u32 %r1, 3;
  @%p1 redux.sync.add.u32 %r1, %lane, 0xfff00000;
  add.u32 %r, %r, %r1;`,
};
