// Chains of fused multiply-adds of f64, each the addend or a factor of the next one, alone and
// interleaved. Also quotients and roots from estimates with the largest error that WGSL allows.
import { describe, expect, test } from 'vitest';
import { compareOutputs } from '../../../../src/harness/compare/compare.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { loadKernel } from '../../../../src/harness/executors/load-kernel.ts';
import { planFor, translate } from '../../../../src/translate/index.ts';
import { renderHelpers } from '../../../../src/wgsl/helpers.ts';
import { effort } from '../../../effort.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';
import { generator, type Random } from '../../../lockstep/random-instructions.ts';
import { runWgsl } from '../../../wgsl-interpreter/index.ts';

const threads = 32;
/** The number of links: two parts of four links and one of three for each chain. */
const links = 11;

const shapes = {
  addend: (a: string, b: string, s: string) => `${a}, ${b}, ${s}`,
  left: (a: string, b: string, s: string) => `${s}, ${a}, ${b}`,
  right: (a: string, b: string, s: string) => `${a}, ${s}, ${b}`,
} as const;

function kernel(shape: keyof typeof shapes): string {
  const step = (link: number, chain: number) =>
    `  fma.rn.f64 %s${chain}, ${shapes[shape](`%a${(link + chain) % 4}`, `%a${(link * 3 + chain) % 4}`, `%s${chain}`)};`;
  return `.version 8.0
.target sm_80
.address_size 64
.visible .entry chains(.param .u64 input, .param .u64 result)
{
  .reg .f64 %a<4>;
  .reg .f64 %s<2>;
  .reg .b32 %t;
  .reg .b64 %i, %o, %p;
  ld.param.u64 %i, [input];
  ld.param.u64 %o, [result];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %p, %t, 32;
  add.s64 %i, %i, %p;
  mul.wide.u32 %p, %t, 16;
  add.s64 %o, %o, %p;
${[0, 1, 2, 3].map((k) => `  ld.global.f64 %a${k}, [%i+${k * 8}];`).join('\n')}
  mov.f64 %s0, %a0;
  mov.f64 %s1, %a1;
${Array.from({ length: links }, (_, link) => `${step(link, 0)}\n${step(link, 1)}`).join('\n')}
  st.global.f64 [%o], %s0;
  st.global.f64 [%o+8], %s1;
  ret;
}
`;
}

/** Draws ordinary numbers, some of which cancel. Every fourth thread has a special number. */
function factors(random: Random): Float64Array {
  const special = [0, -0, 5e-324, -1e-310, Number.POSITIVE_INFINITY, Number.NaN, 1e-200, -1e200];
  return Float64Array.from({ length: threads * 4 }, (_, index) => {
    const thread = index >> 2;
    if (thread % 4 === 3 && index % 4 === (thread >> 2) % 4) return special[thread >> 2] ?? 0;
    return (random(2 ** 16) - 2 ** 15) * 2 ** (thread % 4 === 0 ? -15 : -random(40)) * (1 + random(2 ** 31) * 2 ** -45);
  });
}

// On subgroups of whole warps, a chain becomes a loop, with one test for all operands and results
// of an iteration.
describe.each([
  ['addend', 16, 'fma_chain[34]', 6],
  ['left', 16, 'fma_polynomial[34]', 6],
  ['right', 16, 'fma_chain[34]', 0],
  ['addend', 32, 'ordinary_fma', 2],
  ['left', 32, 'ordinary_fma', 2],
  ['right', 32, 'ordinary_fma', 2],
] as const)('chains of fma.rn.f64, each the %s, in subgroups of %i', (shape, subgroup, name, calls) => {
  test('return the bits of single operations', async () => {
    const data = new Uint8Array(factors(generator(5)).buffer);
    const launch = {
      id: 'chains', group: 'test', ptx: kernel(shape), ptxFile: 'chains.ptx', entry: 'chains', sharedBytes: 0,
      grid: [1, 1, 1] as const, block: [threads, 1, 1] as const,
      params: [
        { name: 'input', kind: 'buffer' as const, type: 'f64' as const, bytes: data.length, data },
        { name: 'result', kind: 'buffer' as const, type: 'f64' as const, bytes: threads * 16 },
      ],
    }; // biome-ignore format: a table
    const float = {
      mode: 'exact',
      denormals: 'flushed',
      fma: 'fused',
      contracts: true,
      div: 'approx',
      sqrt: 'approx',
    } as const;
    const { program } = translate(loadKernel(launch), {
      entry: 'chains',
      block: launch.block,
      plan: planFor(subgroup),
      float,
    });
    expect(program?.code.match(new RegExp(`= f64_${name}\\(`, 'g'))?.length ?? 0).toBe(calls);
    const wanted = await cpuExecutor().run(launch);
    const { mismatches } = compareOutputs(
      launch,
      wanted.outputs,
      (await lockstepExecutor(subgroup).run(launch)).outputs,
    );
    expect(mismatches).toBe(0);
  });
});

const count = effort(256, 16_384);

/**
 * Runs a prelude function on pairs of operands with an estimate that is `off` times its exact
 * value.
 */
function ask(call: string, helper: 'f64_div' | 'f64_sqrt', off: number, operands: Float64Array): Float64Array {
  const code = renderHelpers([helper])
    .replace('32767.9375 / ', `${off} * 32767.9375 / `)
    .replace('inverseSqrt(size)', `inverseSqrt(size) * ${off}`);
  const { buffers } = runWgsl(
    {
      label: helper,
      code: `
@group(0) @binding(0) var<storage, read> operands: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> results: array<vec2<u32>>;
${code}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let both = operands[id.x];
  results[id.x] = ${call};
}`,
      entryPoint: 'main',
      buffers: [
        {
          binding: 0,
          kind: 'read-only-storage',
          bytes: operands.byteLength,
          data: new Uint8Array(operands.buffer),
          read: false,
        },
        { binding: 1, kind: 'storage', bytes: operands.byteLength / 2, read: true },
      ],
      workgroups: [operands.length / 128, 1, 1],
    },
    { subgroupSize: 32, flushes: true },
  );
  const bytes = buffers.get(1) ?? new Uint8Array();
  return new Float64Array(bytes.slice().buffer);
}

/** Draws numbers whose significand is near an end of its range, has few digits, or is arbitrary. */
function significand(random: Random): number {
  const any = 1 + random(2 ** 26) * 2 ** -26 + random(2 ** 26) * 2 ** -52;
  const near = [1 + random(64) * 2 ** -52, 2 - (1 + random(64)) * 2 ** -52, 1 + random(256) * 2 ** -8, any];
  return (near[random(near.length)] ?? any) * 2 ** (random(6) - 3);
}

describe.each([1, 1 + 2 ** -21.7, 1 - 2 ** -21.7])('from estimates of %f times the exact value', (off) => {
  const random = generator(23);
  const operands = Float64Array.from({ length: 2 * count }, () => significand(random));
  const pairs = Array.from({ length: count }, (_, n) => [operands[2 * n] ?? 0, operands[2 * n + 1] ?? 0] as const);

  test('quotients', () => {
    const got = ask('f64_div(both.xy, both.zw)', 'f64_div', off, operands);
    expect([...got]).toEqual(pairs.map(([a, b]) => a / b));
  });

  test('square roots', () => {
    const got = ask('f64_sqrt(both.xy)', 'f64_sqrt', off, operands);
    expect([...got]).toEqual(pairs.map(([a]) => Math.sqrt(a)));
  });
});
