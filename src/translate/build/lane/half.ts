// f16 and bf16 arithmetic. A word of two elements is split, computed by halves, and joined.
import type { HalfRowName, Mods } from '../../../isa/index.ts';
import type { Builder } from '../../ir/builder.ts';
import { constant, type Value } from '../../ir/nodes.ts';
import type { Approximation, Rounded } from '../../ir/operations.ts';
import { type FloatType, integerOf, widthOf } from '../../ir/types.ts';
import { floatRows } from './float.ts';
import { argAt, type LaneBuild, type LaneRow } from './row.ts';

type Row = Exclude<HalfRowName, `set${string}`>;

export type HalfType = Extract<FloatType, 'f16' | 'bf16'>;

/** Returns the IR type of a PTX type's elements. */
export const elementOf = (type: string | undefined): HalfType => (type?.startsWith('b') ? 'bf16' : 'f16');

export const isPacked = (type: string | undefined): boolean => type?.endsWith('x2') === true;

/** Returns the halves of a word as values of a type, the low half first. */
export const unpacked = (b: Builder, word: Value, type: HalfType): readonly Value[] =>
  b.split(word).map((half) => b.bitcast(half, type));

export const packed = (b: Builder, low: Value, high: Value): Value =>
  b.join(b.bitcast(low, 'i16'), b.bitcast(high, 'i16'));

type Compute = (b: Builder, args: readonly Value[]) => Value;

/** Applies a computation to values, or to both halves of words. */
function elementwise({ type }: Mods, compute: Compute): LaneBuild {
  if (!isPacked(type)) return (b, args) => [compute(b, args)];
  const element = elementOf(type);
  return (b, args) => {
    const pairs = args.map((arg) => unpacked(b, arg, element));
    const half = (index: number): Value =>
      compute(
        b,
        pairs.map((pair) => argAt(pair, index)),
      );
    const low = half(0);
    return [packed(b, low, half(1))];
  };
}

export const bitsOf = (b: Builder, x: Value): Value => b.bitcast(x, integerOf(widthOf(x.type)));

/** Builds the maximum with 0; a NaN becomes the canonical one. */
export const rectified = (b: Builder, x: Value): Value =>
  b.value('fmax', { ftz: false, nan: true }, [x, constant(x.type, 0n)]);

function rounded(op: 'fadd' | 'fsub' | 'fmul' | 'ffma'): LaneRow {
  return (mods) => {
    const attrs: Rounded = { rounding: 'rn', ftz: mods.ftz !== undefined };
    return elementwise(mods, (b, args) => {
      const value = b.value(op, attrs, args);
      if (mods.sat !== undefined) return b.value('fsaturate', {}, [value]);
      return mods.relu === undefined ? value : rectified(b, value);
    });
  };
}

/** Builds a change of the sign. A NaN becomes the canonical NaN. */
const signChange =
  (op: 'fneg' | 'fabs'): LaneRow =>
  (mods) => {
    const attrs = { ftz: mods.ftz !== undefined };
    return elementwise(mods, (b, args) => b.value('fcanonical', {}, [b.value(op, attrs, args)]));
  };

/** Replaces the sign of a value by the exclusive or of the arguments' signs. A NaN is unchanged. */
function withSigns(b: Builder, value: Value, args: readonly Value[]): Value {
  const sign = args.map((arg) => bitsOf(b, arg)).reduce((x, y) => b.xor(x, y));
  const size = b.and(bitsOf(b, value), b.int('i16', 0x7fff));
  const signed = b.bitcast(b.or(size, b.and(sign, b.int('i16', 0x8000))), value.type);
  return b.select(b.value('fclass', { test: 'notanumber' }, [value]), value, signed);
}

const magnitude = (b: Builder, x: Value): Value => b.bitcast(b.and(bitsOf(b, x), b.int('i16', 0x7fff)), x.type);

function extreme(op: 'fmin' | 'fmax'): LaneRow {
  return (mods) => {
    const attrs = { ftz: mods.ftz !== undefined, nan: mods.NaN !== undefined };
    const { abs, xorsign } = mods;
    return elementwise(mods, (b, args) => {
      const compared = abs === undefined ? args : args.map((arg) => magnitude(b, arg));
      const value = b.value(op, attrs, compared);
      return xorsign === undefined ? value : withSigns(b, value, args);
    });
  };
}

const approximation =
  (fn: Approximation, ftz: boolean): LaneRow =>
  (mods) =>
    elementwise(mods, (b, args) => b.value('fapprox', { fn, ftz }, args));

/** Wraps a row so that the 16-bit operands, all but the last, are converted exactly to f32. */
const mixed =
  (row: LaneRow): LaneRow =>
  (mods) => {
    const build = row(mods);
    const widened = (b: Builder, x: Value): Value => b.value('ftof', { to: 'f32', rounding: 'rn', ftz: false }, [x]);
    return (b, args, second) =>
      build(
        b,
        args.map((arg) => (arg.type === 'f32' ? arg : widened(b, arg))),
        second,
      );
  };

export const halfRows: Readonly<Record<Row, LaneRow>> = {
  'add.f16': rounded('fadd'),
  'sub.f16': rounded('fsub'),
  'mul.f16': rounded('fmul'),
  'fma.f16': rounded('ffma'),
  'add.bf16': rounded('fadd'),
  'sub.bf16': rounded('fsub'),
  'mul.bf16': rounded('fmul'),
  'fma.bf16': rounded('ffma'),
  'add.f32.half': mixed(floatRows['add.f32']),
  'sub.f32.half': mixed(floatRows['sub.f32']),
  'fma.f32.half': mixed(floatRows['fma.f32']),
  'neg.f16': signChange('fneg'),
  'abs.f16': signChange('fabs'),
  'neg.bf16': signChange('fneg'),
  'abs.bf16': signChange('fabs'),
  'min.f16': extreme('fmin'),
  'max.f16': extreme('fmax'),
  'min.bf16': extreme('fmin'),
  'max.bf16': extreme('fmax'),
  'tanh.approx.f16': approximation('tanh', false),
  'tanh.approx.bf16': approximation('tanh', false),
  'ex2.approx.f16': approximation('ex2', false),
  'ex2.approx.bf16': approximation('ex2', true),
};
