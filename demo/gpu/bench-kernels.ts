// Kernels that do little but one warp instruction, many times.
import type { Launch } from '../../src/harness/launch.ts';

export interface BenchKernel {
  readonly name: string;
  /// Instructions measured, a turn of the loop.
  readonly perTurn: number;
  readonly ptx: string;
}

const perTurn = 16;

/// `step` reads and writes %v.
function kernel(name: string, registers: string, step: (index: number) => string): BenchKernel {
  const body = Array.from({ length: perTurn }, (_, index) => step(index)).join('\n  ');
  const ptx = `.version 7.0
.target sm_80
.address_size 64
// ${name}
.visible .entry bench(.param .u64 out, .param .u32 turns)
{
  .reg .b32 %v, %t, %i, %n, %thread, %block, %size;
  .reg .b64 %out, %offset;
  .reg .pred %more;
  ${registers}
  ld.param.u32 %n, [turns];
  mov.u32 %thread, %tid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %size, %ntid.x;
  mad.lo.u32 %thread, %block, %size, %thread;
  mov.u32 %v, %thread;
  mov.u32 %i, 0;
LOOP:
  ${body}
  add.u32 %i, %i, 1;
  setp.lt.u32 %more, %i, %n;
  @%more bra LOOP;
  ld.param.u64 %out, [out];
  cvta.to.global.u64 %out, %out;
  mul.wide.u32 %offset, %thread, 4;
  add.s64 %out, %out, %offset;
  st.global.u32 [%out], %v;
  ret;
}
`;
  return { name, perTurn, ptx };
}

const distance = (index: number): number => 1 << (index % 5);

export const benchKernels: readonly BenchKernel[] = [
  kernel('shfl.sync.bfly', '', (i) => `shfl.sync.bfly.b32 %v, %v, ${distance(i)}, 31, -1;`),
  kernel('shfl.sync.down', '', (i) => `shfl.sync.down.b32 %v, %v, ${distance(i)}, 31, -1;`),
  kernel('shfl.sync.idx', '', () => 'shfl.sync.idx.b32 %v, %v, %v, 31, -1;'),
  kernel(
    'vote.sync.ballot',
    '.reg .pred %odd;',
    () => 'setp.ne.u32 %odd, %v, %i; vote.sync.ballot.b32 %t, %odd, -1; add.u32 %v, %v, %t;',
  ),
  kernel('redux.sync.add', '', () => 'redux.sync.add.u32 %t, %v, -1; add.u32 %v, %v, %t;'),
  kernel('match.any.sync', '', () => 'match.any.sync.b32 %t, %v, -1; add.u32 %v, %v, %t;'),
];

export const benchThreads = 256;

export function benchLaunch({ name, ptx }: BenchKernel, blocks: number, turns: number): Launch {
  return {
    id: name,
    group: 'bench',
    ptx,
    ptxFile: `${name}.ptx`,
    entry: 'bench',
    grid: [blocks, 1, 1],
    block: [benchThreads, 1, 1],
    sharedBytes: 0,
    params: [
      { name: 'out', kind: 'buffer', type: 'u32', bytes: blocks * benchThreads * 4 },
      { name: 'turns', kind: 'scalar', type: 'u32', value: turns },
    ],
  };
}
