// The integer lane instructions as formulas, from the PTX manual. Each formula is for one lane.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#instructions
import {
  add, and, apply, bitAnd, bitAt, bitOr, bitXor, bool, compare, complement, concat, constant, equal, extend, extract, extremum,
  ite, mul, negate, no, not, or, select, shiftLeft, shiftRight, shiftRightSigned, sub, type Term, wordOf, wordOfBits,
  yes,
} from '../terms/term.ts'; // biome-ignore format: a list

export interface Lane {
  readonly mods: Readonly<Record<string, string | undefined>>;
  /** The instruction's type, such as `s32`. */
  readonly type: string;
  /** A source by its name in the syntax; a predicate is a boolean. */
  readonly source: (name: string) => Term;
}

/** The results by name. */
export type Results = Readonly<Record<string, Term>>;

type Formula = (lane: Lane) => Results;

const widthOf = (type: string): number => Number(/\d+$/.exec(type)?.[0]);
const isSigned = (type: string): boolean => type.startsWith('s');
const number = (value: number | bigint, like: Term): Term => constant(value, like.width);

const less = (type: string, a: Term, b: Term): Term => compare(isSigned(type) ? 'bvslt' : 'bvult', a, b);
export const smaller = (type: string, a: Term, b: Term): Term => extremum(isSigned(type) ? 'smin' : 'umin', a, b);
export const larger = (type: string, a: Term, b: Term): Term => extremum(isSigned(type) ? 'smax' : 'umax', a, b);
const wide = (type: string, a: Term, width: number): Term => extend(a, width, isSigned(type));

/** Clamps a wider signed value to the width. */
function saturate(a: Term, width: number): Term {
  const top = constant((1n << BigInt(width - 1)) - 1n, a.width);
  const bottom = constant(-(1n << BigInt(width - 1)), a.width);
  return extract(larger('s', smaller('s', a, top), bottom), 0, width);
}

const binary =
  (of: (type: string, a: Term, b: Term) => Term): Formula =>
  ({ type, source }) => ({ d: of(type, source('a'), source('b')) });

function sum({ type, mods, source }: Lane, of: (a: Term, b: Term) => Term): Results {
  const [a, b] = [source('a'), source('b')];
  if (mods.sat === undefined) return { d: of(a, b) };
  return { d: saturate(of(wide(type, a, a.width + 2), wide(type, b, a.width + 2)), a.width) };
}

const product = (type: string, a: Term, b: Term): Term => mul(wide(type, a, 2 * a.width), wide(type, b, 2 * b.width));
const half = (mods: Lane['mods'], type: string, a: Term, b: Term): Term =>
  mods.half === 'lo' ? mul(a, b) : extract(product(type, a, b), a.width, a.width);

/** Returns the sum of some parts and a carry, with the carry out. */
function carrying(parts: readonly Term[], carry: Term): { readonly d: Term; readonly carry: Term } {
  const [first] = parts;
  if (first === undefined) throw new Error('a sum has parts');
  const { width } = first;
  const total = [...parts.map((part) => extend(part, width + 1)), wordOf(carry, width + 1)].reduce(add);
  return { d: extract(total, 0, width), carry: bitAt(total, width) };
}

export const bitsOf = (a: Term): Term[] => Array.from({ length: a.width }, (_, index) => bitAt(a, index));
export const count = (a: Term): Term =>
  bitsOf(a)
    .map((bit) => wordOf(bit))
    .reduce(add);

/** Returns the position of the most significant 1, or all ones if there is none. */
export const top = (a: Term): Term =>
  bitsOf(a).reduce((rest, bit, index) => ite(bit, constant(index), rest), constant(-1));

const product24 = (type: string, a: Term, b: Term): Term =>
  mul(wide(type, extract(a, 0, 24), 48), wide(type, extract(b, 0, 24), 48));
const half24 = (mods: Lane['mods'], type: string, a: Term, b: Term): Term =>
  extract(product24(type, a, b), mods.half === 'lo' ? 0 : 16, 32);

export function field(a: Term, position: Term, length: Term, type: string): Term {
  const msb = a.width - 1;
  const [pos, len] = [bitAnd(position, constant(0xff)), bitAnd(length, constant(0xff))];
  const bits = bitsOf(a);
  const last = smaller('u', sub(add(pos, len), constant(1)), constant(msb));
  const sign = isSigned(type) ? and(not(equal(len, constant(0))), select(last, bits, no())) : no();
  return wordOfBits(
    bits.map((_, index) => {
      const at = add(pos, constant(index));
      const inside = and(compare('bvult', constant(index), len), compare('bvule', at, constant(msb)));
      return ite(inside, select(at, bits, no()), sign);
    }),
  );
}

export function insert(a: Term, b: Term, position: Term, length: Term): Term {
  const [pos, len] = [bitAnd(position, constant(0xff)), bitAnd(length, constant(0xff))];
  const bits = bitsOf(a);
  return wordOfBits(
    bitsOf(b).map((old, index) => {
      // The index within the field of the bit that goes to this position.
      const at = sub(constant(index), pos);
      const inside = and(compare('bvule', pos, constant(index)), compare('bvult', at, len));
      return ite(inside, select(at, bits, no()), old);
    }),
  );
}

/**
 * Shifts by any amount. If the amount is at least the width, the result consists of zeros or of
 * copies of the sign.
 */
export function shift(of: (a: Term, b: Term) => Term, a: Term, amount: Term): Term {
  if (amount.width === a.width) return of(a, amount);
  if (amount.width < a.width) return of(a, extend(amount, a.width));
  const limited = smaller('u', amount, constant(a.width, amount.width));
  return of(a, extract(limited, 0, a.width));
}

function funnel({ mods, source }: Lane): Results {
  const both = concat(source('b'), source('a'));
  const c = source('c');
  const amount = extend(mods.mode === 'clamp' ? smaller('u', c, constant(32)) : bitAnd(c, constant(31)), 64);
  return { d: mods.dir === 'l' ? extract(shiftLeft(both, amount), 32, 32) : extract(shiftRight(both, amount), 0, 32) };
}

/**
 * For each mode of prmt and value of c[1:0], the selected bytes, beginning with the least
 * significant one.
 */
const permutations: Readonly<Record<string, readonly (readonly number[])[]>> = {
  f4e: [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]],
  b4e: [[0, 7, 6, 5], [1, 0, 7, 6], [2, 1, 0, 7], [3, 2, 1, 0]],
  rc8: [[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]],
  ecl: [[0, 1, 2, 3], [1, 1, 2, 3], [2, 2, 2, 3], [3, 3, 3, 3]],
  ecr: [[0, 0, 0, 0], [0, 1, 1, 1], [0, 1, 2, 2], [0, 1, 2, 3]],
  rc16: [[0, 1, 0, 1], [2, 3, 2, 3], [0, 1, 0, 1], [2, 3, 2, 3]],
}; // biome-ignore format: a table

function permute({ mods, source }: Lane): Results {
  const both = concat(source('b'), source('a'));
  const bytes = Array.from({ length: 8 }, (_, index) => extract(both, index * 8, 8));
  const c = source('c');
  const join = (parts: readonly Term[]): Term =>
    parts.map((part, index) => shiftLeft(extend(part, 32), constant(8 * index))).reduce(bitOr);
  const table = permutations[mods.mode ?? ''];
  if (table !== undefined) {
    const chosen = table.map((order) => join(order.map((index) => bytes[index] ?? constant(0, 8))));
    return { d: select(bitAnd(c, constant(3)), chosen, constant(0)) };
  }
  return {
    d: join(
      [0, 1, 2, 3].map((index) => {
        const selector = extract(c, index * 4, 4);
        const picked = select(extract(selector, 0, 3), bytes, constant(0, 8));
        return ite(bitAt(selector, 3), ite(bitAt(picked, 7), constant(0xff, 8), constant(0, 8)), picked);
      }),
    ),
  };
}

/** Computes `lop3`: each bit is the entry of the table that the three source bits select. */
function table({ source }: Lane): Term {
  const [a, b, c, lut] = [source('a'), source('b'), source('c'), source('lut')];
  return wordOfBits(
    bitsOf(a).map((bit, index) => {
      const entry = (ta: number, tb: number, tc: number): Term => bitAt(lut, ta * 4 + tb * 2 + tc);
      const byC = (ta: number, tb: number): Term => ite(bitAt(c, index), entry(ta, tb, 1), entry(ta, tb, 0));
      const byB = (ta: number): Term => ite(bitAt(b, index), byC(ta, 1), byC(ta, 0));
      return ite(bit, byB(1), byB(0));
    }),
  );
}

function sizeExtend({ mods, type, source }: Lane): Results {
  const [a, b] = [source('a'), source('b')];
  const b1 = bitAnd(b, constant(31));
  const isTooLarge = and(bool(mods.mode === 'clamp'), compare('bvule', constant(32), b));
  const mask = ite(isTooLarge, constant(0), shiftLeft(constant(-1), b1));
  const place = bitAnd(sub(b1, constant(1)), constant(31));
  const isNegative = and(
    not(equal(b1, constant(0))),
    not(isTooLarge),
    bool(isSigned(type)),
    select(place, bitsOf(a), no()),
  );
  return {
    d: bitOr(bitAnd(a, complement(mask)), ite(isNegative, bitOr(mask, shiftLeft(constant(1), place)), constant(0))),
  };
}

function bitMask({ mods, source }: Lane): Results {
  const [a, b] = [source('a'), source('b')];
  const [a1, b1] = [bitAnd(a, constant(31)), bitAnd(b, constant(31))];
  const total = add(a1, b1);
  const isClamped = bool(mods.mode === 'clamp');
  const isOverA = and(isClamped, compare('bvule', constant(32), a));
  const isOverB = and(isClamped, compare('bvule', constant(32), b));
  const mask0 = ite(isOverA, constant(0), shiftLeft(constant(-1), a1));
  const isOver = or(compare('bvule', constant(32), total), isOverA, isOverB);
  const mask1 = ite(isOver, constant(0), ite(equal(b1, constant(0)), constant(-1), shiftLeft(constant(-1), total)));
  return { d: bitAnd(mask0, complement(mask1)) };
}

function dot4({ mods, source }: Lane): Results {
  const part = (word: Term, index: number, type = ''): Term => wide(type, extract(word, index * 8, 8), 32);
  const products = [0, 1, 2, 3].map((index) =>
    mul(part(source('a'), index, mods.atype), part(source('b'), index, mods.btype)),
  );
  return { d: [source('c'), ...products].reduce(add) };
}

function dot2({ mods, source }: Lane): Results {
  const products = [0, 1].map((index) => {
    const a = wide(mods.atype ?? '', extract(source('a'), index * 16, 16), 32);
    const b = wide(mods.btype ?? '', extract(source('b'), (index + (mods.half === 'lo' ? 0 : 2)) * 8, 8), 32);
    return mul(a, b);
  });
  return { d: [source('c'), ...products].reduce(add) };
}

/** Computes `fns`: the position of the offset-th set bit from a base, upwards or downwards. */
function nthSet({ source }: Lane): Results {
  const [mask, base, offset] = [source('mask'), source('base'), source('offset')];
  const bits = bitsOf(mask);
  const none = constant(-1);
  const search = (order: readonly number[], wanted: Term, isReached: (index: number) => Term): Term => {
    let seen = constant(0);
    let found = none;
    for (const index of order) {
      const counts = and(isReached(index), bits[index] ?? no());
      seen = add(seen, wordOf(counts));
      found = ite(and(counts, equal(seen, wanted), equal(found, none)), constant(index), found);
    }
    return found;
  };
  const up = [...bits.keys()];
  const isZero = equal(offset, constant(0));
  const upwards = search(up, offset, (index) => compare('bvule', base, constant(index)));
  const downwards = search([...up].reverse(), negate(offset), (index) => compare('bvule', constant(index), base));
  const here = ite(select(base, bits, no()), base, none);
  const d = ite(isZero, here, ite(compare('bvslt', constant(0), offset), upwards, downwards));
  return { d };
}

const comparisons: Readonly<Record<string, (type: string, a: Term, b: Term) => Term>> = {
  eq: (_, a, b) => equal(a, b),
  ne: (_, a, b) => not(equal(a, b)),
  lt: less,
  le: (type, a, b) => not(less(type, b, a)),
  gt: (type, a, b) => less(type, b, a),
  ge: (type, a, b) => not(less(type, a, b)),
  lo: (_, a, b) => less('u', a, b),
  ls: (_, a, b) => not(less('u', b, a)),
  hi: (_, a, b) => less('u', b, a),
  hs: (_, a, b) => not(less('u', a, b)),
};

function comparison({ mods, type, source }: Lane): Term {
  const of = comparisons[mods.cmp ?? ''];
  if (of === undefined) throw new Error(`no comparison ${mods.cmp}`);
  return of(type, source('a'), source('b'));
}

function combined(mods: Lane['mods'], value: Term, c: Term): Term {
  if (mods.bool === 'and') return and(value, c);
  return mods.bool === 'or' ? or(value, c) : not(equal(value, c));
}

/** Returns an operand such as `{!}c`, negated if the modifiers say so. */
const marked = ({ mods, source }: Lane, name: string): Term =>
  Object.keys(mods).some((mod) => mod.startsWith(name) && mods[mod] === '!') ? not(source(name)) : source(name);

/** Returns the result of `set`: for true, all ones, or 1.0 for f32; for false, 0. */
const setValue = (mods: Lane['mods'], value: Term): Term =>
  ite(value, constant(mods.dtype === 'f32' ? 0x3f800000 : -1), constant(0));

function convert({ mods, source }: Lane): Results {
  const { dtype = '', atype = '' } = mods;
  const a = source('a');
  const width = widthOf(dtype);
  if (mods.sat === undefined) return { d: width > a.width ? wide(atype, a, width) : extract(a, 0, width) };
  const size = Math.max(width, a.width) + 2;
  const value = wide(atype, a, size);
  const limit = isSigned(dtype) ? width - 1 : width;
  const highest = constant((1n << BigInt(limit)) - 1n, size);
  const lowest = constant(isSigned(dtype) ? -(1n << BigInt(limit)) : 0n, size);
  return { d: extract(larger('s', smaller('s', value, highest), lowest), 0, width) };
}

/** The formulas by row, for forms whose operands are integers, bits or predicates. */
export const laneFormulas: Readonly<Record<string, Formula>> = {
  add: (lane) => sum(lane, add),
  sub: (lane) => sum(lane, sub),
  mul: ({ mods, type, source }) => ({ d: half(mods, type, source('a'), source('b')) }),
  'mul.wide': ({ type, source }) => ({ d: product(type, source('a'), source('b')) }),
  mad: ({ mods, type, source }) => {
    const [high, c] = [half(mods, type, source('a'), source('b')), source('c')];
    if (mods.sat === undefined) return { d: add(high, c) };
    return { d: saturate(add(wide(type, high, 34), wide(type, c, 34)), 32) };
  },
  'mad.wide': ({ type, source }) => ({ d: add(product(type, source('a'), source('b')), source('c')) }),
  mul24: ({ mods, type, source }) => ({ d: half24(mods, type, source('a'), source('b')) }),
  mad24: ({ mods, type, source }) => {
    const [part, c] = [half24(mods, type, source('a'), source('b')), source('c')];
    return { d: mods.sat === undefined ? add(part, c) : saturate(add(wide(type, part, 34), wide(type, c, 34)), 32) };
  },
  sad: ({ type, source }) => {
    const [a, b] = [source('a'), source('b')];
    return { d: add(source('c'), ite(less(type, a, b), sub(b, a), sub(a, b))) };
  },
  div: ({ type, source }) => ({ d: apply(isSigned(type) ? 'bvsdiv' : 'bvudiv', source('a'), source('b')) }),
  rem: ({ type, source }) => ({ d: apply(isSigned(type) ? 'bvsrem' : 'bvurem', source('a'), source('b')) }),
  abs: ({ source }) => ({
    d: ite(compare('bvslt', source('a'), number(0, source('a'))), negate(source('a')), source('a')),
  }),
  neg: ({ source }) => ({ d: negate(source('a')) }),
  min: ({ mods, type, source }) => {
    const least = smaller(type, source('a'), source('b'));
    return { d: mods.relu === undefined ? least : larger(type, least, number(0, least)) };
  },
  max: ({ mods, type, source }) => {
    const most = larger(type, source('a'), source('b'));
    return { d: mods.relu === undefined ? most : larger(type, most, number(0, most)) };
  },
  popc: ({ source }) => ({ d: count(source('a')) }),
  clz: ({ source }) => ({ d: sub(constant(source('a').width - 1), top(source('a'))) }),
  bfind: ({ mods, type, source }) => {
    const a = source('a');
    const found = top(isSigned(type) ? ite(bitAt(a, a.width - 1), complement(a), a) : a);
    const isNone = equal(found, constant(-1));
    return { d: mods.shiftamt === undefined ? found : ite(isNone, found, sub(constant(a.width - 1), found)) };
  },
  fns: nthSet,
  brev: ({ source }) => ({ d: wordOfBits(bitsOf(source('a')).reverse()) }),
  bfe: ({ type, source }) => ({ d: field(source('a'), source('b'), source('c'), type) }),
  bfi: ({ source }) => ({ f: insert(source('a'), source('b'), source('c'), source('d')) }),
  szext: sizeExtend,
  bmsk: bitMask,
  dp4a: dot4,
  dp2a: dot2,
  'add.cc': ({ source }) => carrying([source('a'), source('b')], no()),
  addc: ({ source }) => carrying([source('a'), source('b')], source('carry')),
  // The carry of a subtraction is the inverse of its borrow.
  'sub.cc': ({ source }) => carrying([source('a'), complement(source('b'))], yes()),
  subc: ({ source }) => carrying([source('a'), complement(source('b'))], source('carry')),
  'mad.cc': ({ mods, type, source }) => carrying([half(mods, type, source('a'), source('b')), source('c')], no()),
  madc: ({ mods, type, source }) =>
    carrying([half(mods, type, source('a'), source('b')), source('c')], source('carry')),
  and: binary((type, a, b) => (type === 'pred' ? and(a, b) : bitAnd(a, b))),
  or: binary((type, a, b) => (type === 'pred' ? or(a, b) : bitOr(a, b))),
  xor: binary((type, a, b) => (type === 'pred' ? not(equal(a, b)) : bitXor(a, b))),
  not: ({ type, source }) => ({ d: type === 'pred' ? not(source('a')) : complement(source('a')) }),
  cnot: ({ source }) => ({
    d: ite(equal(source('a'), number(0, source('a'))), number(1, source('a')), number(0, source('a'))),
  }),
  lop3: (lane) => ({ d: table(lane) }),
  'lop3.bool': (lane) => {
    const d = table(lane);
    return { d, p: combined(lane.mods, not(equal(d, constant(0))), marked(lane, 'q')) };
  },
  shl: ({ source }) => ({ d: shift(shiftLeft, source('a'), source('b')) }),
  shr: ({ type, source }) => ({ d: shift(isSigned(type) ? shiftRightSigned : shiftRight, source('a'), source('b')) }),
  shf: funnel,
  prmt: permute,
  setp: (lane) => ({ p: comparison(lane), q: not(comparison(lane)) }),
  'setp.bool': (lane) => {
    const [value, c] = [comparison(lane), marked(lane, 'c')];
    return { p: combined(lane.mods, value, c), q: combined(lane.mods, not(value), c) };
  },
  set: (lane) => ({ d: setValue(lane.mods, comparison(lane)) }),
  'set.bool': (lane) => ({ d: setValue(lane.mods, combined(lane.mods, comparison(lane), marked(lane, 'c'))) }),
  selp: (lane) => ({ d: ite(marked(lane, 'c'), lane.source('a'), lane.source('b')) }),
  slct: ({ source }) => ({ d: ite(compare('bvslt', source('c'), constant(0)), source('b'), source('a')) }),
  mov: ({ source }) => ({ d: source('a') }),
  cvt: convert,
};

const isDivisor = ({ source }: Lane): Term => not(equal(source('b'), number(0, source('b'))));

/**
 * The conditions on the operands of rows whose results the manual defines only for some operands.
 */
export const definedFor: Readonly<Record<string, (lane: Lane) => Term>> = {
  div: isDivisor,
  rem: isDivisor,
  fns: ({ source }) => compare('bvult', source('base'), constant(32)),
};
