// Generated products of matrices whose sums depend on the hardware: the reference and the shaders
// compute the sums of sm_90.
import { describe, expect, it } from 'vitest';
import { at as element } from '../../../../src/base/invariants.ts';
import { judgeKernel } from '../../../../src/harness/fuzz/judge.ts';
import { kernelOf } from '../../../../src/harness/fuzz/kernels/every-form.ts';
import { generateKernel } from '../../../../src/harness/fuzz/kernels/generate.ts';
import { matrixTemplates } from '../../../../src/harness/fuzz/kernels/matrix-templates.ts';
import { matrixValues, patternOf } from '../../../../src/harness/fuzz/kernels/matrix-values.ts';
import type { MatrixStatement } from '../../../../src/harness/fuzz/kernels/tree.ts';
import { drawn } from '../../../effort.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';

const valuesIn = (matrix?: 'hopper'): ReadonlySet<string> =>
  new Set(
    Array.from({ length: 150 }, (_, index) => generateKernel(5, index, { matrix })).flatMap(({ body }) =>
      body.flatMap((statement) => (statement.kind === 'matrix' ? [statement.values] : [])),
    ),
  );

const products = [...matrixTemplates].flatMap(([row, templates]) =>
  patternOf('any', 'a', templates[0]?.mods.atype ?? 'f16', 'f16') && /^(wmma\.)?mma\.(f|bf|tf|quad)/.test(row)
    ? templates.filter(({ dialects }) => dialects.includes('common'))
    : [],
);
/**
 * The statements have every kind of values in every product. Each kind begins with a different
 * product.
 */
const statements = matrixValues.flatMap((values, index) =>
  products.map((_, at): MatrixStatement => {
    const template = element(products, (at + 29 * index) % products.length, 'a product');
    return { kind: 'matrix', template, values, d: 0, from: index, step: 1 + (at % 5) };
  }),
);

describe('values of matrices', () => {
  it('are those with exact sums, unless all executors have the sums of sm_90', () => {
    expect(valuesIn()).toEqual(new Set(['few', 'addends']));
    expect(valuesIn('hopper')).toEqual(new Set(matrixValues));
  });

  it.each([
    ['large', 'a', 'f16', [{ kept: 0x83ff83ff, set: 0x78007800 }]],
    ['subnormals', 'c', 'f32', [{ kept: 0x807fffff, set: 0 }, { kept: 0x807fffff, set: 0 }]],
    // The elements with even indices are zeros; the others have exponents of -11 to -8.
    ['zerosTimesLarge', 'a', 'f16', [{ kept: 0x8fff8000, set: 0x10000000 }]],
    ['zerosTimesLarge', 'a', 'e5m2', [{ kept: 0x8f808f80, set: 0x10001000 }]],
    ['zerosTimesLarge', 'a', 'tf32', [{ kept: 0x80000000, set: 0 }, { kept: 0x81ffffff, set: 0x3a000000 }]],
  ] as const)('%s of %s in %s', (values, operand, type, words) => {
    expect(patternOf(values === 'large' ? 'largest' : values, operand, type, type)?.words).toEqual(words);
  }); // biome-ignore format: a line each

  const executors = [lockstepExecutor(32, { matrix: 'hopper', flushes: true })];
  const chosen = drawn(statements, 12, ({ values }) => values);
  it.each(
    chosen.map((statement) => [statement.values, Object.values(statement.template.mods).join(' '), statement] as const),
  )('%s agree: %s', async (_, __, statement) => {
    const { disagreement, flaw, compared } = await judgeKernel(kernelOf('matrix', 'common', [statement]), {
      executors,
    });
    expect({ disagreement, flaw }).toEqual({ disagreement: undefined, flaw: undefined });
    expect(compared).toBeGreaterThan(0);
  });
});
