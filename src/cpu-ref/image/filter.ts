// Linear filtering: blends the texels around a coordinate. The manual contains the formula. Every
// rounding in this file was measured on an H200.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#linear-filtering
import type { TexelType } from '../../base/image.ts';
import {
  canonicalOf,
  exponentOf,
  type Format,
  f16,
  f32,
  flushedIn,
  infinityOf,
  isNaNIn,
  isNegativeIn,
  roundTo,
  sizeOf,
  valueIn,
} from '../lane/half-format.ts';

/**
 * One of the texels around a coordinate, and its weight in 256ths. For each axis, `sides` says
 * whether the texel is the left one (0) or the right one (1).
 */
export interface Corner {
  readonly sides: readonly (0 | 1)[];
  readonly weight: number;
}

/** The bits of a texel's component, and its weight in 256ths. */
export interface Share {
  readonly bits: number;
  readonly weight: number;
}

/**
 * Returns `weight * fraction / 256`, rounded to nearest. Ties round up if `up` is set, and down
 * otherwise.
 */
const part = (weight: number, fraction: number, up: boolean): number =>
  Math.floor((weight * fraction + (up ? 128 : 127)) / 256);

/**
 * Returns the texels around a coordinate with their weights, for the coordinate's fractions along
 * x, y and z in 256ths. The weights are integers whose sum is 256. This sum is divided first among
 * the slices, then between left and right, then among the rows. The weight of a texel on the left
 * of an axis may be 0. A texel on the right is present only if the fraction along that axis is not
 * 0.
 */
export function cornersOf(fractions: readonly number[]): readonly Corner[] {
  const [x = 0, y, z] = fractions;
  const corners: Corner[] = [];
  for (const far of [0, 1] as const) {
    const slice = z === undefined ? 256 - 256 * far : far === 1 ? z : 256 - z;
    const rights = part(slice, x, true);
    for (const right of [0, 1] as const) {
      const column = right === 1 ? rights : slice - rights;
      const below = y === undefined ? 0 : part(column, y, right === 1);
      corners.push({ sides: [right, 0, far], weight: column - below }, { sides: [right, 1, far], weight: below });
    }
  }
  return corners.filter(({ sides }) => sides.every((side, axis) => side === 0 || (fractions[axis] ?? 0) > 0));
}

/**
 * The number of bits below the unit of a slice's largest texel to which the slice's sum is
 * computed. The sum of the slices uses one unit for each group of four exponents.
 */
const guardBits = 4;
const mod4 = (exponent: number): number => exponent - 4 * Math.floor(exponent / 4);

function sumOf({ fraction }: Format, slices: readonly (readonly { value: number; weight: number }[])[]): number {
  const sums = slices.map((shares) => {
    const sizes = shares.map(({ value }) => Math.abs(value)).filter((size) => size !== 0);
    const top = sizes.length === 0 ? undefined : exponentOf(Math.max(...sizes));
    if (top === undefined) return { sum: 0, top };
    const unit = 2 ** (top - fraction - guardBits);
    return { sum: shares.reduce((sum, { value, weight }) => sum + Math.trunc(value / unit) * weight, 0) * unit, top };
  });
  const tops = sums.map(({ top }) => top).filter((top) => top !== undefined);
  if (tops.length === 0) return 0;
  const top = Math.max(...tops);
  const unit = 2 ** (top - mod4(top - 1) - fraction - guardBits);
  return sums.reduce((total, { sum }) => total + Math.floor(sum / unit) * unit, 0) / 256;
}

/** The NaN that filtering an `f16` texture returns, as f32 bits. */
const halfNaN = 0x7fff_e000;

/**
 * Blends texels of `format`, rounds to that format and returns f32 bits. Subnormal f32 texels are
 * flushed to zero. Infinities and NaNs propagate even if their weight is 0.
 */
function blendFloats(format: Format, slices: readonly (readonly Share[])[]): number {
  const shares = slices.flat();
  const infinities = shares.filter(({ bits }) => sizeOf(format, bits) === infinityOf(format));
  const signs = new Set(infinities.map(({ bits }) => isNegativeIn(format, bits)));
  if (shares.some(({ bits }) => isNaNIn(format, bits)) || signs.size > 1)
    return format === f16 ? halfNaN : canonicalOf(f32);
  const [isNegative] = signs;
  if (isNegative !== undefined) return roundTo(f32, isNegative ? -Infinity : Infinity, 'rn');
  const isFlushed = format === f32;
  const values = slices.map((slice) =>
    slice
      .filter(({ weight }) => weight > 0)
      .map(({ bits, weight }) => ({ value: valueIn(format, isFlushed ? flushedIn(format, bits) : bits), weight })),
  );
  const isNegativeZero = values.flat().every(({ value }) => Object.is(value, -0));
  const rounded = roundTo(format, isNegativeZero ? -0 : sumOf(format, values), 'rna', isFlushed);
  return roundTo(f32, valueIn(format, rounded), 'rn');
}

/**
 * The conversion of a weighted sum to a fraction, by integer texel type. Sums of 8-bit texels are
 * first widened to 16 bits. Then the sum is divided by `most`.
 */
const fractions: Readonly<Record<string, { readonly most: number; readonly widened: (sum: number) => number }>> = {
  u8: { most: 65_535, widened: (sum) => sum + sum / 256 },
  u16: { most: 65_535, widened: (sum) => sum / 256 },
  s8: { most: 32_767, widened: (sum) => sum + (Math.floor(sum / 16) + Math.floor(sum / 4096)) / 8 },
  s16: { most: 32_767, widened: (sum) => sum / 256 },
};

function blendFractions(texel: TexelType, shares: readonly Share[]): number {
  const found = fractions[texel];
  if (found === undefined) throw new RangeError(`no filter for ${texel}`);
  const sign = texel === 's8' ? 0x80 : texel === 's16' ? 0x8000 : 0x1_0000;
  const sum = shares.reduce((total, { bits, weight }) => total + (bits >= sign ? bits - 2 * sign : bits) * weight, 0);
  const whole = Math.floor(found.widened(sum) + 0.5);
  return roundTo(f32, Math.max(whole, -found.most) / found.most, 'rn');
}

/**
 * Returns the f32 bits of one blended component. `slices` contains the texels of each slice with
 * their weights, whose total is 256.
 */
export function blend(texel: TexelType, slices: readonly (readonly Share[])[]): number {
  if (texel === 'f32') return blendFloats(f32, slices);
  if (texel === 'f16') return blendFloats(f16, slices);
  return blendFractions(texel, slices.flat());
}
