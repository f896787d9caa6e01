// Measures f32 arithmetic: which operations round correctly, and how the adapter handles subnormals
// and NaNs.

import type { GpuJob, GpuShader, JobRunner } from '../device/job.ts';
import { bitsOfF32, exactF32, f32FromBits } from './exact-f32.ts';

/**
 * Whether an operation rounds correctly for every tested operand. Subnormal operands, and results
 * that are subnormal before rounding, only affect `denormals`.
 */
export type Rounding = 'exact' | 'approx';

export interface FloatPreflight {
  /**
   * Whether add and mul preserve subnormal operands and results. Flushing includes a result whose
   * magnitude is below 2^-126 before rounding, even if it would round up to 2^-126.
   */
  readonly denormals: 'kept' | 'flushed';
  readonly add: Rounding;
  readonly mul: Rounding;
  /** `fused` rounds once. `unfused` rounds twice: a multiplication and an addition. */
  readonly fma: 'fused' | 'unfused' | 'approx';
  /**
   * Whether the driver fused a product and a sum despite the guard of exact arithmetic around the
   * product, as in `f32_mul`. Some drivers, including NVIDIA's, fuse a plain `x * y + z`, which
   * exact arithmetic never emits.
   */
  readonly contracts: boolean;
  readonly div: Rounding;
  readonly sqrt: Rounding;
  /** Whether min and max prefer a number to a NaN, and order -0 below +0. */
  readonly extremes?: Rounding;
  /** Whether exp2 is within two ulp for normal results. */
  readonly exp2?: 'close' | 'approx';
  /** Whether NaN results of sums, products, minima and maxima are always 0x7fffffff. */
  readonly nans?: 'canonical' | 'any';
  /**
   * Whether pack2x16float rounds every f32 to the nearest f16, ties to even, and every NaN to
   * 0x7fff.
   */
  readonly packHalf?: Rounding;
  /** Whether load, select and store of an f32 preserve every bit of a NaN. */
  readonly nanPayload: boolean;
}

const RANDOM_TRIPLES = 4096;
const HALF_ROWS = 512;
const WORKGROUP = 64;
const OUTPUTS = ['add', 'mul', 'fma', 'mulAdd', 'div', 'sqrt', 'max', 'min', 'exp2', 'select', 'halves'] as const;
type Output = (typeof OUTPUTS)[number];

/** The hardware operations that groups of exact f32 operations use directly. */
const computed: readonly Output[] = ['add', 'mul', 'fma', 'max', 'min', 'exp2'];
const NVIDIAS_NAN = 0x7fffffff;
const NVIDIAS_HALF_NAN = 0x7fff;
const HALF_INFINITY = 0x7c00;

/**
 * Edge values: zeros, subnormals, the smallest and largest normal numbers, one and its neighbors,
 * infinities, and NaNs.
 */
const NASTY = [
  0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001,
  0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x40490fdb, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
  0x7fc00000, 0x7fc12345, 0xffc12345, 0x00400000,
];

/**
 * Runs one dispatch over triples of edge values and a few thousand random triples, which are the
 * same in every run.
 */
export async function probeFloats(session: JobRunner): Promise<FloatPreflight> {
  const triples = makeTriples();
  const rows = triples.length / 3;
  const bytes = rows * OUTPUTS.length * 4;
  const job: GpuJob = {
    ...floatsShader,
    buffers: [
      {
        binding: 0,
        kind: 'read-only-storage',
        bytes: triples.byteLength,
        data: new Uint8Array(triples.buffer),
        read: false,
      },
      { binding: 1, kind: 'storage', bytes, read: true },
    ],
    workgroups: [Math.ceil(rows / WORKGROUP), 1, 1],
  };
  const { buffers } = await session.run(job);
  const data = buffers.get(1) ?? new Uint8Array(bytes);
  return judge(triples, new Uint32Array(data.buffer, data.byteOffset, bytes / 4));
}

type WrongOutput = 'add' | 'mul' | 'fmaOnce' | 'fmaTwice' | 'div' | 'sqrt' | 'extremes' | 'exp2' | 'packHalf';

/**
 * Returns the measurements, from the triples of operands and the shader's rows of results, as bits.
 */
export function judge(triples: Uint32Array, results: Uint32Array): FloatPreflight {
  // No properties are listed here, because built modules contain this code and it must be short.
  const wrong: Partial<Record<WrongOutput, boolean>> = {};
  const found: Partial<Record<'flushed' | 'contracts' | 'nanLost' | 'otherNan', boolean>> = {};
  for (let row = 0; row * 3 < triples.length; row += 1) {
    const [xBits = 0, yBits = 0, zBits = 0] = triples.subarray(row * 3, row * 3 + 3);
    const [x, y, z] = [f32FromBits(xBits), f32FromBits(yBits), f32FromBits(zBits)];
    const got = (output: Output): number => results[row * OUTPUTS.length + OUTPUTS.indexOf(output)] ?? 0;
    const product = exactF32.mul(x, y);
    const once = exactF32.fma(x, y, z);
    const twice = exactF32.add(product, z);

    const sum = exactF32.add(x, y);
    const quotient = exactF32.div(x, y);
    // Hardware flushes a result that is tiny before rounding, even if it would round up to the
    // smallest normal.
    const isTiny = { product: isDenormal(x * y), quotient: isDenormal(x / y), fma: isDenormal(x * y + z) };
    if (isDenormal(x) || isDenormal(y)) {
      found.flushed ||= !same(got('add'), sum) || !same(got('mul'), product);
    } else {
      if (isDenormal(sum)) found.flushed ||= !same(got('add'), sum);
      else wrong.add ||= !same(got('add'), sum);
      if (isTiny.product) found.flushed ||= !same(got('mul'), product);
      else wrong.mul ||= !same(got('mul'), product);
      if (!isTiny.quotient) wrong.div ||= !same(got('div'), quotient);
      const root = exactF32.sqrt(x);
      wrong.sqrt ||= !same(got('sqrt'), root);
      wrong.extremes ||= !same(got('max'), extreme(Math.max, x, y)) || !same(got('min'), extreme(Math.min, x, y));
      wrong.exp2 ||= !isClose(f32FromBits(got('exp2')), 2 ** x);
    }
    if (![x, y, z, once, twice].some(isDenormal) && !isTiny.product && !isTiny.fma) {
      wrong.fmaOnce ||= !same(got('fma'), once);
      wrong.fmaTwice ||= !same(got('fma'), twice);
      found.contracts ||= !same(got('mulAdd'), twice) && same(got('mulAdd'), once);
    }
    found.otherNan ||= computed.some((output) => Number.isNaN(f32FromBits(got(output))) && got(output) !== NVIDIAS_NAN);
    wrong.packHalf ||= !isHalf(got('halves') & 0xffff, xBits) || !isHalf(got('halves') >>> 16, yBits);
    // `select` only copies x, so every bit of the NaN must remain.
    if (Number.isNaN(x)) found.nanLost ||= got('select') !== xBits;
  }
  const rounding = (isWrong = false): Rounding => (isWrong ? 'approx' : 'exact');
  const unfused = wrong.fmaTwice ? 'approx' : 'unfused';
  return {
    denormals: found.flushed ? 'flushed' : 'kept',
    add: rounding(wrong.add),
    mul: rounding(wrong.mul),
    fma: wrong.fmaOnce ? unfused : 'fused',
    contracts: found.contracts === true,
    div: rounding(wrong.div),
    sqrt: rounding(wrong.sqrt),
    extremes: rounding(wrong.extremes),
    exp2: wrong.exp2 ? 'approx' : 'close',
    nans: found.otherNan ? 'any' : 'canonical',
    packHalf: rounding(wrong.packHalf),
    nanPayload: !found.nanLost,
  };
}

/**
 * Whether a result is the expected number. All NaNs count as equal, because no specification
 * defines the payload of a computed NaN.
 */
function same(bits: number, expected: number): boolean {
  return Number.isNaN(expected) ? Number.isNaN(f32FromBits(bits)) : bits === bitsOfF32(expected);
}

/**
 * Whether 16 bits are the f16 nearest to an f32, ties to even. A NaN must be NVIDIA's canonical
 * NaN.
 */
function isHalf(half: number, bits: number): boolean {
  const value = Math.abs(f32FromBits(bits));
  if (Number.isNaN(value)) return half === NVIDIAS_HALF_NAN;
  // The sum with 2^52 is rounded to an integer. A carry out of the fraction increases the exponent.
  const positive = bits & 0x7fffffff;
  const nearest =
    value < 2 ** -14
      ? value * 2 ** 24 + 2 ** 52 - 2 ** 52
      : Math.min(HALF_INFINITY, (positive - 0x38000000 + 0xfff + ((positive >> 13) & 1)) >>> 13);
  return half === (nearest | ((bits >>> 31) << 15));
}

/**
 * Returns the maximum or minimum; a number if one operand is a NaN. `Math.max` and `Math.min` order
 * zeros by sign, but return a NaN if one operand is a NaN.
 */
function extreme(of: (x: number, y: number) => number, x: number, y: number): number {
  if (Number.isNaN(x)) return y;
  return Number.isNaN(y) ? x : of(x, y);
}

/**
 * Whether an f32 is within two steps of the nearest f32 to a positive result. Infinities and NaNs
 * must match exactly. If the result is subnormal, any finite value is accepted.
 */
function isClose(value: number, expected: number): boolean {
  const nearest = Math.fround(expected);
  if (Number.isNaN(expected) || !Number.isFinite(nearest)) return Object.is(value, nearest);
  return expected < 2 ** -126 || Math.abs(bitsOfF32(value) - bitsOfF32(nearest)) <= 2;
}

function isDenormal(value: number): boolean {
  return value !== 0 && Math.abs(value) < 2 ** -126;
}

/**
 * Returns rows of x, y, z as bits. First are all pairs of edge values with a third edge value, then
 * random numbers of three kinds, then numbers at ties of f16.
 */
function makeTriples(): Uint32Array<ArrayBuffer> {
  const bits: number[] = [];
  NASTY.forEach((x, i) => {
    NASTY.forEach((y, j) => {
      bits.push(x, y, NASTY[(i + j) % NASTY.length] ?? 0);
    });
  });
  const random = xorshift(0x9e3779b9);
  // The random numbers have three kinds: arbitrary bits; similar exponents, which make fusion and
  // cancellation visible; and small numbers near the subnormals.
  const near = (): number => (random() & 0x807fffff) | ((120 + (random() % 16)) << 23);
  const small = (): number => (random() & 0x807fffff) | ((random() % 70) << 23);
  for (let i = 0; i < RANDOM_TRIPLES; i += 1) {
    const make = [random, near, small][i % 3] ?? random;
    const [x, y] = [make(), make()];
    // In every fourth case, the third operand nearly cancels the product.
    const z = i % 4 === 0 ? bitsOfF32(-exactF32.mul(f32FromBits(x), f32FromBits(y))) : make();
    bits.push(x, y, z);
  }
  for (let i = 0; i < HALF_ROWS; i += 1) {
    // A number of 12 bits is halfway between two f16, or two subnormal f16. The next numbers are
    // also tested.
    const tie = bitsOfF32((2 * (random() % 2048) + 1) * 2 ** ((i % 40) - 25)) + (i % 3) - 1;
    bits.push(tie, tie ^ 0x80000000, 0);
  }
  return Uint32Array.from(bits);
}

/** Marsaglia's 32-bit xorshift. */
function xorshift(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

const SHADER = `
struct Triple { x: f32, y: f32, z: f32 }
struct Results { computed: array<u32, 9>, chosen: f32, halves: u32 }
@group(0) @binding(0) var<storage, read> triples: array<Triple>;
@group(0) @binding(1) var<storage, read_write> results: array<Results>;

// A guarded product, as exact arithmetic emits it. If hardware's product is ordinary, it is the
// result; otherwise the result is another value.
fn guarded_product(x: f32, y: f32) -> f32 {
  let product = x * y;
  if ((bitcast<u32>(product) & 0x7f800000u) - 0x0d800000u < 0x72000000u) {
    return product;
  }
  return other_product(x, y);
}

// The same product from other factors, so that compilers do not recognize the two as equal.
fn other_product(x: f32, y: f32) -> f32 {
  if (abs(x) > 1.0) {
    return (x * 0.5) * (y * 2.0);
  }
  return (x * 2.0) * (y * 0.5);
}

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= arrayLength(&triples)) { return; }
  let t = triples[id.x];
  results[id.x] = Results(array(
    bitcast<u32>(t.x + t.y),
    bitcast<u32>(t.x * t.y),
    bitcast<u32>(fma(t.x, t.y, t.z)),
    bitcast<u32>(guarded_product(t.x, t.y) + t.z),
    bitcast<u32>(t.x / t.y),
    bitcast<u32>(sqrt(t.x)),
    bitcast<u32>(max(t.x, t.y)),
    bitcast<u32>(min(t.x, t.y)),
    bitcast<u32>(exp2(t.x))),
    select(t.y, t.x, id.x < arrayLength(&results)),
    pack2x16float(vec2f(t.x, t.y)));
}
`;

/** The shader of `probeFloats`. */
export const floatsShader: GpuShader = {
  label: 'preflight floats',
  code: SHADER,
  entryPoint: 'main',
  buffers: [
    { binding: 0, kind: 'read-only-storage' },
    { binding: 1, kind: 'storage' },
  ],
};
