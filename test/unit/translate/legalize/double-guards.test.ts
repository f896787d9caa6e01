// Kernels of random f64 operations with repeats, so that one test covers many operations. They
// return the bits of the reference.
import { describe, expect, test } from 'vitest';
import { compareOutputs } from '../../../../src/harness/compare/compare.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { loadKernel } from '../../../../src/harness/executors/load-kernel.ts';
import { planFor, translate } from '../../../../src/translate/index.ts';
import { effort } from '../../../effort.ts';
import { exactFloats } from '../../../lockstep/float-profiles.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';
import { generator, type Random } from '../../../lockstep/random-instructions.ts';

const threads = 32;
const registers = 6;
const kernels = effort(16, 400);

const special = [0, -0, 5e-324, -1e-310, 2.3e-308, Number.POSITIVE_INFINITY, Number.NaN, 1e-200, -1e200, 1.7e308];

/**
 * Draws numbers for which most operations return ordinary numbers. Every fourth thread has a
 * special number.
 */
function inputs(random: Random): Float64Array {
  return Float64Array.from({ length: threads * registers }, (_, index) => {
    const thread = Math.floor(index / registers);
    if (thread % 4 === 3 && index % registers === random(registers)) return special[random(special.length)] ?? 0;
    const size = (1 + random(2 ** 31) * 2 ** -31) * 2 ** (random(8) - 4) * (1 + random(2 ** 20) * 2 ** -50);
    return random(3) === 0 ? -size : size;
  });
}

const forms = [
  'add.f64 D, A, B;',
  'sub.f64 D, A, B;',
  'mul.f64 D, A, B;',
  'fma.rn.f64 D, A, B, C;',
  'fma.rn.f64 D, A, B, C;',
  'fma.rn.f64 D, A, A, C;',
  'div.rn.f64 D, A, B;',
  'sqrt.rn.f64 D, A;',
  'neg.f64 D, A;',
  'abs.f64 D, A;',
  'max.f64 D, A, B;',
  'setp.lt.f64 %p, A, B; selp.f64 D, B, C, %p;',
  'mul.rz.f64 D, A, B;',
  'add.f64 D, A, 0d3FF8000000000000;',
  'mul.f64 D, A, 0d0010000000000000;',
];

/** The operations of a repeated group. They read the registers that they write, so none is dead. */
const turnForms = [
  'add.f64 D, D, A;',
  'sub.f64 D, A, D;',
  'mul.f64 D, D, A;',
  'fma.rn.f64 D, A, B, D;',
  'fma.rn.f64 D, D, A, B;',
  'div.rn.f64 D, D, A;',
  'neg.f64 %n, A; mul.f64 D, D, %n;',
];

function operation(random: Random, from: readonly string[]): string {
  const pick = () => `%d${random(registers)}`;
  const result = pick();
  return (from[random(from.length)] ?? '').replace(/D(?=[,;])/g, result).replace(/[ABC](?=[,;])/g, pick);
}

/**
 * Draws operations with stores of intermediate values between them, or a few operations repeated
 * many times.
 */
function body(random: Random): readonly string[] {
  if (random(2) === 0) {
    const turn = Array.from({ length: 3 + random(8) }, () => operation(random, turnForms));
    const each = random(2) === 0 ? ['  ld.global.f64 %d5, [%i+OFFSET];'] : [];
    const kept = random(4);
    return Array.from({ length: 4 + random(6) }, (_, at) =>
      [...each, ...turn, ...(at === kept ? [`mov.f64 %s, %d${random(registers)};`] : [])].map((line) =>
        line.replace('OFFSET', String((at % registers) * 8)),
      ),
    ).flat();
  }
  return Array.from({ length: 3 + random(24) }, (_, at) =>
    at % 9 === 8 ? `st.global.f64 [%o+${random(registers) * 8}], %d${random(registers)};` : operation(random, forms),
  );
}

function kernel(random: Random): string {
  const all = Array.from({ length: registers }, (_, k) => k);
  return `.version 8.0
.target sm_80
.address_size 64
.visible .entry doubles(.param .u64 input, .param .u64 result)
{
  .reg .f64 %d<${registers}>;
  .reg .f64 %n, %s;
  .reg .pred %p;
  .reg .b32 %t;
  .reg .b64 %i, %o, %q;
  ld.param.u64 %i, [input];
  ld.param.u64 %o, [result];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %q, %t, ${registers * 8};
  add.s64 %i, %i, %q;
  add.s64 %o, %o, %q;
${all.map((k) => `  ld.global.f64 %d${k}, [%i+${k * 8}];`).join('\n')}
  mov.f64 %s, %d0;
  ${body(random).join('\n  ')}
  add.f64 %d0, %d0, %s;
${all.map((k) => `  st.global.f64 [%o+${k * 8}], %d${k};`).join('\n')}
  ret;
}
`;
}

describe('random f64 operations', () => {
  const random = generator(31);
  const found = { ordinary: 0, turns: 0, steps: 0 };
  test.each(Array.from({ length: kernels }, (_, k) => k))('kernel %i', async () => {
    const data = new Uint8Array(inputs(random).buffer);
    const launch = {
      id: 'doubles', group: 'test', ptx: kernel(random), ptxFile: 'doubles.ptx', entry: 'doubles', sharedBytes: 0,
      grid: [1, 1, 1] as const, block: [threads, 1, 1] as const,
      params: [
        { name: 'input', kind: 'buffer' as const, type: 'f64' as const, bytes: data.length, data },
        { name: 'result', kind: 'buffer' as const, type: 'f64' as const, bytes: data.length },
      ],
    }; // biome-ignore format: a table
    const { program } = translate(loadKernel(launch), {
      entry: 'doubles',
      block: launch.block,
      plan: planFor(threads),
      float: { ...exactFloats, mode: 'fast' },
    });
    const code = program?.code ?? '';
    if (code.includes('= f64_ordinary_')) found.ordinary += 1;
    if (code.includes('switch turn')) found.turns += 1;
    if (code.includes('switch step')) found.steps += 1;
    const wanted = await cpuExecutor().run(launch);
    const { outputs } = await lockstepExecutor(threads).run(launch);
    const { mismatches, first } = compareOutputs(launch, wanted.outputs, outputs);
    expect({ mismatches, first, ptx: mismatches > 0 ? launch.ptx : '' }).toEqual({
      mismatches: 0,
      first: undefined,
      ptx: '',
    });
  });

  test('covered every form', () => {
    expect(Math.min(found.ordinary, found.turns, found.steps)).toBeGreaterThan(0);
  });
});
