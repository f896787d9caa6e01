// The kernel after each pass, as `--print-after` prints it. Each snapshot is a small kernel for one
// pass; `vitest -u` rewrites the snapshots.
import { describe, expect, it } from 'vitest';
import { passNames } from '../../../../src/translate/index.ts';
import { smallKernel, statementsOf, wgslOf } from '../../../lockstep/small-kernel.ts';

/** Returns the kernel before and after a pass. */
function around(pass: string, ptx: string): string {
  const texts = new Map<string, string>();
  wgslOf(ptx, { observe: (name, text) => texts.set(name, text) });
  const before = passNames[passNames.indexOf(pass) - 1] ?? '';
  return [before, pass].map((name) => `--- ${name}\n${texts.get(name)?.trimEnd()}`).join('\n');
}

describe('passes', () => {
  it('an observer sees all passes of a kernel that is not encoded, in order', () => {
    const seen: string[] = [];
    wgslOf(smallKernel('mov.b32 %r1, %r0;'), { observe: (name) => seen.push(name) });
    expect(seen).toEqual(passNames.filter((name) => name !== 'encode'));
  });

  it('clean-up turns guards into selections and folds constants', () => {
    const body = `  add.s32 %r2, %r0, 1;
  add.s32 %r2, %r2, %r0;
  setp.gt.s32 %p1, %r2, 9;
  mov.u32 %r2, 5;
  @%p1 mov.u32 %r2, 6;
  add.s32 %r1, %r2, 1;`;
    expect(around('clean-up', smallKernel(body))).toMatchInlineSnapshot(`
      "--- build
      source "small.ptx"
      param param data: u64 bytes 8 align 8

      kernel small {
      b0:
        jump b1
      b1:
        %rd0:i64 = load.i64 param(0)[0]
        %rd0.1:i64 = cvta.global.from-generic %rd0
        %tid_x:i32 = special.i32 "%tid.x"
        %.1:i64 = zext.i64 %tid_x
        %rd1:i64 = imul %.1, 4:i64
        %rd2:i64 = iadd %rd0.1, %rd1
        %r0:i32 = load.i32 address(global)[%rd2]
        %r2:i32 = iadd %r0, 1
        %r2.1:i32 = iadd %r2, %r0
        %p1:i1 = icmp.sgt %r2.1, 9
        %r2.2:i32 = select %p1, 6, 5
        %r1:i32 = iadd %r2.2, 1
        store.i32 address(global)[%rd2], %r1
        exit
      }
      --- clean-up
      source "small.ptx"
      param param data: u64 bytes 8 align 8

      kernel small {
      b0:
        %rd0:i64 = load.i64 param(0)[0]
        %rd0.1:i64 = cvta.global.from-generic %rd0
        %tid_x:i32 = special.i32 "%tid.x"
        %.1:i64 = zext.i64 %tid_x
        %rd1:i64 = imul %.1, 4:i64
        %rd2:i64 = iadd %rd0.1, %rd1
        %r0:i32 = load.i32 address(global)[%rd2]
        %r2:i32 = iadd %r0, 1
        %r2.1:i32 = iadd %r2, %r0
        %p1:i1 = icmp.sgt %r2.1, 9
        %r2.2:i32 = select %p1, 6, 5
        %r1:i32 = iadd %r2.2, 1
        store.i32 address(global)[%rd2], %r1
        exit
      }"
    `);
  });

  it('clean-up replaces registers by constants', () => {
    const body = `  mov.u32 %r2, 31;
  mov.u32 %r3, -1;
  mov.b32 %r4, %r3;
  mov.u32 %r5, %ntid.x;
  shfl.sync.bfly.b32 %r1|%p1, %r0, 1, %r2, %r4;
  add.s32 %r1, %r1, %r5;`;
    expect(around('clean-up', smallKernel(body))).toMatchInlineSnapshot(`
      "--- build
      source "small.ptx"
      param param data: u64 bytes 8 align 8

      kernel small {
      b0:
        jump b1
      b1:
        %rd0:i64 = load.i64 param(0)[0]
        %rd0.1:i64 = cvta.global.from-generic %rd0
        %tid_x:i32 = special.i32 "%tid.x"
        %.1:i64 = zext.i64 %tid_x
        %rd1:i64 = imul %.1, 4:i64
        %rd2:i64 = iadd %rd0.1, %rd1
        %r0:i32 = load.i32 address(global)[%rd2]
        %r1:i32, %p1:i1 = warp "shfl.sync" {mode: bfly}, %r0, 1, 31, -1
        %r1.1:i32 = iadd %r1, 32
        store.i32 address(global)[%rd2], %r1.1
        exit
      }
      --- clean-up
      source "small.ptx"
      param param data: u64 bytes 8 align 8

      kernel small {
      b0:
        %rd0:i64 = load.i64 param(0)[0]
        %rd0.1:i64 = cvta.global.from-generic %rd0
        %tid_x:i32 = special.i32 "%tid.x"
        %.1:i64 = zext.i64 %tid_x
        %rd1:i64 = imul %.1, 4:i64
        %rd2:i64 = iadd %rd0.1, %rd1
        %r0:i32 = load.i32 address(global)[%rd2]
        %r1:i32, %p1:i1 = warp "shfl.sync" {mode: bfly}, %r0, 1, 31, -1
        %r1.1:i32 = iadd %r1, 32
        store.i32 address(global)[%rd2], %r1.1
        exit
      }"
    `);
  });

  it('clean-up removes unused values', () => {
    const body = `  add.s32 %r2, %r0, 1;
  mul.lo.s32 %r3, %r2, %r2;
  shfl.sync.idx.b32 %r1|%p1, %r0, 3, 0x1f, -1;
  vote.sync.ballot.b32 %r4, %p1, -1;`;
    expect(around('clean-up', smallKernel(body))).toMatchInlineSnapshot(`
      "--- build
      source "small.ptx"
      param param data: u64 bytes 8 align 8

      kernel small {
      b0:
        jump b1
      b1:
        %rd0:i64 = load.i64 param(0)[0]
        %rd0.1:i64 = cvta.global.from-generic %rd0
        %tid_x:i32 = special.i32 "%tid.x"
        %.1:i64 = zext.i64 %tid_x
        %rd1:i64 = imul %.1, 4:i64
        %rd2:i64 = iadd %rd0.1, %rd1
        %r0:i32 = load.i32 address(global)[%rd2]
        %r2:i32 = iadd %r0, 1
        %r3:i32 = imul %r2, %r2
        %r1:i32, %p1:i1 = warp "shfl.sync" {mode: idx}, %r0, 3, 31, -1
        %r4:i32 = warp "vote.sync.ballot" {}, %p1, -1
        store.i32 address(global)[%rd2], %r1
        exit
      }
      --- clean-up
      source "small.ptx"
      param param data: u64 bytes 8 align 8

      kernel small {
      b0:
        %rd0:i64 = load.i64 param(0)[0]
        %rd0.1:i64 = cvta.global.from-generic %rd0
        %tid_x:i32 = special.i32 "%tid.x"
        %.1:i64 = zext.i64 %tid_x
        %rd1:i64 = imul %.1, 4:i64
        %rd2:i64 = iadd %rd0.1, %rd1
        %r0:i32 = load.i32 address(global)[%rd2]
        %r1:i32, %p1:i1 = warp "shfl.sync" {mode: idx}, %r0, 3, 31, -1
        %r4:i32 = warp "vote.sync.ballot" {}, %p1, -1
        store.i32 address(global)[%rd2], %r1
        exit
      }"
    `);
  });

  it('resolve-memory turns addresses into indexes and keeps 64-bit numbers', () => {
    const body = `  cvt.s64.s32 %rd3, %r0;
  st.global.u64 [%rd2+8], %rd3;
  mov.b32 %r1, %r0;`;
    expect(around('resolve-memory', smallKernel(body))).toMatchInlineSnapshot(`
      "--- unroll-loops
      source "small.ptx"
      param param data: u64 bytes 8 align 8

      kernel small {
      b0:
        %rd0:i64 = load.i64 param(0)[0]
        %rd0.1:i64 = cvta.global.from-generic %rd0
        %tid_x:i32 = special.i32 "%tid.x"
        %.1:i64 = zext.i64 %tid_x
        %rd1:i64 = imul %.1, 4:i64
        %rd2:i64 = iadd %rd0.1, %rd1
        %r0:i32 = load.i32 address(global)[%rd2]
        %rd3:i64 = sext.i64 %r0
        store.i64 address(global)[%rd2 + 8], %rd3
        store.i32 address(global)[%rd2], %r0
        exit
      }
      --- resolve-memory
      source "small.ptx"
      param param data: u64 bytes 8 align 8

      kernel small {
      b0:
        %tid_x:i32 = special.i32 "%tid.x"
        %r0:i32 = load.i32 buffer(0)[%tid_x*4]
        %rd3:i64 = sext.i64 %r0
        store.i64 buffer(0)[%tid_x*4 + 8], %rd3
        store.i32 buffer(0)[%tid_x*4], %r0
        exit
      }"
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
        let lane_down_16 = select(lane, lane + 16u, lane < 16u);
        let lane_down_8 = select(lane, lane + 8u, lane < 24u);
        let lane_down_4 = select(lane, lane + 4u, lane < 28u);
        let lane_down_2 = select(lane, lane + 2u, lane < 30u);
        let lane_down_1 = select(lane, lane + 1u, lane < 31u);
        // ld.global.u32 %r0, [%rd2];
        let r0 = data[tid];
        // shfl.sync.down.b32 %r2|%p1, %r1, 16, 31, -1;
        let r2 = subgroupShuffle(r0, lane_down_16);
        // add.s32 %r1, %r1, %r2;
        let r1 = r0 + r2;
        // shfl.sync.down.b32 %r2|%p1, %r1, 8, 31, -1;
        let r2_1 = subgroupShuffle(r1, lane_down_8);
        // add.s32 %r1, %r1, %r2;
        let r1_1 = r1 + r2_1;
        // shfl.sync.down.b32 %r2|%p1, %r1, 4, 31, -1;
        let r2_2 = subgroupShuffle(r1_1, lane_down_4);
        // add.s32 %r1, %r1, %r2;
        let r1_2 = r1_1 + r2_2;
        // shfl.sync.down.b32 %r2|%p1, %r1, 2, 31, -1;
        let r2_3 = subgroupShuffle(r1_2, lane_down_2);
        // add.s32 %r1, %r1, %r2;
        let r1_3 = r1_2 + r2_3;
        // shfl.sync.down.b32 %r2|%p1, %r1, 1, 31, -1;
        let r2_4 = subgroupShuffle(r1_3, lane_down_1);
        // add.s32 %r1, %r1, %r2;
        let r1_4 = r1_3 + r2_4;
        // setp.ne.s32 %p2, %r15, 0;
        let p2 = tid != 0u;
        // @%p2 ret;
        if (!p2) {
          // st.global.u32 [%rd2], %r1;
          data[tid] = r1_4;
        }
      }
      "
    `);
  });
});

describe('reused registers', () => {
  const body = (d: readonly string[], p: readonly string[]) => `  shfl.sync.bfly.b32 ${d[0]}, %r0, 16, 31, -1;
  add.u32 ${d[1]}, %r0, ${d[0]};
  setp.gt.u32 ${p[0]}, ${d[1]}, 10;
  @${p[0]} bra A;
  shfl.sync.bfly.b32 ${d[2]}, ${d[1]}, 8, 31, -1;
  add.u32 %r1, ${d[1]}, ${d[2]};
  bra B;
A:
  mov.u32 %r1, 9;
B:
  mov.u32 ${d[3]}, 0;
L:
  add.u32 %r1, %r1, ${d[3]};
  add.u32 ${d[3]}, ${d[3]}, 1;
  setp.lt.u32 ${p[1]}, ${d[3]}, %r1;
  vote.sync.any.pred ${p[2]}, ${p[1]}, -1;
  @${p[2]} bra L;`;
  /** Returns the PTX with names that are numbered in the order of their first use. */
  const shapeOf = (ptx: string): string => {
    const names = new Map<string, string>();
    const number = (name: string) => {
      const known = names.get(name) ?? `v${names.size}`;
      names.set(name, known);
      return known;
    };
    return statementsOf(wgslOf(ptx))
      .join('\n')
      .replaceAll(/\b[rp]\d+(_\d+)?\b/g, number);
  };

  it('change names only', () => {
    const fresh = smallKernel(body(['%r2', '%r3', '%r4', '%r5'], ['%p1', '%p2', '%p3']));
    const again = smallKernel(body(['%r2', '%r3', '%r2', '%r2'], ['%p1', '%p1', '%p1']));
    expect(shapeOf(again)).toBe(shapeOf(fresh));
  });
});
