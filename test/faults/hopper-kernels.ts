// Kernels of warpgroups and clusters that show faults. They have their own targets and launches.
import type { Launch } from '../../src/base/launch.ts';

function launchOf(id: string, threads: number, declarations: string, body: string): Launch {
  const bytes = 4 * 128;
  return {
    id, group: '', ptxFile: `${id}.ptx`, entry: 'k', grid: [128 / threads, 1, 1], block: [threads, 1, 1], sharedBytes: 256,
    ptx: `.version 8.7
.target sm_90a
.address_size 64
${declarations}
.visible .entry k(.param .u64 out)
{
  .reg .b32 %me, %r, %n<8>; .reg .b64 %out, %d<4>; .reg .pred %p<4>; .reg .s32 %s<4>;
  mov.u32 %me, %tid.x;
${body}
  ld.param.u64 %out, [out];
  mov.u32 %n0, %ctaid.x;
  mad.lo.u32 %n0, %n0, ${threads}, %me;
  mad.wide.u32 %out, %n0, 4, %out;
  st.global.u32 [%out], %r;
  ret;
}
`,
    params: [{ name: 'out', kind: 'buffer', type: 'u32', bytes }],
  }; // biome-ignore format: one record
}

export const hopperKernels: readonly Launch[] = [
  launchOf(
    'columns of two rows',
    128,
    '.shared .align 256 .b8 tile[1024];',
    `  mul.lo.u32 %n0, %me, 0x9e3779b9;
  mov.u32 %n1, tile;
  mad.lo.u32 %n2, %me, 8, %n1;
  st.shared.v2.u32 [%n2], {%n0, %me};
  bfe.u32 %n1, %n1, 4, 14;
  or.b32 %n1, %n1, ${(512 / 16) << 16};
  mov.b64 %d0, {%n1, 0xc0000010};
  setp.lt.u32 %p0, %me, 0;
  fence.proxy.async;
  bar.sync 0;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.s8.s8 {%s0, %s1, %s2, %s3}, {%n0, %me, %n2, %n0}, %d0, 0x4e8dc984, 0, %p0;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  mad.lo.u32 %r, %s0, 31, %s1;
  mad.lo.u32 %r, %r, 31, %s2;
  mad.lo.u32 %r, %r, 31, %s3;`,
  ),
  {
    ...launchOf(
      'the alignment of a block',
      32,
      '.extern .shared .align 512 .b8 cells[];\n.shared .b32 word;',
      `  st.shared.u32 [word], %me;
  mov.u32 %r, cells;
  and.b32 %r, %r, 511;`,
    ),
    cluster: [2, 1, 1],
  },
];
