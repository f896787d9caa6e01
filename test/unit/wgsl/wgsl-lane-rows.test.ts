// Every lane instruction, translated and run by the WGSL interpreter, against the reference.
import { describe, expect, test } from 'vitest';
import type { FloatProfile } from '../../../src/base/float-profile.ts';
import { helpers } from '../../../src/wgsl/helpers.ts';
import { isLong, selection } from '../../effort.ts';
import { firstDifference } from '../../lane-rows/judge.ts';
import { isHalf, type LaneCase, type Presentation } from '../../lane-rows/kernel.ts';
import { randomWords, sourceVectors } from '../../lane-rows/operand-values.ts';
import { laneJob } from '../../lane-rows/shader.ts';
import { type Variant, variants } from '../../lane-rows/variants.ts';
import { exactFloats, flushedFloats } from '../../lockstep/float-profiles.ts';
import { runWgsl } from '../../wgsl-interpreter/index.ts';

interface Adapter {
  readonly float: FloatProfile;
  /**
   * Rewrites the shader to compute as the adapter would. The interpreter itself follows IEEE 754.
   */
  readonly degrade?: (code: string) => string;
}

const adapters: Readonly<Record<string, Adapter>> = {
  'an exact adapter': {
    float: exactFloats,
  },
  'an adapter without trusted operations': {
    float: { mode: 'exact', denormals: 'flushed', fma: 'unfused', contracts: true, div: 'approx', sqrt: 'approx' },
  },
  'an adapter that flushes, fuses, and divides approximately': {
    float: flushedFloats,
    degrade: flushAndBlur,
  },
};

/** Hardware operations in the prelude, and their replacements by `flushAndBlur`. */
const degraded: readonly (readonly [hardware: string, result: string])[] = [
  ['let result = a + b;', 'let result = hw(hw(a) + hw(b));'],
  ['let result = a - b;', 'let result = hw(hw(a) - hw(b));'],
  ['let result = a * b;', 'let result = hw(hw(a) * hw(b));'],
  ['bf16_to_f32(a) + bf16_to_f32(b);', 'hw(hw(bf16_to_f32(a)) + hw(bf16_to_f32(b)));'],
  ['bf16_to_f32(a) * bf16_to_f32(b);', 'hw(hw(bf16_to_f32(a)) * hw(bf16_to_f32(b)));'],
  [
    'bf16_to_f32(a) * bf16_to_f32(b) + bf16_to_f32(c);',
    'hw(hw(hw(bf16_to_f32(a)) * hw(bf16_to_f32(b))) + hw(bf16_to_f32(c)));',
  ],
  ['let result = fma(a, b, c);', 'let result = hw(fma(hw(a), hw(b), hw(c)));'],
  ['let result = max(a, b);', 'let result = hw(max(hw(a), hw(b)));'],
  ['let result = min(a, b);', 'let result = hw(min(hw(a), hw(b)));'],
  ['1.0 / b)', '(1.0 / b) * 1.0000002)'],
  ['(inverseSqrt(a))', '(inverseSqrt(a) * 0.9999998)'],
  ['return exp2(x);', 'return hw(exp2(x) * 1.0000001);'],
  ['f32(n) / f32(d)', '(f32(n) / f32(d)) * 1.0000004'],
  ['sqrt(f32(m << 1u))', 'sqrt(f32(m << 1u)) * 0.9999997'],
];

const HW = `
fn hw(a: f32) -> f32 {
  let bits = bitcast<u32>(a);
  return bitcast<f32>(select(bits, bits & 0x80000000u, (bits & 0x7f800000u) == 0u));
}
`;

function flushAndBlur(code: string): string {
  return HW + degraded.reduce((text, [hardware, result]) => text.replaceAll(hardware, result), code);
}

const PRESENTATIONS: readonly Presentation[] = ['declared', 'crossed', 'constantLast', 'constant'];
const VECTORS = 64;
const SEED = 20;

/**
 * Returns the presentations of a form's operands. A short run uses registers and one of the others,
 * in turn.
 */
function presentationsOf(index: number): readonly Presentation[] {
  const [declared = 'declared', ...others] = PRESENTATIONS;
  return isLong ? PRESENTATIONS : [declared, others[index % others.length] ?? declared];
}

function differences(forms: readonly Variant[], adapter: Adapter): string[] {
  const { float, degrade = (code) => code } = adapter;
  const random = randomWords(SEED);
  const cases = forms.flatMap((variant, index) =>
    presentationsOf(index).map((presentation): LaneCase => {
      const count = presentation === 'constant' ? 1 : VECTORS;
      return { variant, presentation, vectors: sourceVectors(variant, count, random) };
    }),
  );
  const lane = laneJob('lane rows', cases, float, VECTORS);
  const result = runWgsl({ ...lane.job, code: degrade(lane.job.code) }, { subgroupSize: 64 });
  return lane.read(result).flatMap(({ laneCase, results }) => firstDifference(laneCase, results) ?? []);
}

const rowNames = [...new Set(variants.map(({ row }) => row))];
const usesFloat = (forms: readonly Variant[]): boolean =>
  forms.some(({ sources, results }) => [...sources, ...results].some(({ type }) => type === 'f32' || isHalf(type)));
/**
 * Whether a row compares f16 or bf16. Such comparisons use only bit operations, so they are tested
 * on the first adapter only.
 */
const comparesHalves = (row: string): boolean => /^setp?\.(bool\.)?(b?f16|half)/.test(row);
/**
 * The maximum number of forms of a row in a short run on one adapter. Some rows have hundreds, and
 * forms of video instructions share their building blocks.
 */
const mostForms = (isExact: boolean, row: string): number => (/^v[a-z]+[24]?$/.test(row) ? 1 : isExact ? 2 : 1);

describe.each(Object.entries(adapters))(`on %s (seed ${SEED})`, (name, adapter) => {
  const place = Object.keys(adapters).indexOf(name);
  for (const [index, row] of rowNames.entries()) {
    const all = variants.filter((variant) => variant.row === row);
    if (place > 0 && (!usesFloat(all) || comparesHalves(row))) continue;
    // In a short run, each row is tested on one of the other two adapters, in turn.
    if (place > 0 && !isLong && index % 2 === place % 2) continue;
    const forms = selection(
      all,
      mostForms(adapter === adapters['an exact adapter'], row),
      ({ results }) => results[0]?.type ?? '',
    );
    test(row, () => expect(differences(forms, adapter)).toEqual([]));
  }
});

test('the degraded operations are those of the prelude', () => {
  const prelude = Object.values(helpers).map(({ code }) => code);
  for (const [hardware] of degraded) expect(prelude.join('\n')).toContain(hardware);
});

// Fast mode may change subnormals and the bits of NaNs, but not ordinary numbers.
test('fast mode agrees on ordinary numbers', () => {
  const forms = variants.filter(({ row, mods }) => {
    return /^(add|sub|mul|fma|div|rcp|sqrt|neg|abs)\.f32$/.test(row) && (mods.rnd ?? 'rn') === 'rn';
  });
  const random = randomWords(SEED);
  const ordinary = (): number => 0x3f000000 + (random() % 0x1000000);
  const cases = forms.map((variant): LaneCase => {
    const vectors = Array.from({ length: VECTORS }, () => variant.sources.map(ordinary));
    return { variant, presentation: 'declared', vectors };
  });
  const float: FloatProfile = {
    mode: 'fast',
    denormals: 'flushed',
    fma: 'fused',
    contracts: true,
    div: 'approx',
    sqrt: 'approx',
  };
  const lane = laneJob('fast', cases, float, VECTORS);
  expect(lane.job.code).not.toContain('soft_');
  const result = runWgsl(lane.job, { subgroupSize: 64 });
  expect(lane.read(result).flatMap(({ laneCase, results }) => firstDifference(laneCase, results) ?? [])).toEqual([]);
});
