// The reference of matrix products: the positions of elements against the manual's figures, and
// sums against a different computation.
import { describe, expect, it } from 'vitest';
import { isAllowedElement, type MultiplyRules, multiplyElement, slackOf } from '../../../src/cpu-ref/index.ts';
import { modChoices } from '../../../src/harness/suites/rows/instruction-text.ts';
import {
  elementPlace,
  laneElements,
  type MatrixOperand,
  matrixForm,
  registerCount,
} from '../../../src/isa/fragments.ts';
import { matrixRows } from '../../../src/isa/index.ts';

const form = (shape: string, type: string, sum: string, layouts = {}) =>
  matrixForm({ shape, atype: type, btype: type, ctype: sum, dtype: sum, ...layouts });

/** Shape, type, operand, lane, position; row and column. */
const places: readonly [string, string, MatrixOperand, number, number, number, number][] = [
  ['m16n8k16', 'f16', 'a', 0, 0, 0, 0],
  ['m16n8k16', 'f16', 'a', 0, 2, 8, 0],
  ['m16n8k16', 'f16', 'a', 0, 4, 0, 8],
  ['m16n8k16', 'f16', 'a', 31, 7, 15, 15],
  ['m16n8k16', 'f16', 'a', 6, 5, 1, 13],
  ['m16n8k16', 'f16', 'b', 5, 1, 3, 1],
  ['m16n8k16', 'f16', 'b', 5, 2, 10, 1],
  ['m16n8k16', 'f16', 'c', 9, 3, 10, 3],
  ['m16n8k8', 'bf16', 'a', 7, 3, 9, 7],
  ['m16n8k4', 'tf32', 'a', 30, 1, 15, 2],
  ['m16n8k8', 'tf32', 'a', 13, 2, 3, 5],
  ['m16n8k8', 'tf32', 'b', 13, 1, 5, 3],
  ['m16n8k16', 's8', 'a', 6, 6, 9, 10],
  ['m16n8k32', 's8', 'a', 6, 9, 1, 25],
  ['m16n8k32', 's8', 'b', 6, 5, 25, 1],
  ['m8n8k16', 'u8', 'a', 31, 3, 7, 15],
  ['m8n8k32', 's4', 'b', 31, 7, 31, 7],
  ['m16n8k64', 'u4', 'a', 4, 30, 9, 38],
  ['m8n8k128', 'b1', 'a', 3, 31, 0, 127],
  ['m16n8k256', 'b1', 'a', 1, 100, 8, 164],
  ['m8n8k4', 'f64', 'a', 30, 0, 7, 2],
  ['m8n8k4', 'f64', 'b', 30, 0, 2, 7],
  ['m8n8k4', 'f64', 'c', 30, 1, 7, 5],
  ['m16n8k16', 'f64', 'a', 6, 5, 9, 10],
  ['m16n8k16', 'f64', 'b', 6, 3, 14, 1],
];
const sums: Readonly<Record<string, string>> = { f64: 'f64', f16: 'f32', bf16: 'f32', tf32: 'f32' };

describe('fragments', () => {
  it.each(places)('%s of %s: element of %s in lane %i at %i', (shape, type, operand, lane, position, row, column) => {
    expect(elementPlace(form(shape, type, sums[type] ?? 's32'), operand, lane, position)).toEqual({
      product: 0,
      row,
      column,
    });
  });

  it('of the four products of m8n8k4 are in eight lanes each', () => {
    const layouts = { alayout: 'col', blayout: 'row' };
    const own = form('m8n8k4', 'f16', 'f32', layouts);
    expect(elementPlace(own, 'a', 22, 3)).toEqual({ product: 1, row: 7, column: 2 });
    expect(elementPlace(own, 'b', 22, 3)).toEqual({ product: 1, row: 2, column: 7 });
    expect(elementPlace(own, 'd', 22, 5)).toEqual({ product: 1, row: 4, column: 7 });
    expect(elementPlace(form('m8n8k4', 'f16', 'f16', layouts), 'd', 22, 5)).toEqual({ product: 1, row: 6, column: 5 });
  });

  it('hold every element of every matrix once', () => {
    const choices = matrixRows.flatMap((row) => (row.name.startsWith('mma.') ? modChoices(row) : []));
    for (const mods of choices) {
      const own = matrixForm(mods);
      for (const operand of ['a', 'b', 'c', 'd'] as const) {
        const found = new Set<string>();
        const count = laneElements(own, operand);
        expect(Number.isInteger(registerCount(own, operand))).toBe(true);
        for (let lane = 0; lane < 32; lane++) {
          for (let position = 0; position < count; position++) {
            found.add(JSON.stringify(elementPlace(own, operand, lane, position)));
          }
        }
        expect(found.size).toBe(32 * count);
      }
    }
  });
});

const rules = (a: string, c: string, more: Partial<MultiplyRules> = {}): MultiplyRules => ({
  types: form('m16n8k16', a, c).types,
  satfinite: false,
  op: undefined,
  rounding: 'rn',
  keepsSignOfZero: false,
  ...more,
});
const scratch = new DataView(new ArrayBuffer(8));
const f32 = (value: number): number => {
  scratch.setFloat32(0, value);
  return scratch.getUint32(0);
};

describe('elements of products', () => {
  it('are exact for integers that wrap, and clamped with saturation', () => {
    const a = [0x80, 0xff, 0x7f];
    const b = [0x80, 0x01, 0x02];
    expect(multiplyElement(rules('s8', 's32'), a, b, 1)).toBe(16384 - 1 + 254 + 1);
    expect(multiplyElement(rules('u8', 's32'), a, b, 0xffff_ffff)).toBe(16384 + 255 + 254 - 1);
    expect(multiplyElement(rules('s8', 's32'), a, b, 0x7fff_ffff)).toBe((0x7fff_ffff + 16637) >>> 0);
    expect(multiplyElement(rules('s8', 's32', { satfinite: true }), a, b, 0x7fff_ffff)).toBe(0x7fff_ffff);
    expect(multiplyElement(rules('s8', 's32', { satfinite: true }), [0x80], [0x7f], 0x8000_0000)).toBe(0x8000_0000);
    expect(multiplyElement(rules('s4', 's32'), [8, 7], [8, 15], 0)).toBe(64 - 7);
    expect(multiplyElement(rules('b1', 's32', { op: 'xor' }), [1, 0, 1], [1, 1, 0], 5)).toBe(7);
    expect(multiplyElement(rules('b1', 's32', { op: 'and' }), [1, 0, 1], [1, 1, 0], 5)).toBe(6);
  });

  it('are rounded once', () => {
    // 2^24 + 1 - 2^24: f32 additions in this order would lose the 1.
    const [big, one, minus] = [0x6c00, 0x3c00, 0xec00];
    expect(multiplyElement(rules('f16', 'f32'), [big, one, minus], [big, one, big], 0)).toBe(f32(1));
    expect(multiplyElement(rules('f16', 'f16'), [one, one], [one, one], 0x3c00)).toBe(0x4200);
    // Half a unit in the last place of 1, plus the smallest subnormal.
    expect(multiplyElement(rules('f16', 'f16'), [0x1000, 0x0001], [one, one], one)).toBe(0x3c01);
    expect(multiplyElement(rules('f16', 'f16'), [0x1000], [one], one)).toBe(0x3c00);
    expect(multiplyElement(rules('bf16', 'f32'), [0x3f80], [0x4000], f32(0.5))).toBe(f32(2.5));
    expect(multiplyElement(rules('tf32', 'f32'), [0x3f80_1fff], [0x4000_0000], 0)).toBe(f32(2));
    expect(multiplyElement(rules('e4m3', 'f32'), [0x7e, 0x01], [0x38, 0x38], 0)).toBe(f32(448 + 2 ** -9));
    expect(multiplyElement(rules('e5m2', 'f32'), [0x7b, 0x01], [0x3c, 0x3c], 0)).toBe(f32(57344 + 2 ** -16));
  });

  it('are the canonical NaN or an infinity beyond the numbers', () => {
    const f16 = rules('f16', 'f32');
    expect(multiplyElement(f16, [0x7c00], [0x0000], 0)).toBe(0x7fff_ffff);
    expect(multiplyElement(f16, [0x7c00, 0x7c00], [0x3c00, 0xbc00], 0)).toBe(0x7fff_ffff);
    expect(multiplyElement(f16, [0x7e01], [0x3c00], 0)).toBe(0x7fff_ffff);
    expect(multiplyElement(f16, [0x7c00], [0xbc00], f32(1))).toBe(0xff80_0000);
    expect(multiplyElement(rules('f16', 'f16'), [0x7e01], [0x3c00], 0)).toBe(0x7fff);
    expect(multiplyElement(rules('e4m3', 'f32'), [0xff], [0x38], 0)).toBe(0x7fff_ffff);
    expect(multiplyElement(rules('f16', 'f16'), [0x7bff], [0x4000], 0)).toBe(0x7c00);
  });

  /** Whether `bits` is an allowed sum of products of a, b and c. */
  const allows = (own: MultiplyRules, a: number[], b: number[], c: number, bits: number): boolean =>
    isAllowedElement(own, multiplyElement(own, a, b, c), slackOf(own, a, b, c), bits);
  const [half, bf, tf] = [rules('f16', 'f32'), rules('bf16', 'f32'), rules('tf32', 'f32')];
  const signed = rules('f16', 'f16', { keepsSignOfZero: true });
  const [infinity, nan, minusZero] = [0x7f80_0000, 0x7fff_ffff, 0x8000_0000];
  const [bfOne, bfMax, bfSmall] = [0x3f80, 0x7f7f, 0x0c80];

  /**
   * Results that are allowed in addition to the reference's, and results that are not. `bfSmall` is
   * 2^-102; its square is 2^-204.
   */
  it.each<[string, MultiplyRules, number[], number[], number, number[], number[]]>([
    ['exact sums of whole numbers', half, [0x4000, 0xc200], [0x4400, 0x3c00], f32(7), [], [f32(12.000001), f32(13)]],
    [
      'sums that are rounded',
      half,
      [0x3c01, 0x2e66],
      [0x3555, 0x3c00],
      f32(0.1),
      [f32(0.5335531)],
      [f32(0.5336), 0, nan],
    ],
    [
      'large numbers that cancel',
      half,
      [0x6c00, 0x3c00],
      [0x6c00, 0x3c00],
      f32(-(2 ** 24)),
      [0],
      [minusZero, f32(100), nan],
    ],
    // An H200 returns the first of the additional results. The factor 0xa13a is normal, but it
    // multiplies a subnormal number; their product aligns all terms to 2^-21.
    [
      'subnormal factors that align the terms',
      half,
      [0x8000, 0x003e, 0xa13a, 0x0000],
      [0x87ff, 0x83ff, 0x8016, 0xa356],
      minusZero,
      [0x3262_1900, 0x3262_1800],
      [0, minusZero, 0xb262_1900, 0x3263_0000, 0x3261_0000, infinity, nan],
    ],
    ['a subnormal factor alone', half, [0x0001], [0x7bff], 0, [], [0, 0x3affe001, 0x3affdfff]],
    [
      'equal factors that align the same',
      half,
      [0x0001, 0x8001],
      [0x7bff, 0x7bff],
      0x0001_0000,
      [0],
      [minusZero, 0x3a80_0000],
    ],
    ['a subnormal addend alone', half, [0x0000], [0x3c00], 0x0001_0001, [], [0, minusZero, 0x0001_0000, 0x0001_0002]],
    ['a subnormal addend of bf16', bf, [0x0000, 0x8000], [bfOne, bfOne], 0x8000_0001, [], [0, minusZero, 1]],
    ['a subnormal addend of tf32', tf, [0], [f32(1)], 0x007f_ffff, [], [0, 0x0080_0000]],
    ['a subnormal addend of 8-bit factors', rules('e4m3', 'f32'), [0], [0x38], 0x0040_0000, [], [0]],
    ['a subnormal factor', bf, [0x0040], [0x7180], 0, [], [0]],
    ['a subnormal product', bf, [0x0040], [bfOne], 0, [], [0, minusZero]],
    ['a sum that cancels to a subnormal number', bf, [0x0081, 0x8080], [bfOne, bfOne], 0, [], [0]],
    ['zeros of both signs', bf, [0x8000, 0x0000], [bfOne, bfOne], minusZero, [], [minusZero]],
    ['negative zeros', bf, [0x8000, 0x8000], [bfOne, bfOne], minusZero, [], [minusZero]],
    ['negative zeros that keep their sign', signed, [0x8000], [0x3c00], 0x8000, [], [0]],
    ['a negative half below all subnormal numbers', rules('f16', 'f16'), [0x8001], [0x0001], 0, [], [0x8000]],
    ['a negative half that keeps its sign', signed, [0x8001], [0x0001], 0, [0], []],
    ['equal numbers that cancel', bf, [bfOne, bfOne], [bfOne, 0xbf80], minusZero, [], [minusZero]],
    [
      'a negative product below all subnormal numbers',
      bf,
      [bfSmall],
      [0x8c80],
      0,
      [0, 0x8000_0001],
      [minusZero, 0x8000_0010],
    ],
    ['a positive product below all subnormal numbers', bf, [bfSmall], [bfSmall], 0, [0, 1], [minusZero, 0x10]],
    [
      'numbers that may overflow',
      bf,
      [bfMax, 0xff7f],
      [bfMax, bfMax],
      f32(1),
      [infinity, 0xff80_0000, nan],
      [0x7fc0_0000],
    ],
    [
      'numbers that may overflow to one side',
      bf,
      [bfMax, bfOne],
      [bfOne, 0xbf80],
      f32(2 ** 127),
      [],
      [nan, 0xff80_0000],
    ],
    ['an infinity', bf, [0x7f80, bfOne], [bfOne, 0xbf80], 0, [], [nan, 0xff80_0000, 0x7f7f_ffff]],
    ['an infinity among numbers that overflow', bf, [0x7f80, bfMax], [bfOne, 0xff7f], 0, [nan], [0xff80_0000]],
    ['a NaN', half, [0x7e00], [0x3c00], 0, [], [0x7fc0_0000, f32(1), infinity]],
    [
      'f16 numbers that cancel',
      rules('f16', 'f16'),
      [0x3c00, 0xbc00],
      [0x3c00, 0x3c00],
      0x0001,
      [0, 0x0010],
      [0x8000, 0x3c00],
    ],
    ['a subnormal half alone', rules('f16', 'f16'), [0x8000], [0x3c00], 0x0001, [], [0, 0x8000, 2]],
  ])('allow the results of other orders for %s', (_, own, a, b, c, right, wrong) => {
    const reference = Number(multiplyElement(own, a, b, c));
    expect([reference, ...right].filter((bits) => !allows(own, a, b, c, bits))).toEqual([]);
    expect(wrong.filter((bits) => bits !== reference && allows(own, a, b, c, bits))).toEqual([]);
    expect(wrong).not.toContain(reference);
  });
});
