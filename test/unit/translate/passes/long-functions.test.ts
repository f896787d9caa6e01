// Functions with much exact f32 code: their guards are chosen for a short shader, and their results
// keep their bits.
import { expect, test } from 'vitest';
import type { Launch } from '../../../../src/base/launch.ts';
import { runOnCpu } from '../../../../src/cpu-ref/executor.ts';
import { makeJob, readAnswer } from '../../../../src/harness/executors/kernel-job.ts';
import { loadKernel } from '../../../../src/harness/executors/load-kernel.ts';
import { planFor, translate } from '../../../../src/translate/index.ts';
import { flushedFloats } from '../../../lockstep/float-profiles.ts';
import { runWgsl } from '../../../wgsl-interpreter/index.ts';

const threads = 32;

/**
 * Returns a kernel with many rounds. Each round has operations that depend on each other, in a
 * block of its own.
 */
function kernel(rounds: number, ftz: string): string {
  const body = Array.from(
    { length: rounds },
    (_, round) => `  setp.eq.s32 %p, %t, ${round};
  @%p bra L${round};
  mul.rn${ftz}.f32 %x1, %x0, %x2;
  fma.rn${ftz}.f32 %x2, %x1, %x3, %x0;
  sub.rn${ftz}.f32 %x3, %x2, %x1;
  add.rn${ftz}.f32 %x0, %x3, %x1;
L${round}:`,
  ).join('\n');
  return `.version 8.0
.target sm_80
.address_size 64
.visible .entry rounds(.param .u64 data)
{
  .reg .pred %p;
  .reg .f32 %x<4>;
  .reg .b32 %t;
  .reg .b64 %d, %o;
  ld.param.u64 %d, [data];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %o, %t, 16;
  add.s64 %d, %d, %o;
${[0, 1, 2, 3].map((k) => `  ld.global.f32 %x${k}, [%d+${k * 4}];`).join('\n')}
${body}
${[0, 1, 2, 3].map((k) => `  st.global.f32 [%d+${k * 4}], %x${k};`).join('\n')}
  ret;
}
`;
}

const special = [0, -0, 1e-40, -1e-45, Number.POSITIVE_INFINITY, Number.NaN, 1.2e-38, 3e38];
const values = Float32Array.from({ length: threads * 4 }, (_, index) =>
  index % 9 === 4
    ? (special[(index >> 4) % special.length] ?? 0)
    : Math.sin(index * 12.9898) * 2 ** -((index % 5) * 15),
);

test.each(['', '.ftz'])('the exact paths of a long function are loops, for operations with %j', (ftz) => {
  const { code: short } = compare(kernel(4, ftz));
  expect(short).not.toMatch(/= steps\w*\(/);
  const { code } = compare(kernel(24, ftz));
  expect(code.match(/= steps\w*\(/g)).toHaveLength(24);
  // Each loop contains one function for all four operations.
  expect(code).not.toMatch(/ f32_(add|sub|mul)\w*\(/);
});

/** Compares a kernel with the reference on an adapter that flushes subnormals. */
function compare(ptx: string): { readonly code: string } {
  const data = new Uint8Array(values.slice().buffer);
  const launch: Launch = {
    id: 'rounds', group: 'test', ptx, ptxFile: 'rounds.ptx', entry: 'rounds', grid: [1, 1, 1], block: [threads, 1, 1], sharedBytes: 0,
    params: [{ name: 'data', kind: 'buffer', type: 'f32', bytes: data.length, data }],
  }; // biome-ignore format: a table
  const { program } = translate(loadKernel(launch), {
    entry: 'rounds',
    block: launch.block,
    plan: planFor(threads),
    float: flushedFloats,
    verify: true,
  });
  if (!program) throw new Error('the kernel does not translate');
  const answer = readAnswer(
    program,
    launch,
    runWgsl(makeJob(program, launch), { subgroupSize: threads, flushes: true }),
  );
  const words = (outputs: ReadonlyMap<number, Uint8Array>) => [
    ...new Uint32Array((outputs.get(0) ?? new Uint8Array()).slice().buffer),
  ];
  expect(words(answer.outputs)).toEqual(words(runOnCpu(launch).outputs));
  return { code: program.code };
}
