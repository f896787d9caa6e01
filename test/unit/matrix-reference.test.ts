// The reference of products of matrices: where elements lie, against places read off the manual's figures; and sums, against another way to compute them.
import { describe, expect, it } from 'vitest';
import { errorBound, isAllowedElement, type MultiplyRules, multiplyElement } from '../../src/cpu-ref/index.ts';
import { modChoices } from '../../src/harness/suites/rows/instruction-text.ts';
import { elementPlace, laneElements, type MatrixOperand, matrixForm, registerCount } from '../../src/isa/fragments.ts';
import { matrixRows } from '../../src/isa/index.ts';

const form = (shape: string, type: string, sum: string, layouts = {}) =>
  matrixForm({ shape, atype: type, btype: type, ctype: sum, dtype: sum, ...layouts });

/// Shape, type, operand, lane, position; row and column.
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

  it('of the four products of m8n8k4 lie in eight lanes each', () => {
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
  ...more,
});
const scratch = new DataView(new ArrayBuffer(8));
const f32 = (value: number): number => {
  scratch.setFloat32(0, value);
  return scratch.getUint32(0);
};

describe('elements of products', () => {
  it('are exact where integers wrap, and clamped where they saturate', () => {
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
    // 2^24 and 1 and -2^24: lost in f32, if added in this order.
    const [big, one, minus] = [0x6c00, 0x3c00, 0xec00];
    expect(multiplyElement(rules('f16', 'f32'), [big, one, minus], [big, one, big], 0)).toBe(f32(1));
    expect(multiplyElement(rules('f16', 'f16'), [one, one], [one, one], 0x3c00)).toBe(0x4200);
    // Half a place of f16, and the least bit more.
    expect(multiplyElement(rules('f16', 'f16'), [0x1000, 0x0001], [one, one], one)).toBe(0x3c01);
    expect(multiplyElement(rules('f16', 'f16'), [0x1000], [one], one)).toBe(0x3c00);
    expect(multiplyElement(rules('bf16', 'f32'), [0x3f80], [0x4000], f32(0.5))).toBe(f32(2.5));
    expect(multiplyElement(rules('tf32', 'f32'), [0x3f80_1fff], [0x4000_0000], 0)).toBe(f32(2));
    expect(multiplyElement(rules('e4m3', 'f32'), [0x7e, 0x01], [0x38, 0x38], 0)).toBe(f32(448 + 2 ** -9));
    expect(multiplyElement(rules('e5m2', 'f32'), [0x7b, 0x01], [0x3c, 0x3c], 0)).toBe(f32(57344 + 2 ** -16));
  });

  it('are the canonical NaN, or an infinity, where numbers are no more', () => {
    const f16 = rules('f16', 'f32');
    expect(multiplyElement(f16, [0x7c00], [0x0000], 0)).toBe(0x7fff_ffff);
    expect(multiplyElement(f16, [0x7c00, 0x7c00], [0x3c00, 0xbc00], 0)).toBe(0x7fff_ffff);
    expect(multiplyElement(f16, [0x7e01], [0x3c00], 0)).toBe(0x7fff_ffff);
    expect(multiplyElement(f16, [0x7c00], [0xbc00], f32(1))).toBe(0xff80_0000);
    expect(multiplyElement(rules('f16', 'f16'), [0x7e01], [0x3c00], 0)).toBe(0x7fff);
    expect(multiplyElement(rules('e4m3', 'f32'), [0xff], [0x38], 0)).toBe(0x7fff_ffff);
    expect(multiplyElement(rules('f16', 'f16'), [0x7bff], [0x4000], 0)).toBe(0x7c00);
    expect(multiplyElement(rules('bf16', 'f32'), [0x8000], [0x3f80], 0x8000_0000)).toBe(0x8000_0000);
    expect(multiplyElement(rules('bf16', 'f32'), [0x8000], [0x3f80], 0)).toBe(0);
  });

  it('leave no room where every order of adding gives the same', () => {
    const f16 = rules('f16', 'f32');
    expect(errorBound(f16, [0x4000, 0xc200], [0x4400, 0x3c00], f32(7))).toBe(0);
    expect(errorBound(f16, [0x6c00, 0x3c00], [0x6c00, 0x3c00], 0)).toBeGreaterThan(0);
    const bound = errorBound(f16, [0x3c01, 0x2e66], [0x3555, 0x3c00], f32(0.1));
    expect(bound).toBeGreaterThan(0);
    expect(bound).toBeLessThan(1e-5);
    expect(isAllowedElement(f16, f32(1), 1e-6, f32(1 + 2 ** -22))).toBe(true);
    expect(isAllowedElement(f16, f32(1), 1e-6, f32(1.00001))).toBe(false);
    expect(isAllowedElement(f16, 0x7fff_ffff, 1, f32(1))).toBe(false);
    expect(isAllowedElement(f16, 0, 0, 0x8000_0000)).toBe(true);
  });

  it('may lose subnormal elements', () => {
    const bf16 = rules('bf16', 'f32');
    // 2^-127 times 2^100.
    expect(errorBound(bf16, [0x0040], [0x7180], 0)).toBeGreaterThanOrEqual(2 ** -27);
    expect(errorBound(bf16, [0x7f7f, 0xff7f], [0x7f7f, 0x7f7f], 0)).toBe(Number.POSITIVE_INFINITY);
  });
});
