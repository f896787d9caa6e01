// Every lane instruction's lowering, run by the WGSL interpreter, against the reference.
import { describe, expect, test } from 'vitest';
import type { FloatProfile } from '../../src/wgsl/expr.ts';
import { firstDifference } from '../lane-rows/judge.ts';
import { randomWords, sourceVectors } from '../lane-rows/operand-values.ts';
import { type LaneCase, laneJob, type Presentation } from '../lane-rows/shader.ts';
import { type Variant, variants } from '../lane-rows/variants.ts';
import { runWgsl } from '../wgsl-interpreter/index.ts';

// The interpreter's own arithmetic is exact; the other profile takes the integer paths.
const profiles: Readonly<Record<string, FloatProfile>> = {
  'exact hardware': { mode: 'exact', denormals: 'kept', fma: 'fused', contracts: false, div: 'exact', sqrt: 'exact' },
  'poor hardware': {
    mode: 'exact',
    denormals: 'flushed',
    fma: 'unfused',
    contracts: true,
    div: 'approx',
    sqrt: 'approx',
  },
};

const PRESENTATIONS: readonly Presentation[] = ['declared', 'crossed', 'constantLast', 'constant'];
const VECTORS = 64;
const SEED = 20;

function differences(forms: readonly Variant[], float: FloatProfile): string[] {
  const random = randomWords(SEED);
  const cases = forms.flatMap((variant) =>
    PRESENTATIONS.map((presentation): LaneCase => {
      const count = presentation === 'constant' ? 1 : VECTORS;
      return { variant, presentation, vectors: sourceVectors(variant, count, random) };
    }),
  );
  const lane = laneJob('lane rows', cases, float, VECTORS);
  const { buffers } = runWgsl(lane.job, { subgroupSize: 64 });
  const output = buffers.get(1) ?? new Uint8Array();
  return lane.read(output).flatMap(({ laneCase, results }) => firstDifference(laneCase, results) ?? []);
}

const rowNames = [...new Set(variants.map(({ row }) => row))];
const usesFloat = (forms: readonly Variant[]): boolean =>
  forms.some(({ sources, results }) => [...sources, ...results].some(({ type }) => type === 'f32'));

describe.each(Object.entries(profiles))(`on %s (seed ${SEED})`, (name, float) => {
  for (const row of rowNames) {
    const forms = variants.filter((variant) => variant.row === row);
    if (name === 'poor hardware' && !usesFloat(forms)) continue;
    test(row, () => expect(differences(forms, float)).toEqual([]));
  }
});
