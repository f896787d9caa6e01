// Video instructions on all bytes or halves of words, and 16-bit integers in pairs.
import type { Mods, PackedIntegerRowName, VideoRowName } from '../../../isa/index.ts';
import type { Builder } from '../../ir/builder.ts';
import type { Value } from '../../ir/nodes.ts';
import { constantPermutation } from './bits.ts';
import { Packed, type Width } from './packed.ts';
import { argAt, binary, choice, type LaneBuild, type LaneRow } from './row.ts';

type Row = Extract<VideoRowName, `${string}2` | `${string}4`> | PackedIntegerRowName;
type Op = 'vadd' | 'vsub' | 'vavrg' | 'vabsdiff' | 'vmin' | 'vmax' | 'vset';

/** An instruction without its operands. */
interface Form {
  readonly op: Op;
  readonly width: Width;
  readonly mods: Mods;
  /** The signedness of the elements of `a`, `b` and the result. */
  readonly aSigned: boolean;
  readonly bSigned: boolean;
  readonly dSigned: boolean;
}

const isSigned = (type: string | undefined): boolean => type === 's32';

/**
 * Returns the selector in prmt's form: for each byte of the result, the byte of `b:a` that it
 * copies. The lowest digit is for the lowest byte.
 */
function bytePicks(width: Width, selector: string): number {
  const digits = [...selector.slice(1)].map(Number);
  const picks = width === 8 ? digits : digits.flatMap((half) => [2 * half + 1, 2 * half]);
  return picks.reduce((all, pick) => all * 16 + pick, 0);
}

const picksOf = (width: Width, selector: string | undefined, otherwise: number): number =>
  selector === undefined ? otherwise : bytePicks(width, selector);

/** Returns the bits of the result that are written. */
function writtenBits(width: Width, mask: string | undefined): number {
  const places = Array.from({ length: 32 / width }, (_, place) => place);
  const written = places.filter((place) => mask === undefined || mask.includes(String(place)));
  return written.reduce((bits, place) => bits + (2 ** width - 1) * 2 ** (width * place), 0);
}

/**
 * Builds the results as packed elements if all of them fit, and returns whether they are signed.
 * Returns undefined if the elements must be computed one by one.
 */
function together({ op, width, mods, aSigned, bSigned, dSigned }: Form, b: Builder, x: Value, y: Value) {
  const packed = new Packed(b, width);
  const saturates = mods.sat !== undefined;
  if ((op === 'vadd' || op === 'vsub') && !saturates)
    return { value: op === 'vadd' ? packed.add(x, y) : packed.subtract(x, y), signed: aSigned };
  if (aSigned !== bSigned) return undefined;
  const limited = (value: Value, signed: boolean) =>
    saturates ? { value: packed.clamp(value, signed, dSigned), signed: dSigned } : { value, signed };
  switch (op) {
    case 'vadd':
      return aSigned === dSigned ? { value: packed.addSaturated(x, y, aSigned), signed: aSigned } : undefined;
    case 'vsub':
      return aSigned === dSigned ? { value: packed.subtractSaturated(x, y, aSigned), signed: aSigned } : undefined;
    case 'vavrg':
      return limited(packed.average(x, y, aSigned), aSigned);
    case 'vabsdiff':
      return limited(packed.distance(x, y, aSigned), false);
    case 'vmin':
      return limited(packed.min(x, y, aSigned), aSigned);
    case 'vmax':
      return limited(packed.max(x, y, aSigned), aSigned);
    case 'vset':
      return { value: packed.compare(mods.cmp, x, y, aSigned), signed: false };
  }
}

type Compute = (b: Builder, x: Value, y: Value, mods: Mods) => Value;

const relations: Readonly<Record<string, 'eq' | 'ne' | 'slt' | 'sle' | 'sgt' | 'sge'>> = {
  eq: 'eq',
  ne: 'ne',
  lt: 'slt',
  le: 'sle',
  gt: 'sgt',
  ge: 'sge',
};

/** Operations on two elements as numbers, which cannot overflow a word. */
const single: Readonly<Record<Op, Compute>> = {
  vadd: (b, x, y) => b.iadd(x, y),
  vsub: (b, x, y) => b.isub(x, y),
  // The shift already rounds a negative sum down, which is away from zero.
  vavrg: (b, x, y) => {
    const sum = b.iadd(x, y);
    const isPositive = b.icmp('sge', sum, b.i32(0));
    return b.ashrw(b.iadd(sum, b.select(isPositive, b.i32(1), b.i32(0))), b.i32(1));
  },
  vabsdiff: (b, x, y) => b.isub(b.smax(x, y), b.smin(x, y)),
  vmin: (b, x, y) => b.smin(x, y),
  vmax: (b, x, y) => b.smax(x, y),
  vset: (b, x, y, { cmp }) => b.resize(b.icmp(choice(relations, cmp), x, y), 'i32'),
};

/** Builds the results of the single elements, each as a number. */
function oneByOne({ op, width, mods, aSigned, bSigned, dSigned }: Form, b: Builder, x: Value, y: Value) {
  const packed = new Packed(b, width);
  const [least, most] = dSigned ? [-(2 ** (width - 1)), 2 ** (width - 1) - 1] : [0, 2 ** width - 1];
  return Array.from({ length: 32 / width }, (_, place) => {
    const value = single[op](b, packed.element(x, place, aSigned), packed.element(y, place, bSigned), mods);
    return mods.sat === undefined ? value : b.smin(b.smax(value, b.i32(least)), b.i32(most));
  });
}

function joined(b: Builder, width: Width, elements: readonly Value[]): Value {
  return elements
    .map((element, place) => b.shlw(b.and(element, b.i32(2 ** width - 1)), b.i32(width * place)))
    .reduce((all, element) => b.or(all, element));
}

/** Builds the sum of the elements that the mask selects. */
function accumulated(form: Form, b: Builder, x: Value, y: Value): Value {
  const { op, width, aSigned, bSigned, mods } = form;
  const packed = new Packed(b, width);
  const written = b.i32(writtenBits(width, mods.mask));
  const total = (word: Value, signed: boolean): Value => packed.total(b.and(word, written), signed);
  // Sums and differences need one bit more than an element, so each operand is totaled separately.
  if (op === 'vadd') return b.iadd(total(x, aSigned), total(y, bSigned));
  if (op === 'vsub') return b.isub(total(x, aSigned), total(y, bSigned));
  const whole = together(form, b, x, y);
  if (whole !== undefined) return total(whole.value, whole.signed);
  return oneByOne(form, b, x, y)
    .filter((_, place) => mods.mask === undefined || mods.mask.includes(String(place)))
    .reduce((sum, value) => b.iadd(sum, value));
}

function simd(op: Op, width: Width): LaneRow {
  return (mods) => {
    const form: Form = {
      op,
      width,
      mods,
      aSigned: isSigned(mods.atype),
      bSigned: isSigned(mods.btype),
      dSigned: isSigned(mods.dtype),
    };
    const [aPicks, bPicks] = [picksOf(width, mods.asel, 0x3210), picksOf(width, mods.bsel, 0x7654)];
    const written = writtenBits(width, mods.mask);
    return (b, args) => {
      const [a, other, c] = [argAt(args, 0), argAt(args, 1), argAt(args, 2)];
      const x = constantPermutation(b, a, other, aPicks);
      const y = constantPermutation(b, a, other, bPicks);
      if (mods.add !== undefined) return [b.iadd(accumulated(form, b, x, y), c)];
      const value = together(form, b, x, y)?.value ?? joined(b, width, oneByOne(form, b, x, y));
      return [b.or(b.and(value, b.i32(written)), b.and(c, b.i32(~written)))];
    };
  };
}

/**
 * Builds the minimum or maximum of each pair of elements. With `.relu`, negative results become
 * zero.
 */
function pairwise(op: 'min' | 'max'): LaneRow {
  return ({ type, relu }): LaneBuild => {
    const signed = type === 's16x2';
    return binary((b, x, y) => {
      const packed = new Packed(b, 16);
      const value = packed[op](x, y, signed);
      return relu === undefined ? value : packed.max(value, b.i32(0), true);
    });
  };
}

export const simdVideoRows: Readonly<Record<Row, LaneRow>> = {
  'add.16x2': () => binary((b, x, y) => new Packed(b, 16).add(x, y)),
  'min.16x2': pairwise('min'),
  'max.16x2': pairwise('max'),
  vadd2: simd('vadd', 16),
  vsub2: simd('vsub', 16),
  vavrg2: simd('vavrg', 16),
  vabsdiff2: simd('vabsdiff', 16),
  vmin2: simd('vmin', 16),
  vmax2: simd('vmax', 16),
  vset2: simd('vset', 16),
  vadd4: simd('vadd', 8),
  vsub4: simd('vsub', 8),
  vavrg4: simd('vavrg', 8),
  vabsdiff4: simd('vabsdiff', 8),
  vmin4: simd('vmin', 8),
  vmax4: simd('vmax', 8),
  vset4: simd('vset', 8),
};
