// Runs kernels whose asynchronous copies `overlap-copies` moves, and compares them with the
// reference.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Launch } from '../../../../src/base/launch.ts';
import { compareOutputs } from '../../../../src/harness/compare/compare.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { readCase } from '../../../../src/harness/launches/case-file-node.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';

const kernels = join(import.meta.dirname, '../../../kernels');

it.each([
  ['copy_matrices', 32, 'Asynchronous copies: 6 stores follow other work.'],
  ['copy_two_tiles_odd', 32, 'Asynchronous copies: 1 store follows other work.'],
  ['triton_matmul_i8_pipelined', 32, 'Asynchronous copies: 3 stores follow other work.'],
  ['triton_matmul_i8_pipelined', 8, undefined],
  ['copy_two_tiles_odd', 8, undefined],
])('%s on subgroups of %i', async (file, size, note) => {
  const launch = readCase(join(kernels, `${file}.json`));
  const notes: (string | undefined)[] = [];
  const executor = lockstepExecutor(size, {
    onProgram: ({ code }) => {
      notes.push(code.match(/Asynchronous copies: .*/)?.[0]);
    },
  });
  const expected = await cpuExecutor().run(launch);
  const found = await executor.run(launch);
  const { compared, first } = compareOutputs(launch, expected.outputs, found.outputs);
  expect(first).toBeUndefined();
  expect(compared).toBeGreaterThan(0);
  expect(notes).toEqual([note]);
});

const threads = 64;

/**
 * A ring of two tiles. Each iteration reads one that other threads copied, then copies the next one
 * to its place. `after` follows the copies, and `wait` is the wait for groups in the loop.
 */
const ring = (wait: string, after = ''): string => `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %me, %n, %i, %sum, %x, %to, %here, %side, %size;
  .reg .b64 %from, %out, %own;
  .shared .align 16 .b8 tiles[${2 * 4 * threads}];
  ld.param.u64 %from, [in];
  ld.param.u64 %out, [out];
  ld.param.u32 %n, [n];
  mov.u32 %me, %tid.x;
  mul.wide.u32 %own, %me, 4;
  add.u64 %from, %from, %own;
  add.u64 %out, %out, %own;
  mov.u32 %to, tiles;
  mad.lo.u32 %here, %me, -4, %to;
  add.u32 %here, %here, ${4 * (threads - 1)};
  mad.lo.u32 %to, %me, 4, %to;
  cp.async.ca.shared.global [%to], [%from], 4;
  cp.async.commit_group;
  cp.async.ca.shared.global [%to+${4 * threads}], [%from+${4 * threads}], 4;
  cp.async.commit_group;
  mov.u32 %i, 0;
  mov.u32 %sum, 0;
  cp.async.wait_group 1;
LOOP:
  ${wait}
  bar.sync 0;
  and.b32 %side, %i, 1;
  mul.lo.u32 %side, %side, ${4 * threads};
  add.u32 %x, %here, %side;
  ld.shared.u32 %x, [%x];
  mad.lo.u32 %sum, %sum, 3, %x;
  bar.sync 0;
  add.u64 %from, %from, ${4 * threads};
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, %n;
  selp.b32 %size, 4, 0, %p;
  add.u32 %x, %to, %side;
  cp.async.ca.shared.global [%x], [%from+${4 * threads}], 4, %size;
  cp.async.commit_group;
  ${after}
  @%p bra LOOP;
  cp.async.wait_group 0;
  bar.sync 0;
  ld.shared.u32 %x, [%here];
  mad.lo.u32 %sum, %sum, 3, %x;
  ld.shared.u32 %x, [%here+${4 * threads}];
  mad.lo.u32 %sum, %sum, 3, %x;
  st.global.u32 [%out], %sum;
  ret;
}
`;

describe('copies at the end of a loop', () => {
  const carried = 'Asynchronous copies: 1 store follows other work.';
  const loops: readonly (readonly [string, string, string | undefined])[] = [
    ['with a wait for all groups but one', ring('cp.async.wait_group 1;'), carried],
    ['with a wait for all groups', ring('cp.async.wait_group 0;'), undefined],
    ['with a wait after the copies', ring('', 'cp.async.wait_all;'), undefined],
    ['with a barrier and a wait after the copies', ring('', 'bar.sync 0;\n  cp.async.wait_group 1;'), carried],
  ];
  it.each(loops.flatMap((loop) => [1, 2, 3, 6].map((count) => [...loop, count] as const)))(
    '%s, %s',
    async (_, ptx, note, count) => {
      const words = (count + 2) * threads;
      const data = new Uint8Array(Uint32Array.from({ length: words }, (_, i) => Math.imul(i + 1, 0x9e37_79b9)).buffer);
      const launch = {
        id: 'ring',
        group: '',
        ptx,
        ptxFile: 'ring.ptx',
        entry: 'k',
        grid: [1, 1, 1],
        block: [threads, 1, 1],
        sharedBytes: 0,
        params: [
          { name: 'in', kind: 'buffer', type: 'u32', bytes: 4 * words, data },
          { name: 'out', kind: 'buffer', type: 'u32', bytes: 4 * threads },
          { name: 'n', kind: 'scalar', type: 'u32', value: count },
        ],
      } satisfies Launch;
      const notes: (string | undefined)[] = [];
      const executor = lockstepExecutor(32, {
        onProgram: ({ code }) => {
          notes.push(code.match(/Asynchronous copies: .*/)?.[0]);
        },
      });
      const [expected, found] = [await cpuExecutor().run(launch), await executor.run(launch)];
      expect(compareOutputs(launch, expected.outputs, found.outputs)).toMatchObject({
        mismatches: 0,
        first: undefined,
      });
      expect(notes).toEqual([note]);
    },
  );
});
