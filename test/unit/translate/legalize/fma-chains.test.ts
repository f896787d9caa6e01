// Chains of fused multiply-adds, each the addend or a factor of the next one: their bits on three
// kinds of adapters, with subnormals, infinities and NaNs anywhere in the chain.
import { describe, expect, test } from 'vitest';
import type { FloatProfile } from '../../../../src/base/float-profile.ts';
import type { Launch } from '../../../../src/base/launch.ts';
import { runOnCpu } from '../../../../src/cpu-ref/executor.ts';
import { makeJob, readAnswer } from '../../../../src/harness/executors/kernel-job.ts';
import { loadKernel } from '../../../../src/harness/executors/load-kernel.ts';
import { planFor, translate } from '../../../../src/translate/index.ts';
import { exactFloats } from '../../../lockstep/float-profiles.ts';
import { runWgsl } from '../../../wgsl-interpreter/index.ts';

const threads = 32;
/** The number of links: two parts of eight links, one of four, and two single links. */
const links = 22;
const chains = 5;

/**
 * The shapes of a chain: a sum, and a polynomial with the previous link on either side of the
 * product.
 */
const shapes = {
  addend: (a: string, b: string, s: string) => `${a}, ${b}, ${s}`,
  left: (a: string, b: string, s: string) => `${s}, ${a}, ${b}`,
  right: (a: string, b: string, s: string) => `${a}, ${s}, ${b}`,
} as const;
type Shape = keyof typeof shapes;

/**
 * Computes `chains` sums of `links` products, link by link. All factors come from one table, so
 * each factor is in many chains.
 */
function kernel(ftz: string, shape: Shape): string {
  const steps: string[] = [];
  for (let link = 0; link < links; link++)
    for (let chain = 0; chain < chains; chain++)
      steps.push(
        `  fma.rn${ftz}.f32 %s${chain}, ${shapes[shape](`%a${(link + chain) % 16}`, `%a${(link * 7 + chain * 3) % 16}`, `%s${chain}`)};`,
      );
  const each = (text: (chain: number) => string): string =>
    Array.from({ length: chains }, (_, k) => text(k)).join('\n');
  return `.version 8.0
.target sm_80
.address_size 64
.visible .entry chains(.param .u64 input, .param .u64 result)
{
  .reg .f32 %a<16>;
  .reg .f32 %s<${chains}>;
  .reg .b32 %t;
  .reg .b64 %i, %o, %p;
  ld.param.u64 %i, [input];
  ld.param.u64 %o, [result];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %p, %t, 64;
  add.s64 %i, %i, %p;
  mul.wide.u32 %p, %t, ${chains * 4};
  add.s64 %o, %o, %p;
${Array.from({ length: 16 }, (_, k) => `  ld.global.f32 %a${k}, [%i+${k * 4}];`).join('\n')}
${each((k) => `  mov.f32 %s${k}, %a${k};`)}
${steps.join('\n')}
${each((k) => `  st.global.f32 [%o+${k * 4}], %s${k};`)}
  ret;
}
`;
}

/**
 * Returns the factors of each thread: ordinary factors, factors with one special number, or many
 * factors near the subnormal numbers.
 */
function factors(): Float32Array {
  const special = [0, -0, 1e-40, -1e-45, Number.POSITIVE_INFINITY, Number.NaN, 1e-38, 3e38];
  let state = 12;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  return Float32Array.from({ length: threads * 16 }, (_, index) => {
    const [thread, place] = [Math.floor(index / 16), index % 16];
    if (thread >= 24) return random() * (place % 3 === 0 ? 2 ** -70 : 2 ** -60);
    if (thread % 3 > 0 && place === thread % 16) return special[thread % special.length] ?? 0;
    return random() * 4;
  });
}

const flushed = `
fn hw(a: f32) -> f32 {
  let bits = bitcast<u32>(a);
  return bitcast<f32>(select(bits, bits & 0x80000000u, (bits & 0x7f800000u) == 0u));
}
`;

const adapters: readonly (readonly [name: string, float: FloatProfile, degrade: (code: string) => string])[] = [
  ['keeps subnormals', exactFloats, (code) => code],
  [
    'flushes them',
    { ...exactFloats, denormals: 'flushed' },
    (code) => flushed + code.replace(/= fma\((\w+), (\w+), (\w+)\);/g, '= hw(fma(hw($1), hw($2), hw($3)));'),
  ],
  ['fuses nothing', { ...exactFloats, fma: 'unfused' }, (code) => code],
];

describe.each([
  ['', 'addend'],
  ['.ftz', 'addend'],
  ['', 'left'],
  ['.ftz', 'right'],
] as const)('chains of fma.rn%s.f32, each the %s', (ftz, shape) => {
  test.each(adapters)('on an adapter that %s', (_, float, degrade) => {
    const data = new Uint8Array(factors().buffer);
    const launch: Launch = {
      id: 'chains', group: 'test', ptx: kernel(ftz, shape), ptxFile: 'chains.ptx', entry: 'chains', grid: [1, 1, 1], block: [threads, 1, 1], sharedBytes: 0,
      params: [
        { name: 'input', kind: 'buffer', type: 'f32', bytes: data.length, data },
        { name: 'result', kind: 'buffer', type: 'f32', bytes: threads * chains * 4 },
      ],
    }; // biome-ignore format: a table
    const plan = planFor(threads, { subgroupId: true });
    const { program } = translate(loadKernel(launch), {
      entry: 'chains', block: launch.block, grid: launch.grid, sharedBytes: 0, cooperative: false, plan, float,
    }); // biome-ignore format: a table
    if (!program) throw new Error('the kernel does not translate');
    const count = (pattern: RegExp) => program.code.match(pattern)?.length;
    if (float.fma === 'unfused') {
      // 110 links in two loops.
      expect(count(/soft_fma\(/g)).toBe(3);
      expect(count(/= steps\w*\(/g)).toBe(2);
    } else if (shape !== 'addend' && float.denormals === 'flushed' && ftz === '') {
      // The guards of the products share exact paths, each with one copy of the multiply-add.
      expect(count(/= steps\w*\(/g)).toBe(2);
      expect(count(/ f32_fma\(/g)).toBeLessThan(links * chains * 0.2);
    } else if (shape === 'addend') {
      expect(count(/_chain8\(/g)).toBe(2 * chains + 1);
      expect(count(/_chain4\(/g)).toBe(chains + 1);
    }
    const job = makeJob(program, launch);
    const answer = readAnswer(program, launch, runWgsl({ ...job, code: degrade(job.code) }, { subgroupSize: threads }));
    const words = (outputs: ReadonlyMap<number, Uint8Array>) => [
      ...new Uint32Array((outputs.get(1) ?? new Uint8Array()).slice().buffer),
    ];
    expect(words(answer.outputs)).toEqual(words(runOnCpu(launch).outputs));
  });
});
