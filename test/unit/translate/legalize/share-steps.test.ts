// Loops over calls of several functions: their bits, and the text form of the operation.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { promisedFloats } from '../../../../src/base/float-profile.ts';
import type { Launch } from '../../../../src/base/launch.ts';
import { runOnCpu } from '../../../../src/cpu-ref/executor.ts';
import { makeJob, readAnswer } from '../../../../src/harness/executors/kernel-job.ts';
import { loadKernel, parseModule } from '../../../../src/harness/executors/load-kernel.ts';
import { entriesOf } from '../../../../src/harness/infer/index.ts';
import { planFor, translate } from '../../../../src/translate/index.ts';
import { parseProgram } from '../../../../src/translate/ir/parse.ts';
import { printProgram } from '../../../../src/translate/ir/print.ts';
import { exactFloats } from '../../../lockstep/float-profiles.ts';
import { runWgsl } from '../../../wgsl-interpreter/index.ts';

const threads = 32;
const rounds = 12;

/**
 * Returns sums, products and multiply-adds with several roundings, whose operands are earlier
 * results.
 */
const mixed = (type: 'f32' | 'f64'): string =>
  Array.from(
    { length: rounds },
    () => `  mul.rn.${type} %x1, %x0, %x2;
  add.rz.${type} %x2, %x1, %x3;
  fma.rn.${type} %x0, %x2, %x3, %x1;
  sub.rn.${type} %x3, %x0, %x2;`,
  ).join('\n');

/** Loads %x0 to %x3, executes `body`, and stores them. */
function kernel(type: 'f32' | 'f64', body: string): string {
  const bytes = type === 'f32' ? 4 : 8;
  return `.version 8.0
.target sm_80
.address_size 64
.visible .entry mixed(.param .u64 input, .param .u64 result)
{
  .reg .${type} %x<4>;
  .reg .b32 %t;
  .reg .b64 %i, %o, %p;
  ld.param.u64 %i, [input];
  ld.param.u64 %o, [result];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %p, %t, ${4 * bytes};
  add.s64 %i, %i, %p;
  add.s64 %o, %o, %p;
${[0, 1, 2, 3].map((k) => `  ld.global.${type} %x${k}, [%i+${k * bytes}];`).join('\n')}
${body}
${[0, 1, 2, 3].map((k) => `  st.global.${type} [%o+${k * bytes}], %x${k};`).join('\n')}
  ret;
}
`;
}

const special = [0, -0, 1e-40, -1e-45, Number.POSITIVE_INFINITY, Number.NaN, 1e-38, 3e38];
const number = (index: number): number =>
  index % 7 === 3 ? (special[(index >> 3) % special.length] ?? 0) : Math.sin(index * 12.9898) * 2 ** (index % 5);

test.each(['f32', 'f64'] as const)('loops over %s operations return their bits', (type) => {
  const { text, loops } = compare(kernel(type, mixed(type)), type);
  // Each rounding of a function has its own copy in the loop, and there is no other call.
  expect(loops).toBe(1);
  expect(printProgram(parseProgram(text).program)).toBe(text);
});

test('a loop reads results of an earlier loop that lose their subnormals between its calls', () => {
  // The first operation with .ftz starts a loop. The others follow it, so their operands are
  // flushed among its calls.
  const body = Array.from({ length: rounds }, () =>
    [
      ...[1, 2, 3].map((k) => `  mul.rn.f32 %x${k}, %x${k}, %x0;`),
      ...[1, 2, 3].map((k) => `  fma.rn.ftz.f32 %x0, %x${k}, %x0, %x0;`),
    ].join('\n'),
  ).join('\n');
  const { loops } = compare(kernel('f32', body), 'f32', 'kept');
  expect(loops).toBeGreaterThan(1);
});

test('a function with many operations on hardware has loops as exact paths of shared guards', () => {
  const body = Array.from({ length: 300 }, (_, index) => `  fma.rn.f32 %x${index % 2}, %x2, %x3, %x${index % 2};`);
  const { loops } = compare(kernel('f32', body.join('\n')), 'f32', 'flushed', 'fused');
  expect(loops).toBeGreaterThan(0);
});

// Triton and Inductor mix operations with and without .ftz.
test.each([
  'inductor/logcumsumexp_4ea713',
  'inductor/train_bf16_d01c43',
  'triton/attention_backward',
  'triton/attention_bf16',
  'triton/attention_f16',
  'triton/cross_entropy',
])('loops of %s define all values', (name) => {
  const file = join(import.meta.dirname, `../../../kernels/${name}.ptx`);
  const module = parseModule(readFileSync(file, 'utf8'), file);
  for (const { name: entry } of entriesOf(module)) {
    const float = { mode: 'exact', ...promisedFloats } as const;
    const { program } = translate(module, { entry, block: [32, 1, 1], plan: planFor(32), float, verify: true });
    expect(program?.code).toMatch(/= steps\w*\(/);
  }
});

/** Compares a kernel with the reference, and returns its legal form and the number of its loops. */
function compare(
  ptx: string,
  type: 'f32' | 'f64',
  denormals: 'flushed' | 'kept' = 'flushed',
  fma: 'fused' | 'unfused' = 'unfused',
): { readonly text: string; readonly loops: number } {
  const count = threads * 4;
  const values = Array.from({ length: count }, (_, index) => number(index));
  const data = new Uint8Array((type === 'f32' ? Float32Array.from(values) : Float64Array.from(values)).buffer);
  const launch: Launch = {
    id: 'mixed', group: 'test', ptx, ptxFile: 'mixed.ptx', entry: 'mixed', grid: [1, 1, 1], block: [threads, 1, 1], sharedBytes: 0,
    params: [
      { name: 'input', kind: 'buffer', type, bytes: data.length, data },
      { name: 'result', kind: 'buffer', type, bytes: data.length },
    ],
  }; // biome-ignore format: a table
  let text = '';
  const { program } = translate(loadKernel(launch), {
    entry: 'mixed',
    block: launch.block,
    plan: planFor(4),
    float: { ...exactFloats, denormals, fma },
    verify: true,
    observe: (pass, printed) => {
      if (pass === 'legalize') text = printed;
    },
  });
  if (!program) throw new Error('the kernel does not translate');
  const answer = readAnswer(program, launch, runWgsl(makeJob(program, launch), { subgroupSize: 4 }));
  const words = (outputs: ReadonlyMap<number, Uint8Array>) => [
    ...new Uint32Array((outputs.get(1) ?? new Uint8Array()).slice().buffer),
  ];
  expect(words(answer.outputs)).toEqual(words(runOnCpu(launch).outputs));
  return { text, loops: text.match(/ = steps "/g)?.length ?? 0 };
}
