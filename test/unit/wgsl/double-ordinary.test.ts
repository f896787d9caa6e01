// f64 arithmetic on zeros and normal numbers: each result is right, or its exponent shows that it
// may be wrong.
import { describe, expect, test } from 'vitest';
import { fmaDouble } from '../../../src/cpu-ref/lane/double-exact.ts';
import { type HelperName, renderHelpers } from '../../../src/wgsl/helpers.ts';
import { effort } from '../../effort.ts';
import { generator, type Random } from '../../lockstep/random-instructions.ts';
import { runWgsl } from '../../wgsl-interpreter/index.ts';

const count = effort(1024, 32_768);
const view = new DataView(new ArrayBuffer(8));

const bitsOf = (value: number): bigint => {
  view.setFloat64(0, value);
  return view.getBigUint64(0);
};

const exponentOf = (bits: bigint): number => Number((bits >> 52n) & 0x7ffn);

function doubleOf(sign: number, exponent: number, fraction: bigint): number {
  view.setBigUint64(0, (BigInt(sign) << 63n) | (BigInt(exponent) << 52n) | fraction);
  return view.getFloat64(0);
}

/** Runs a prelude function on three operands. */
function ask(call: string, helper: HelperName, operands: Float64Array): BigUint64Array {
  const { buffers } = runWgsl(
    {
      label: helper,
      code: `
@group(0) @binding(0) var<storage, read> operands: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> results: array<vec2<u32>>;
${renderHelpers([helper])}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let a = operands[id.x * 3u];
  let b = operands[id.x * 3u + 1u];
  let c = operands[id.x * 3u + 2u];
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
        { binding: 1, kind: 'storage', bytes: operands.byteLength / 3, read: true },
      ],
      workgroups: [operands.length / 192, 1, 1],
    },
    { subgroupSize: 32, flushes: true },
  );
  const bytes = buffers.get(1) ?? new Uint8Array();
  return new BigUint64Array(bytes.slice().buffer);
}

/**
 * Draws a zero or a normal number of any magnitude or close to that of `near`. Its fraction is
 * arbitrary, near an end of its range, close to that of `near`, or has few digits.
 */
function ordinary(random: Random, near: number): number {
  if (random(24) === 0) return doubleOf(random(2), 0, 0n);
  const any = (BigInt(random(2 ** 26)) << 26n) | BigInt(random(2 ** 26));
  const all = (1n << 52n) - 1n;
  const other = bitsOf(near) & all;
  const shift = BigInt(random(52));
  const fractions = [
    any,
    0n,
    all,
    (any >> shift) << shift,
    any | (all >> shift),
    other,
    (other + BigInt(random(8))) & all,
  ];
  const about = exponentOf(bitsOf(near));
  const exponents = [1 + random(2046), about + random(130) - 65, about + random(5) - 2, 1023 + random(8) - 4];
  const exponent = Math.min(Math.max(exponents[random(4)] ?? 1, 1), 2046);
  return doubleOf(random(2), exponent, fractions[random(fractions.length)] ?? any);
}

function operandsOf(random: Random): Float64Array {
  const triples = Array.from({ length: count }, () => {
    const a = ordinary(random, 1);
    const b = ordinary(random, random(2) === 0 ? a : 1);
    const product = a * b;
    const isOrdinary = exponentOf(bitsOf(product)) % 2047 !== 0 || product === 0;
    const c = isOrdinary && random(4) === 0 ? -product : ordinary(random, isOrdinary ? product : a);
    return [a, b, c];
  });
  return Float64Array.from(triples.flat());
}

const cases: readonly (readonly [HelperName, string, (a: number, b: number, c: number) => bigint])[] = [
  ['f64_ordinary_add', 'a, b', (a, b) => bitsOf(a + b)],
  ['f64_ordinary_sub', 'a, b', (a, b) => bitsOf(a - b)],
  ['f64_ordinary_mul', 'a, b', (a, b) => bitsOf(a * b)],
  ['f64_ordinary_div', 'a, b', (a, b) => bitsOf(a / b)],
  ['f64_ordinary_sqrt', 'a', (a) => bitsOf(Math.sqrt(a))],
  ['f64_ordinary_fma', 'a, b, c', (a, b, c) => fmaDouble(bitsOf(a), bitsOf(b), bitsOf(c), 'rn')],
];

describe.each(cases)('%s', (name, args, wanted) => {
  const operands = operandsOf(generator(7));
  const got = ask(`${name}(${args})`, name, operands);
  const results = Array.from({ length: count }, (_, n) => {
    const [a = 0, b = 0, c = 0] = operands.subarray(n * 3, n * 3 + 3);
    return { a, b, c, got: got[n] ?? 0n, wanted: wanted(a, b, c) };
  });

  test('is right unless its exponent reports otherwise', () => {
    const trusted = results.filter((one) => exponentOf(one.got) < 2046);
    expect(trusted.filter((one) => one.got !== one.wanted)).toEqual([]);
    expect(trusted.length).toBeGreaterThan(count / 4);
  });

  test('reports only results near the ends of the range', () => {
    const isFar = (bits: bigint): boolean => exponentOf(bits) > 1 && exponentOf(bits) < 2046;
    expect(results.filter((one) => exponentOf(one.got) >= 2046 && isFar(one.wanted))).toEqual([]);
  });
});

test('f64_is_ordinary is true of zeros and normal numbers', () => {
  const random = generator(11);
  const values = Array.from({ length: 192 }, () => {
    const fractions = [0n, 1n, 1n << 51n, 1n << 32n, (1n << 52n) - 1n];
    return doubleOf(random(2), [0, 0, 1, 2, 1023, 2046, 2047, 2047][random(8)] ?? 0, fractions[random(5)] ?? 0n);
  });
  const operands = Float64Array.from(values.flatMap((value) => [value, 0, 0]));
  const got = ask('vec2<u32>(u32(f64_is_ordinary(a)), 0u)', 'f64_is_ordinary', operands);
  expect([...got]).toEqual(values.map((value) => (value === 0 || exponentOf(bitsOf(value)) % 2047 !== 0 ? 1n : 0n)));
});
