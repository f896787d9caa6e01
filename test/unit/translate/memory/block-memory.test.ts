// Memory of blocks in a buffer: local memory that is too large for the variables of an invocation, and
// shared memory that exceeds the adapter's workgroup memory. Lanes of different blocks and warps must
// not share local memory, and blocks must not share shared memory.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Launch } from '../../../../src/base/launch.ts';
import { compareOutputs, expectedOutputs } from '../../../../src/harness/compare/compare.ts';
import { checkBlockMemory } from '../../../../src/harness/executors/block-memory-limit.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { makeJob } from '../../../../src/harness/executors/kernel-job.ts';
import { readCase } from '../../../../src/harness/launches/case-file-node.ts';
import { planFor } from '../../../../src/translate/index.ts';
import { drawn, inTurn } from '../../../effort.ts';
import { exactFloats } from '../../../lockstep/float-profiles.ts';
import { lockstepExecutor, translateLaunch } from '../../../lockstep/lockstep-executor.ts';
import { translateText } from '../../../lockstep/small-kernel.ts';
import { runWgsl } from '../../../wgsl-interpreter/index.ts';

const words = 2500;

/**
 * A launch in which each thread writes to its own memory at indexes that depend on the thread, and
 * reads the values back after the other threads have written. `generic` uses generic addresses.
 * `vote` adds a warp instruction, so that a lane plan is used.
 */
function launchOf(generic: boolean, vote: boolean): Launch {
  const threads = 4 * 80;
  const space = generic ? '' : '.local';
  const ptx = `.version 8.6
.target sm_90
.address_size 64
.visible .entry locals(.param .u64 out) {
  .local .align 4 .b8 own[${words * 4}];
  .reg .b32 %r<20>;
  .reg .b64 %d<10>;
  .reg .pred %p<3>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r10, %tid.y;
  mad.lo.u32 %r1, %r10, 40, %r1;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r10, %ctaid.y;
  mad.lo.u32 %r2, %r10, 2, %r2;
  mad.lo.u32 %r3, %r2, 80, %r1;
  mul.lo.u32 %r4, %r3, 7;
  rem.u32 %r4, %r4, ${words - 1};
  mul.wide.u32 %d1, %r4, 4;
  mov.u64 %d2, own;
  ${generic ? 'cvta.local.u64 %d2, %d2;' : ''}
  add.s64 %d3, %d2, %d1;
  st${space}.u32 [%d3], %r3;
  xor.b32 %r5, %r3, 0x5a5a;
  st${space}.u32 [%d3+4], %r5;
  ${vote ? 'setp.lt.u32 %p1, %r1, 37;\n  activemask.b32 %r9;\n  vote.sync.ballot.b32 %r8, %p1, %r9;' : 'mov.u32 %r8, 3;'}
  bar.sync 0;
  ld${space}.u32 %r6, [%d3];
  ld${space}.u32 %r7, [%d3+4];
  mad.lo.u32 %r6, %r7, 65537, %r6;
  add.u32 %r6, %r6, %r8;
  ld.param.u64 %d4, [out];
  mul.wide.u32 %d5, %r3, 4;
  add.s64 %d4, %d4, %d5;
  st.global.u32 [%d4], %r6;
  ret;
}
`;
  return {
    id: 'locals',
    group: 'memory',
    ptx,
    ptxFile: 'locals.ptx',
    entry: 'locals',
    grid: [2, 2, 1],
    block: [40, 2, 1],
    sharedBytes: 0,
    params: [{ name: 'out', kind: 'buffer', type: 'u32', bytes: threads * 4 }],
  };
}

const reference = cpuExecutor();

describe.each([32, 64, 8, 1])('subgroups of %i', (size) => {
  const executor = lockstepExecutor(size);
  it.each([
    ['by name', false, false],
    ['by generic addresses', true, false],
    ['with a warp instruction', false, true],
    ['by generic addresses, with a warp instruction', true, true],
  ])('%s', async (_, generic, vote) => {
    const launch = launchOf(generic, vote);
    const { outputs: expected } = await reference.run(launch);
    const { outputs } = await executor.run(launch);
    expect(compareOutputs(launch, expected, outputs)).toMatchObject({ mismatches: 0 });
    expect(translateLaunch(launch, planFor(size)).code).toContain('block_memory');
  });
});

it('small local memory stays in variables', () => {
  const launch = launchOf(false, false);
  const small = { ...launch, ptx: launch.ptx.replaceAll(String(words * 4), '8000') };
  expect(translateLaunch(small, planFor(32)).code).not.toContain('block_memory');
});

/** Corpus cases by their use of shared memory, with the limit that they exceed. */
const sharedCases: readonly (readonly [name: string, limit: number])[] = [
  ['attention_odd', 4096],
  ['async_reduce_shared', 256],
  ['bulk_tiles', 512],
  ['cluster_reduce', 16],
  ['cluster_ring', 2000],
  ['copy_to_barrier', 512],
  ['float_atomics_shared', 512],
  ['histogram_shared', 128],
  ['large_path', 32_768],
  ['mbarrier_phases', 400],
  ['tickets64_shared', 264],
  ['warpgroup_bytes', 512],
  ['wait_ring_shared', 300],
  ['wmma_gemm_odd', 1024],
];

const nextSize = inTurn([32, 64, 1], 1);

describe('shared memory in a buffer', () => {
  it.each(drawn(sharedCases, 5))('%s, with %i bytes of workgroup memory', async (name, maxWorkgroupBytes) => {
    const launch = readCase(join(import.meta.dirname, '../../../kernels', `${name}.json`));
    for (const size of nextSize()) {
      let code = '';
      const executor = lockstepExecutor(size, {
        maxWorkgroupBytes,
        onProgram: (program) => {
          code = program.code;
        },
      });
      const { outputs } = await executor.run(launch);
      expect(compareOutputs(launch, expectedOutputs(launch), outputs)).toMatchObject({ mismatches: 0 });
      expect(code).toContain('> block_memory: array<BlockMemory>');
    }
  });

  const variables = (...bytes: readonly number[]) =>
    bytes.map((size, index) => `.shared .align 16 .b8 v${index}[${size}];`).join('\n');
  const used = (index: number, count: number) =>
    `  ld.shared.u32 %r1, [v${index}];\n  st.global.u32 [%d1], %r1;\n`.repeat(count);
  const kernel = (head: string, body: string) =>
    `.version 8.0\n.target sm_80\n.address_size 64\n${head}\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\nld.param.u64 %d1, [out];\n${body}  ret;\n}\n`;

  it('keeps the arrays with the most accesses per byte', () => {
    const ptx = kernel(variables(8192, 8192, 4096), used(0, 1) + used(1, 3) + used(2, 1));
    const { program } = translateText(ptx, { maxWorkgroupBytes: 12_288 });
    expect(program?.code).toMatch(/struct BlockMemory \{\n {2}v0: array<u32, 2048>,\n\}/);
    expect(program?.code).toMatch(/In a buffer: v0 \(8192 bytes\)\. .*stay in workgroup memory: v1 \(8192 bytes\), v2/);
    expect(program).toMatchObject({ workgroupBytes: 12_288, blockMemory: { blockBytes: 8192 } });
  });

  it('moves arrays if other variables of the shader need their workgroup memory', () => {
    const votes =
      '.reg .pred %p<2>;\nsetp.eq.u64 %p0, %d1, 3;\nbar.red.popc.u32 %r2, 0, %p0;\nst.global.u32 [%d1+4], %r2;\n';
    const ptx = kernel(variables(1024, 512), votes + used(0, 1) + used(1, 1));
    const { program } = translateText(ptx, { block: [64, 1, 1], maxWorkgroupBytes: 1536 });
    expect(program?.blockMemory).toMatchObject({ blockBytes: 1024 });
    expect(program?.workgroupBytes).toBeLessThan(1536);
  });

  it('gives each block its own part, of elements of all sizes', () => {
    const store = (index: number, vector: string, words: string) =>
      `st.shared${vector}.u32 [v${index}+16], ${words};\n`;
    const ptx = kernel(
      variables(36, 48, 40),
      `mov.u32 %r1, %ctaid.x;\nadd.u32 %r1, %r1, 100;\n${store(0, '', '%r1')}${store(1, '.v4', '{%r1, %r1, %r1, %r1}')}${store(2, '.v2', '{%r1, %r1}')}bar.sync 0;\n${used(0, 1)}${used(1, 1)}${used(2, 1)}`,
    );
    const params = [{ name: 'out', kind: 'buffer', type: 'u32', bytes: 8 }] as const;
    const shape = { grid: [3, 1, 1], block: [32, 1, 1], sharedBytes: 0 } as const;
    const launch: Launch = { id: 'parts', group: 'memory', ptx, ptxFile: 'parts.ptx', entry: 'k', ...shape, params };
    const program = translateLaunch(launch, planFor(32), exactFloats, [], { maxWorkgroupBytes: 0 });
    const job = makeJob(program, launch);
    const result = runWgsl(
      { ...job, buffers: job.buffers.map((buffer) => ({ ...buffer, read: true })) },
      { subgroupSize: 32 },
    );
    const { binding = -1, blockBytes = 0 } = program.blockMemory ?? {};
    const words = new Uint32Array(result.buffers.get(binding)?.slice().buffer ?? new ArrayBuffer(0));
    expect(() => checkBlockMemory(program, launch, { maxBufferSize: 383, maxStorageBufferBindingSize: 999 })).toThrow(
      'LW2020: `k` needs 128 bytes in a buffer for each of 3 workgroups: a buffer of the adapter has at most 383 bytes',
    );
    expect(() => checkBlockMemory(program, launch, { maxBufferSize: 384 })).not.toThrow();
    // The vectors of four words come first, then those of two, then the words.
    expect(blockBytes).toBe(128);
    for (const block of [0, 1, 2]) {
      const part = [...words.subarray((block * blockBytes) / 4, ((block + 1) * blockBytes) / 4)];
      const at = [4, 5, 6, 7, 12 + 4, 12 + 5, 12 + 10 + 4];
      expect(part).toEqual(part.map((_, index) => (at.includes(index) ? 100 + block : 0)));
    }
  });
});
