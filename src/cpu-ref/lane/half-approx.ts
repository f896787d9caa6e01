// Approximating instructions on f16 and bf16: https://docs.nvidia.com/cuda/parallel-thread-execution/#floating-point-instructions-ex2
// PTX bounds their error. The reference does as an H200 does: the exact value is cut to the format's bits. So it has the bits of an H200 for all
// arguments of ex2, and for all of tanh but 48 of f16 and 2 of bf16, which are one unit in the last place apart.
import type { HalfRowName, Mods } from '../../isa/index.ts';
import type { Bits, LaneFunction } from '../types.ts';
import { formatOf, halfAt, isPacked, packed } from './half.ts';
import { canonicalOf, type Format, flushedIn, infinityOf, isNaNIn, roundTo, sizeOf, valueIn } from './half-format.ts';

type Function = (format: Format, bits: number) => number;

/// Arguments below 2^-23 count as 0. Too large a result is an infinity, though others are cut.
const ex2: Function = (format, bits) => {
  const x = valueIn(format, bits);
  const value = 2 ** (Math.abs(x) < 2 ** -23 ? 0 : x);
  return value >= 2 ** (format.greatest + 1) ? infinityOf(format) : roundTo(format, value, 'rz');
};

/// bf16 has `.ftz`: a subnormal result becomes zero.
const flushedEx2: Function = (format, bits) => flushedIn(format, ex2(format, flushedIn(format, bits)));

/// What is its own tangent in hardware, and from where on the tangent is 1.
const [linear, far] = [0.003933, 8];

const tanh: Function = (format, bits) => {
  const x = valueIn(format, bits);
  if (Math.abs(x) < linear) return bits;
  return roundTo(format, Math.abs(x) >= far ? Math.sign(x) : Math.tanh(x), 'rz');
};

const unary =
  (compute: Function): LaneFunction =>
  (mods, sources) => {
    const format = formatOf(mods.type);
    const element = (index: 0 | 1): number => {
      const bits = halfAt(sources, 0, index);
      return isNaNIn(format, bits) ? canonicalOf(format) : compute(format, bits);
    };
    return [isPacked(mods.type) ? packed(element(0), element(1)) : element(0)];
  };

export const approximateHalfFunctions = {
  'ex2.approx.f16': unary(ex2),
  'ex2.approx.bf16': unary(flushedEx2),
  'tanh.approx.f16': unary(tanh),
  'tanh.approx.bf16': unary(tanh),
} satisfies Record<string, LaneFunction>;

export type ApproximateHalfRowName = keyof typeof approximateHalfFunctions & HalfRowName;

/// What PTX guarantees of each: how far a result may be from the exact value, as a fraction of it or as an amount.
export const approximateHalf: Readonly<
  Record<ApproximateHalfRowName, readonly { readonly relative?: number; readonly absolute?: number }[]>
> = {
  'ex2.approx.f16': [{ relative: 2 ** -9.9 }],
  'ex2.approx.bf16': [{ relative: 2 ** -7 }],
  'tanh.approx.f16': [{ absolute: 2 ** -10.987 }],
  'tanh.approx.bf16': [{ absolute: 2 ** -8 }],
};

const exact = (row: ApproximateHalfRowName, value: number): number =>
  row.startsWith('ex2') ? 2 ** value : Math.tanh(value);

export const isApproximateHalf = (row: string): row is ApproximateHalfRowName => Object.hasOwn(approximateHalf, row);

/// Whether PTX allows `actual` (bits) as the result of an approximating instruction on `sources` (bits). Its bounds are for normal results; a
/// subnormal one may be off by its last place.
export function isAllowedHalf(
  row: ApproximateHalfRowName,
  mods: Mods,
  sources: readonly Bits[],
  actual: number,
): boolean {
  const format = formatOf(mods.type);
  const expected = approximateHalfFunctions[row](mods, sources);
  const bounds = approximateHalf[row];
  return ([0, 1] as const).every((index) => {
    const [want, have] = [halfAt(expected, 0, index), halfAt([actual], 0, index)];
    if (want === have) return true;
    const value = exact(row, valueIn(format, halfAt(sources, 0, index)));
    const error = Math.abs(valueIn(format, have) - value);
    if (sizeOf(format, want) < 2 ** format.fraction) return Math.abs(have - want) <= 1;
    return bounds.every(({ relative = 0, absolute = 0 }) => error <= relative * value + absolute);
  });
}
