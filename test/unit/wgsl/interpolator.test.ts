// Approximations by interpolation with the bits of an H200. The reference is compared with digests
// of hardware results (those of f16 and bf16 are in cpu-ref-half-h200.json), and the prelude's
// functions with the reference.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { laneFunctions } from '../../../src/cpu-ref/index.ts';
import type { LaneRowName } from '../../../src/isa/index.ts';
import { type HelperName, renderHelpers } from '../../../src/wgsl/helpers.ts';
import { isLong } from '../../effort.ts';
import { generator } from '../../lockstep/random-instructions.ts';
import { runWgsl } from '../../wgsl-interpreter/index.ts';

interface Approximation {
  readonly row: LaneRowName;
  readonly helper: HelperName;
  /** The number of upper words in a period, from the upper word of 1 on. */
  readonly period: number;
  /** Digests of the results, as words: for all upper words, and for every 1021st. */
  readonly all: string;
  readonly some: string;
}

const approximations: readonly Approximation[] = [
  {
    row: 'rcp.approx.ftz.f64',
    helper: 'f64_rcp_approx',
    period: 2 ** 20,
    all: '4b54abfb3f30c97d',
    some: '03de2bc5b8d9208a',
  },
  {
    row: 'rsqrt.approx.ftz.f64',
    helper: 'f64_rsqrt_approx',
    period: 2 ** 21,
    all: 'e1a7bbd93c95a0db',
    some: '38655564100ddbbf',
  },
];

/** Returns the upper word of the reference's result for an upper word. */
function expected({ row }: Approximation, word: number): number {
  const [result = 0] = laneFunctions[row]({}, [BigInt(word) << 32n]);
  return Number(BigInt(result) >> 32n);
}

function ask(helper: HelperName, words: Uint32Array): Uint32Array {
  const code = `
@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;
${renderHelpers([helper])}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  results[id.x] = ${helper}(words[id.x]);
}`;
  const { byteLength: bytes } = words;
  const { buffers } = runWgsl(
    {
      label: helper,
      code,
      entryPoint: 'main',
      buffers: [
        { binding: 0, kind: 'read-only-storage', bytes, data: new Uint8Array(words.buffer), read: false },
        { binding: 1, kind: 'storage', bytes, read: true },
      ],
      workgroups: [words.length / 64, 1, 1],
    },
    { subgroupSize: 64, flushes: true },
  );
  const result = buffers.get(1) ?? new Uint8Array();
  return new Uint32Array(result.buffer, result.byteOffset, result.byteLength / 4);
}

/** Rows whose argument is in the lower half of a word. */
const halves: readonly (readonly [LaneRowName, HelperName, string])[] = [
  ['ex2.approx.f16', 'f16_ex2', 'f16'],
  ['ex2.approx.bf16', 'bf16_ex2', 'bf16'],
  ['tanh.approx.f16', 'f16_tanh', 'f16'],
  ['tanh.approx.bf16', 'bf16_tanh', 'bf16'],
];

test.each(halves)('%s of the prelude equals the reference', (row, helper, type) => {
  const step = isLong ? 1 : 63;
  const words = Uint32Array.from({ length: 64 * Math.floor(1024 / step) }, (_, i) => step * i);
  const results = ask(helper, words);
  const wrong = [...words].filter((word, i) => results[i] !== laneFunctions[row]({ type }, [word])[0]);
  expect(wrong).toEqual([]);
});

test('tanh.approx.f32 of the prelude equals the reference', () => {
  const random = generator(29);
  const anywhere = (): number => (random(2 ** 16) << 16) | random(2 ** 16);
  // Numbers in each binade from 2^-9 to below 16.
  const near = (i: number): number => ((random(2) << 31) | ((118 + (i % 13)) << 23) | random(2 ** 23)) >>> 0;
  const words = Uint32Array.from({ length: 1024 }, (_, i) => (i % 4 === 0 ? anywhere() : near(i)));
  const results = ask('interpolated_tanh', words);
  const wrong = [...words].filter((word, i) => results[i] !== laneFunctions['tanh.approx.f32']({}, [word])[0]);
  expect(wrong).toEqual([]);
});

describe.each(approximations)('$row', (approximation) => {
  const { period, helper, all, some } = approximation;

  test('the reference equals an H200', () => {
    const step = isLong ? 1 : 1021;
    const words = Uint32Array.from({ length: Math.ceil(period / step) }, (_, i) => 0x3ff0_0000 + step * i);
    const results = words.map((word) => expected(approximation, word));
    expect(createHash('sha256').update(results).digest('hex').slice(0, 16)).toBe(isLong ? all : some);
  });

  test('the prelude equals the reference', () => {
    const random = generator(23);
    const ofPeriod = (i: number): number => 0x3ff0_0000 + Math.floor((i * period) / 256) + random(period / 256);
    const anywhere = (i: number): number => (random(2 ** 12) << 20) | ([0, 1, 0xf_ffff][i % 4] ?? random(2 ** 20));
    const words = Uint32Array.from({ length: 512 }, (_, i) => (i % 2 === 0 ? ofPeriod(i >> 1) : anywhere(i >> 1)));
    // 2^1022, whose reciprocal is the smallest normal number.
    words[0] = 0x7fd0_0000;
    const results = ask(helper, words);
    const wrong = [...words].filter((word, i) => results[i] !== expected(approximation, word));
    expect(wrong).toEqual([]);
  });
});
