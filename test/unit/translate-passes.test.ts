// The kernel after each pass, as `--print-after` shows it. Each snapshot is a small kernel for one pass; `vitest -u` rewrites them.
import { describe, expect, it } from 'vitest';
import { passNames } from '../../src/translate/index.ts';
import { smallKernel, wgslOf } from '../lockstep/small-kernel.ts';

/// The kernel before and after a pass.
function around(pass: string, ptx: string): string {
  const texts = new Map<string, string>();
  wgslOf(ptx, { observe: (name, text) => texts.set(name, text) });
  const before = passNames[passNames.indexOf(pass) - 1] ?? '';
  return [before, pass].map((name) => `--- ${name}\n${texts.get(name)?.trimEnd()}`).join('\n');
}

describe('passes', () => {
  it('are all observed, in order', () => {
    const seen: string[] = [];
    wgslOf(smallKernel('mov.b32 %r1, %r0;'), { observe: (name) => seen.push(name) });
    expect(seen).toEqual(passNames);
  });

  it('clean-up selects where a guard did, and folds what is known', () => {
    const body = `  add.s32 %r2, %r0, 1;
  add.s32 %r2, %r2, %r0;
  setp.gt.s32 %p1, %r2, 9;
  mov.u32 %r2, 5;
  @%p1 mov.u32 %r2, 6;
  add.s32 %r1, %r2, 1;`;
    expect(around('clean-up', smallKernel(body))).toMatchInlineSnapshot(`
      "--- build-cfg
      kernel small
      block 0:
        ld .param.u64 d=%rd0, a=[data]
        cvta.to .global.u64 d=%rd0, a=%rd0
        mov .u32 d=%r15, a=%tid.x
        mul.wide .u32 d=%rd1, a=%r15, b=0x4
        add .s64 d=%rd2, a=%rd0, b=%rd1
        ld .global.u32 d=%r0, a=[%rd2]
        add .s32 d=%r2, a=%r0, b=0x1
        add .s32 d=%r2, a=%r2, b=%r0
        setp .gt.s32 p=%p1, a=%r2, b=0x9
        mov .u32 d=%r2, a=0x5
        @%p1 mov .u32 d=%r2, a=0x6
        add .s32 d=%r1, a=%r2, b=0x1
        st .global.u32 a=[%rd2], b=%r1
        exit
      --- split-ranges
      kernel small
      block 0:
        ld .param.u64 d=%rd0$1, a=[data]
        cvta.to .global.u64 d=%rd0$2, a=%rd0$1
        mov .u32 d=%r15, a=%tid.x
        mul.wide .u32 d=%rd1, a=%r15, b=0x4
        add .s64 d=%rd2, a=%rd0$2, b=%rd1
        ld .global.u32 d=%r0, a=[%rd2]
        add .s32 d=%r2$3, a=%r0, b=0x1
        add .s32 d=%r2$4, a=%r2$3, b=%r0
        setp .gt.s32 p=%p1, a=%r2$4, b=0x9
        mov .u32 d=%r2$5, a=0x5
        @%p1 mov .u32 d=%r2$5, a=0x6
        add .s32 d=%r1, a=%r2$5, b=0x1
        st .global.u32 a=[%rd2], b=%r1
        exit"
    `);
  });

  it('clean-up puts constants in place of registers', () => {
    const body = `  mov.u32 %r2, 31;
  mov.u32 %r3, -1;
  mov.b32 %r4, %r3;
  mov.u32 %r5, %ntid.x;
  shfl.sync.bfly.b32 %r1|%p1, %r0, 1, %r2, %r4;
  add.s32 %r1, %r1, %r5;`;
    expect(around('clean-up', smallKernel(body))).toMatchInlineSnapshot(`
      "--- split-ranges
      kernel small
      block 0:
        ld .param.u64 d=%rd0$1, a=[data]
        cvta.to .global.u64 d=%rd0$2, a=%rd0$1
        mov .u32 d=%r15, a=%tid.x
        mul.wide .u32 d=%rd1, a=%r15, b=0x4
        add .s64 d=%rd2, a=%rd0$2, b=%rd1
        ld .global.u32 d=%r0, a=[%rd2]
        mov .u32 d=%r2, a=0x1f
        mov .u32 d=%r3, a=0xffffffff
        mov .b32 d=%r4, a=%r3
        mov .u32 d=%r5, a=%ntid.x
        shfl.sync .bfly d=%r1$3, p=%p1, a=%r0, b=0x1, c=%r2, membermask=%r4
        add .s32 d=%r1$4, a=%r1$3, b=%r5
        st .global.u32 a=[%rd2], b=%r1$4
        exit
      --- fold-constants
      kernel small
      block 0:
        ld .param.u64 d=%rd0$1, a=[data]
        cvta.to .global.u64 d=%rd0$2, a=%rd0$1
        mov .u32 d=%r15, a=%tid.x
        mul.wide .u32 d=%rd1, a=%r15, b=0x4
        add .s64 d=%rd2, a=%rd0$2, b=%rd1
        ld .global.u32 d=%r0, a=[%rd2]
        mov .u32 d=%r2, a=0x1f
        mov .u32 d=%r3, a=0xffffffff
        mov .b32 d=%r4, a=0xffffffff
        mov .u32 d=%r5, a=0x20
        shfl.sync .bfly d=%r1$3, p=%p1, a=%r0, b=0x1, c=0x1f, membermask=0xffffffff
        add .s32 d=%r1$4, a=%r1$3, b=0x20
        st .global.u32 a=[%rd2], b=%r1$4
        exit"
    `);
  });

  it('clean-up drops what nobody reads', () => {
    const body = `  add.s32 %r2, %r0, 1;
  mul.lo.s32 %r3, %r2, %r2;
  shfl.sync.idx.b32 %r1|%p1, %r0, 3, 0x1f, -1;
  vote.sync.ballot.b32 %r4, %p1, -1;`;
    expect(around('clean-up', smallKernel(body))).toMatchInlineSnapshot(`
      "--- unroll-loops
      kernel small
      block 0:
        ld .param.u64 d=%rd0$1, a=[data]
        cvta.to .global.u64 d=%rd0$2, a=%rd0$1
        mov .u32 d=%r15, a=%tid.x
        mul.wide .u32 d=%rd1, a=%r15, b=0x4
        add .s64 d=%rd2, a=%rd0$2, b=%rd1
        ld .global.u32 d=%r0, a=[%rd2]
        add .s32 d=%r2, a=%r0, b=0x1
        mul .lo.s32 d=%r3, a=%r2, b=%r2
        shfl.sync .idx d=%r1, p=%p1, a=%r0, b=0x3, c=0x1f, membermask=0xffffffff
        vote.sync.ballot d=%r4, a=%p1, membermask=0xffffffff
        st .global.u32 a=[%rd2], b=%r1
        exit
      --- remove-dead-code
      kernel small
      block 0:
        ld .param.u64 d=%rd0$1, a=[data]
        cvta.to .global.u64 d=%rd0$2, a=%rd0$1
        mov .u32 d=%r15, a=%tid.x
        mul.wide .u32 d=%rd1, a=%r15, b=0x4
        add .s64 d=%rd2, a=%rd0$2, b=%rd1
        ld .global.u32 d=%r0, a=[%rd2]
        shfl.sync .idx d=%r1, p=%p1, a=%r0, b=0x3, c=0x1f, membermask=0xffffffff
        vote.sync.ballot d=_, a=%p1, membermask=0xffffffff
        st .global.u32 a=[%rd2], b=%r1
        exit"
    `);
  });

  it('resolve-memory gives buffers indexes, and leaves 64-bit numbers as they are', () => {
    const body = `  cvt.s64.s32 %rd3, %r0;
  st.global.u64 [%rd2+8], %rd3;
  mov.b32 %r1, %r0;`;
    expect(around('resolve-memory', smallKernel(body))).toMatchInlineSnapshot(`
      "--- index-buffers
      kernel small
      block 0:
        ld .param.u64 d=%rd0$1, a=[data]
        cvta.to .global.u64 d=%rd0$2, a=%rd0$1
        mov .u32 d=%r15, a=%tid.x
        mul.wide .u32 d=%rd1, a=%r15, b=0x4
        add .s64 d=%rd2, a=%rd0$2, b=%rd1
        ld .global.u32 d=%r0, a=[%rd0$2+%r15*4]
        cvt .s64.s32 d=%rd3, a=%r0
        st .global.u64 a=[%rd0$2+%r15*4+8], b=%rd3
        mov .b32 d=%r1, a=%r0
        st .global.u32 a=[%rd0$2+%r15*4], b=%r1
        exit
      --- narrow-addresses
      kernel small
      block 0:
        ld .param.u32 d=%rd0$1, a=[data]
        cvta.to .global.u32 d=%rd0$2, a=%rd0$1
        mov .u32 d=%r15, a=%tid.x
        mul .lo.u32 d=%rd1, a=%r15, b=0x4
        add .s32 d=%rd2, a=%rd0$2, b=%rd1
        ld .global.u32 d=%r0, a=[%rd0$2+%r15*4]
        cvt .s64.s32 d=%rd3, a=%r0
        st .global.u64 a=[%rd0$2+%r15*4+8], b=%rd3
        mov .b32 d=%r1, a=%r0
        st .global.u32 a=[%rd0$2+%r15*4], b=%r1
        exit"
    `);
  });
});

describe('a whole kernel', () => {
  it('sums a warp', () => {
    const steps = [16, 8, 4, 2, 1].map(
      (distance) => `  shfl.sync.down.b32 %r2|%p1, %r1, ${distance}, 31, -1;
  add.s32 %r1, %r1, %r2;`,
    );
    const body = `  mov.b32 %r1, %r0;
${steps.join('\n')}
  setp.ne.s32 %p2, %r15, 0;
  @%p2 ret;`;
    expect(wgslOf(smallKernel(body))).toMatchInlineSnapshot(`
      "enable subgroups;
      requires subgroup_id;
      diagnostic(off, subgroup_uniformity);

      @group(0) @binding(0) var<storage, read_write> data: array<u32>;

      @compute @workgroup_size(32)
      fn main(@builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_id) warp: u32) {
        let tid = warp * 32u + lane;
        let lane_down_16 = select(lane, lane + 0x10u, (lane < 16u));
        let lane_down_8 = select(lane, lane + 8u, (lane < 24u));
        let lane_down_4 = select(lane, lane + 4u, (lane < 28u));
        let lane_down_2 = select(lane, lane + 2u, (lane < 30u));
        let lane_down_1 = select(lane, lane + 1u, (lane < 31u));
        // ld.global.u32 %r0, [%rd2];
        let r0 = data[tid];
        // shfl.sync.down.b32 %r2|%p1, %r1, 16, 31, -1;
        let r2 = subgroupShuffle(r0, lane_down_16);
        // add.s32 %r1, %r1, %r2;
        let r1_2 = r0 + r2;
        // shfl.sync.down.b32 %r2|%p1, %r1, 8, 31, -1;
        let r2_2 = subgroupShuffle(r1_2, lane_down_8);
        // add.s32 %r1, %r1, %r2;
        let r1_3 = r1_2 + r2_2;
        // shfl.sync.down.b32 %r2|%p1, %r1, 4, 31, -1;
        let r2_3 = subgroupShuffle(r1_3, lane_down_4);
        // add.s32 %r1, %r1, %r2;
        let r1_4 = r1_3 + r2_3;
        // shfl.sync.down.b32 %r2|%p1, %r1, 2, 31, -1;
        let r2_4 = subgroupShuffle(r1_4, lane_down_2);
        // add.s32 %r1, %r1, %r2;
        let r1_5 = r1_4 + r2_4;
        // shfl.sync.down.b32 %r2|%p1, %r1, 1, 31, -1;
        let r2_5 = subgroupShuffle(r1_5, lane_down_1);
        // add.s32 %r1, %r1, %r2;
        let r1_6 = r1_5 + r2_5;
        // setp.ne.s32 %p2, %r15, 0;
        let p2 = tid != 0u;
        if (!p2) {
          // st.global.u32 [%rd2], %r1;
          data[tid] = r1_6;
        }
      }
      "
    `);
  });
});
