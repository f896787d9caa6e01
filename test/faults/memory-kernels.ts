// Kernels that test the translation of memory accesses.

/** Sets `%o` to the address of output word `index` of the block. Overwrites `%i`. */
const outputAt = (index: string) => `  sub.s32 %i, ${index}, %me;
  mul.wide.s32 %o, %i, 4;
  add.s64 %o, %out, %o;`;

/** Exchanges `%x` through the words of shared memory at `%n0`. */
const exchange = `  shl.b32 %n1, %me, 2;
  add.u32 %n1, %n0, %n1;
  st.shared.u32 [%n1], %x;
  bar.sync 0;
  xor.b32 %n2, %me, 33;
  shl.b32 %n2, %n2, 2;
  add.u32 %n2, %n0, %n2;
  ld.shared.u32 %r, [%n2];`;

/** Bodies of kernels by name, for `memberLaunch`. */
export const memoryKernels: Readonly<Record<string, string>> = {
  'words exchanged through a buffer': `  st.global.u32 [%out], %x;
  bar.sync 0;
  xor.b32 %n0, %me, 63;
${outputAt('%n0')}
  ld.global.u32 %n1, [%o];
  bar.sync 0;
  xor.b32 %r, %n1, %me;`,
  'words exchanged through shared memory': `  .shared .align 4 .b8 cells[256];
  mov.u32 %n0, cells;
${exchange}`,
  'words exchanged through large shared memory': `  .shared .align 4 .b8 cells[40000];
  mov.u32 %n0, cells;
  add.u32 %n0, %n0, 39744;
${exchange}`,
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
  'a word that is stored after an acquire': `  st.global.u32 [%out], %x;
  bar.sync 0;
  ld.acquire.gpu.global.u32 %n0, [%out];
  add.u32 %n0, %n0, %me;
  st.global.u32 [%out], %n0;
  ld.global.u32 %n1, [%out];
  xor.b32 %r, %n1, %n0;
  add.u32 %r, %r, %n0;`,
  '64-bit updates under locks': `  .shared .align 8 .b8 wide[32];
  mov.u64 %d0, 5;
  setp.eq.u32 %p1, %me, 0;
  @%p1 st.shared.v2.u64 [wide], {%d0, %d0};
  @%p1 st.shared.v2.u64 [wide+16], {%d0, %d0};
  bar.sync 0;
  mov.u64 %d1, 0x80000001;
  atom.shared.add.u64 %d2, [wide], %d1;
  cvt.u64.u32 %d3, %me;
  sub.u64 %d3, 40, %d3;
  atom.shared.min.s64 %d4, [wide+8], %d3;
  shl.b64 %d3, %d3, 30;
AGAIN:
  ld.volatile.shared.u64 %d5, [wide+16];
  add.u64 %d6, %d5, %d3;
  atom.shared.cas.b64 %d7, [wide+16], %d5, %d6;
  setp.ne.u64 %p1, %d5, %d7;
  @%p1 bra AGAIN;
  bar.sync 0;
  ld.shared.v2.u64 {%d1, %d2}, [wide];
  ld.shared.u64 %d3, [wide+16];
  shr.u64 %d4, %d3, 17;
  xor.b64 %d5, %d1, %d4;
  mul.lo.u64 %d6, %d2, 77;
  xor.b64 %d5, %d5, %d6;
  shr.u64 %d6, %d5, 32;
  mul.lo.u64 %d6, %d6, 3;
  xor.b64 %d5, %d5, %d6;
  cvt.u32.u64 %r, %d5;`,
  'counters of 16 bits side by side': `  .shared .align 4 .b8 small[4];
  setp.eq.u32 %p1, %me, 0;
  @%p1 st.shared.u32 [small], 0x00070003;
  bar.sync 0;
  and.b32 %n1, %me, 2;
  mov.u32 %n0, small;
  add.u32 %n0, %n0, %n1;
AGAIN:
  ld.volatile.shared.u16 %h0, [%n0];
  add.u16 %h1, %h0, 1;
  atom.shared.cas.b16 %h2, [%n0], %h0, %h1;
  setp.ne.u16 %p1, %h0, %h2;
  @%p1 bra AGAIN;
  bar.sync 0;
  ld.shared.u32 %r, [small];`,
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
  setp.gt.u32 %p1, %x, 0x7fffff;
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
  'loads after a store': `  ld.global.u32 %r1, [%out];
  st.global.u32 [%out], %x;
  ld.global.u32 %r2, [%out];
  st.global.u32 [%out], %me;
  ld.global.u32 %r3, [%out];
  mad.lo.u32 %r, %r1, 5, %r2;
  mad.lo.u32 %r, %r, 5, %r3;`,
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
  'a chain of exchanges under a guard': `  .shared .align 4 .b8 cells[256];
  mov.u32 %n0, cells;
  shl.b32 %n1, %me, 2;
  add.u32 %n1, %n0, %n1;
  mul.lo.u32 %n2, %me, 28;
  add.u32 %n2, %n2, 12;
  and.b32 %n2, %n2, 252;
  add.u32 %n2, %n0, %n2;
  st.shared.u32 [%n1], %n2;
  bar.sync 0;
  and.b32 %r1, %x, 60;
  add.u32 %r1, %n0, %r1;
  add.u32 %r2, %n0, 8;
  mov.u32 %r3, 0;
LOOP:
  mov.u32 %n3, %r2;
  and.b32 %n4, %r3, 1;
  setp.eq.u32 %p1, %n4, 0;
  @%p1 atom.shared.exch.b32 %n3, [%n1], %r1;
  mov.u32 %r1, %n3;
  add.u32 %r2, %r2, 4;
  mad.lo.u32 %r, %r, 31, %r1;
  add.u32 %r3, %r3, 1;
  and.b32 %n6, %x, 7;
  setp.lt.u32 %p2, %r3, %n6;
  @%p2 bra LOOP;`,
};
