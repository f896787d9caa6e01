// Video instructions on one byte, half or word. They compute with words if the results fit or only
// their low words matter, otherwise with 64 bits.
import type { Mods, VideoRowName } from '../../../isa/index.ts';
import type { Builder } from '../../ir/builder.ts';
import type { Value } from '../../ir/nodes.ts';
import { argAt, choice, type LaneBuild, type LaneRow } from './row.ts';
import { simdVideoRows } from './video-simd.ts';

type Row = Exclude<VideoRowName, keyof typeof simdVideoRows>;

/** A number from `least` to `most`, in an i32 or an i64. */
interface Ranged {
  readonly value: Value;
  readonly least: bigint;
  readonly most: bigint;
}

const [word, half] = [1n << 32n, 1n << 31n];
const isSigned = (type: string | undefined): boolean => type === 's32';
const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const greater = (a: bigint, b: bigint): bigint => (a > b ? a : b);

const rangeOf = (width: number, signed: boolean): Pick<Ranged, 'least' | 'most'> => {
  const count = 1n << BigInt(width);
  return signed ? { least: -count / 2n, most: count / 2n - 1n } : { least: 0n, most: count - 1n };
};

const isInt32 = ({ least, most }: Pick<Ranged, 'least' | 'most'>): boolean => least >= -half && most < half;
const isUint32 = ({ least, most }: Pick<Ranged, 'least' | 'most'>): boolean => least >= 0n && most < word;
const isWord = (range: Pick<Ranged, 'least' | 'most'>): boolean => isInt32(range) || isUint32(range);

const widthOf = (selector: string | undefined): number =>
  selector === undefined ? 32 : selector.startsWith('b') ? 8 : 16;
const firstOf = (selector: string | undefined): number =>
  selector === undefined ? 0 : widthOf(selector) * Number(selector.slice(1));

/** Returns a word, or the part of it that a selector names. */
function partOf(b: Builder, value: Value, signed: boolean, selector: string | undefined): Ranged {
  const [first, width] = [firstOf(selector), widthOf(selector)];
  const part =
    selector === undefined ? value : b.value(signed ? 'sbfe' : 'ubfe', {}, [value, b.i32(first), b.i32(width)]);
  return { value: part, ...rangeOf(width, signed) };
}

const widened = (b: Builder, { value, least }: Ranged): Value => b.resize(value, 'i64', least < 0n);

/** Converts both numbers to the same type, and returns whether comparisons must be signed. */
function alike(b: Builder, x: Ranged, y: Ranged): { readonly x: Value; readonly y: Value; readonly signed: boolean } {
  const isNarrow = x.value.type === 'i32' && y.value.type === 'i32';
  if (isNarrow && isInt32(x) && isInt32(y)) return { x: x.value, y: y.value, signed: true };
  if (isNarrow && isUint32(x) && isUint32(y)) return { x: x.value, y: y.value, signed: false };
  return { x: widened(b, x), y: widened(b, y), signed: x.least < 0n || y.least < 0n };
}

function minimum(b: Builder, x: Ranged, y: Ranged): Ranged {
  const { x: p, y: q, signed } = alike(b, x, y);
  return { value: signed ? b.smin(p, q) : b.umin(p, q), least: lesser(x.least, y.least), most: lesser(x.most, y.most) };
}

function maximum(b: Builder, x: Ranged, y: Ranged): Ranged {
  const { x: p, y: q, signed } = alike(b, x, y);
  return {
    value: signed ? b.smax(p, q) : b.umax(p, q),
    least: greater(x.least, y.least),
    most: greater(x.most, y.most),
  };
}

/**
 * Builds an operation whose low result word depends only on low words. `whole`: whether the high
 * word matters, which may need 64 bits.
 */
function linear(
  b: Builder,
  range: Pick<Ranged, 'least' | 'most'>,
  whole: boolean,
  [x, y]: readonly [Ranged, Ranged],
  make: (p: Value, q: Value) => Value,
): Ranged {
  const fits = x.value.type === 'i32' && y.value.type === 'i32' && (!whole || isWord(range));
  return { ...range, value: fits ? make(x.value, y.value) : make(widened(b, x), widened(b, y)) };
}

const sum = (b: Builder, x: Ranged, y: Ranged, whole: boolean): Ranged =>
  linear(b, { least: x.least + y.least, most: x.most + y.most }, whole, [x, y], b.iadd);

const difference = (b: Builder, x: Ranged, y: Ranged, whole: boolean): Ranged =>
  linear(b, { least: x.least - y.most, most: x.most - y.least }, whole, [x, y], b.isub);

function clampedTo(b: Builder, x: Ranged, range: Pick<Ranged, 'least' | 'most'>): Ranged {
  const { type } = x.value;
  const bound = (limit: bigint): Ranged => ({ value: b.int(type, limit), least: limit, most: limit });
  const raised = x.least < range.least ? maximum(b, x, bound(range.least)) : x;
  return raised.most > range.most ? minimum(b, raised, bound(range.most)) : raised;
}

const lowWord = (b: Builder, value: Value): Value => b.resize(value, 'i32');

/**
 * `far`: the least number that an unsigned i64 can hold and a signed i64 cannot. `beyond`: a number
 * that is larger than every word.
 */
const [far, beyond] = [1n << 63n, 1n << 40n];

/** Returns a number that compares with words in the same way as `x`, and fits into a signed i64. */
const nearer = (b: Builder, x: Ranged): Ranged =>
  x.most < far ? x : minimum(b, x, { value: b.int('i64', beyond), least: beyond, most: beyond });

/** Applies the second operation to `x` and `c`, or inserts a part of `x` into `c`. */
function combined(b: Builder, mods: Mods, signed: boolean, x: Ranged, c: Value | undefined): Value {
  if (c === undefined) return lowWord(b, x.value);
  const third: Ranged = { value: c, ...rangeOf(32, signed) };
  switch (mods.op2) {
    case 'add':
      return b.iadd(lowWord(b, x.value), c);
    case 'min':
      return lowWord(b, minimum(b, nearer(b, x), third).value);
    case 'max': {
      const greater = lowWord(b, maximum(b, nearer(b, x), third).value);
      const isFar = x.most >= far && b.icmp('uge', x.value, b.int('i64', beyond));
      return isFar ? b.select(isFar, lowWord(b, x.value), greater) : greater;
    }
  }
  const [first, width] = [firstOf(mods.dsel), widthOf(mods.dsel)];
  return b.value('bfi', {}, [lowWord(b, x.value), c, b.i32(first), b.i32(width)]);
}

/**
 * Computes a result from two numbers. `whole`: whether more than the low word of the result
 * matters.
 */
type Compute = (b: Builder, x: Ranged, y: Ranged, whole: boolean) => Ranged;

function scalar(compute: (mods: Mods) => Compute): LaneRow {
  return (mods): LaneBuild => {
    const make = compute(mods);
    const [aSigned, bSigned, dSigned] = [isSigned(mods.atype), isSigned(mods.btype), isSigned(mods.dtype)];
    const whole = mods.sat !== undefined || mods.op2 === 'min' || mods.op2 === 'max';
    return (b, args) => {
      const x = partOf(b, argAt(args, 0), aSigned, mods.asel);
      const y = partOf(b, argAt(args, 1), bSigned, mods.bsel);
      const exact = make(b, x, y, whole);
      const limits = rangeOf(widthOf(mods.dsel), dSigned);
      const value = mods.sat === undefined ? exact : clampedTo(b, exact, limits);
      return [combined(b, mods, dSigned, value, args[2])];
    };
  };
}

const distance: Compute = (b, x, y, whole) => {
  const range = { least: 0n, most: greater(x.most - y.least, y.most - x.least) };
  return linear(b, range, whole, [maximum(b, x, y), minimum(b, x, y)], b.isub);
};

/** Returns a shift by up to 32 bits, whose whole result may not fit into a word. */
const shift =
  (op: 'shl' | 'shr') =>
  ({ mode }: Mods): Compute =>
  (b, x, y, whole) => {
    const amount = mode === 'wrap' ? b.and(y.value, b.i32(31)) : b.umin(y.value, b.i32(32));
    const signed = x.least < 0n;
    if (op === 'shr') return { ...x, value: signed ? b.ashr(x.value, amount) : b.lshr(x.value, amount) };
    const most = mode === 'wrap' ? 31n : lesser(y.most, 32n);
    const range = { least: x.least << most, most: x.most << most };
    const source = whole && !isWord(range) ? widened(b, x) : x.value;
    return { ...range, value: b.shl(source, amount) };
  };

const relations = { eq: 'eq', ne: 'ne', lt: 'lt', le: 'le', gt: 'gt', ge: 'ge' } as const;

const comparison =
  ({ cmp }: Mods): Compute =>
  (b, x, y) => {
    const relation = choice(relations, cmp);
    const { x: p, y: q, signed } = alike(b, x, y);
    const isEquality = relation === 'eq' || relation === 'ne';
    const truth = b.icmp(isEquality ? relation : `${signed ? 's' : 'u'}${relation}`, p, q);
    return { value: b.resize(truth, 'i32'), least: 0n, most: 1n };
  };

/** A product beyond this limit saturates with any addend and any scaling. */
const enough = 1n << 48n;

/**
 * Builds `vmad`, which can negate the product or `c`. The result is signed if an operand is signed
 * or negated.
 */
const multiplyAdd: LaneRow = (mods) => {
  const [aSigned, bSigned] = [isSigned(mods.atype), isSigned(mods.btype)];
  const negatesProduct = (mods.aneg === undefined) !== (mods.bneg === undefined);
  const signed = aSigned || bSigned || negatesProduct || mods.cneg !== undefined;
  const whole = mods.sat !== undefined || mods.scale !== undefined;
  return (b, args) => {
    const [x, y] = [partOf(b, argAt(args, 0), aSigned, mods.asel), partOf(b, argAt(args, 1), bSigned, mods.bsel)];
    const corners = [x.least * y.least, x.least * y.most, x.most * y.least, x.most * y.most];
    const range = { least: corners.reduce(lesser), most: corners.reduce(greater) };
    const exact = linear(b, range, whole, [x, y], b.imul);
    // Limit an unsigned product to 2^48, so that it is also a valid signed 64-bit number. Larger
    // products saturate in every case.
    const product =
      mods.sat !== undefined && signed && exact.most >= enough && exact.least >= 0n
        ? minimum(b, exact, { value: b.int('i64', enough), least: enough, most: enough })
        : exact;
    const c: Ranged = { value: argAt(args, 2), ...rangeOf(32, signed) };
    const total = negatesProduct
      ? difference(b, c, product, whole)
      : mods.cneg === undefined
        ? sum(b, product, c, whole)
        : difference(b, product, c, whole);
    const one: Ranged = { value: b.i32(1), least: 1n, most: 1n };
    const raised = mods.po === undefined ? total : sum(b, total, one, whole);
    const scaled = shifted(b, raised, signed, mods.scale === undefined ? 0 : Number(mods.scale.slice(3)));
    return [lowWord(b, (mods.sat === undefined ? scaled : clampedTo(b, scaled, rangeOf(32, signed))).value)];
  };
};

function shifted(b: Builder, x: Ranged, signed: boolean, places: number): Ranged {
  if (places === 0) return x;
  const value = (signed ? b.ashrw : b.lshrw)(x.value, b.i32(places));
  return { value, least: x.least >> BigInt(places), most: x.most >> BigInt(places) };
}

const scalarRows: Readonly<Record<Row, LaneRow>> = {
  vadd: scalar(() => sum),
  vsub: scalar(() => difference),
  vabsdiff: scalar(() => distance),
  vmin: scalar(() => minimum),
  vmax: scalar(() => maximum),
  vshl: scalar(shift('shl')),
  vshr: scalar(shift('shr')),
  vset: scalar(comparison),
  vmad: multiplyAdd,
};

export const videoRows = { ...scalarRows, ...simdVideoRows };
