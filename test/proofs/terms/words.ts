// Bit-vectors.
import { equal, ite, mapChoice, not, powerOf } from './booleans.ts';
import {
  bool,
  constant,
  type Extremum,
  intern,
  isTrue,
  masked,
  no,
  type Op,
  signed,
  type Term,
  yes,
} from './intern.ts';

type Fold = (a: bigint, b: bigint, width: number) => bigint;

const folds: Partial<Readonly<Record<Op, Fold>>> = {
  bvadd: (a, b) => a + b,
  bvmul: (a, b) => a * b,
  bvand: (a, b) => a & b,
  bvor: (a, b) => a | b,
  bvxor: (a, b) => a ^ b,
  bvudiv: (a, b, width) => (b === 0n ? masked(-1n, width) : a / b),
  bvurem: (a, b) => (b === 0n ? a : a % b),
  bvshl: (a, b, width) => (b >= BigInt(width) ? 0n : a << b),
  bvlshr: (a, b, width) => (b >= BigInt(width) ? 0n : a >> b),
  bvashr: (a, b, width) => signed(a, width) >> (b >= BigInt(width) ? BigInt(width - 1) : b),
};

/**
 * Returns the result of an operator with a constant operand, such as `a + 0`, or undefined if no
 * rule applies.
 */
function unit(op: Op, a: Term, b: Term): Term | undefined {
  const ones = masked(-1n, a.width);
  switch (op) {
    case 'bvadd':
    case 'bvor':
    case 'bvxor':
      if (a.value === 0n) return b;
      if (b.value === 0n) return a;
      if (op === 'bvor' && (a.value === ones || b.value === ones)) return constant(ones, a.width);
      if (op === 'bvor' && a === b) return a;
      if (op !== 'bvxor') return undefined;
      if (a === b) return constant(0, a.width);
      if (a.value === ones) return complement(b);
      return b.value === ones ? complement(a) : undefined;
    case 'bvand':
      if (a.value === 0n || b.value === 0n) return constant(0, a.width);
      if (a.value === ones || a === b) return b;
      return b.value === ones ? a : undefined;
    case 'bvmul':
      if (a.value === 0n || b.value === 0n) return constant(0, a.width);
      if (a.value === 1n) return b;
      return b.value === 1n ? a : undefined;
    case 'bvshl':
    case 'bvlshr':
    case 'bvashr':
      if (b.value === 0n) return a;
      return op !== 'bvashr' && b.value !== undefined && b.value >= BigInt(a.width) ? constant(0, a.width) : undefined;
    case 'bvudiv':
    case 'bvurem': {
      const power = b.value === undefined ? -1 : powerOf(b.value);
      if (power < 0) return undefined;
      if (op === 'bvudiv') return shiftRight(a, constant(power, a.width));
      return bitAnd(a, constant((1n << BigInt(power)) - 1n, a.width));
    }
    default:
      return undefined;
  }
}

const commutes: ReadonlySet<Op> = new Set<Op>(['bvadd', 'bvmul', 'bvand', 'bvor', 'bvxor']);

export function apply(op: Op, a: Term, b: Term): Term {
  if (a.width !== b.width) throw new Error(`${op} of ${a.width} and ${b.width} bits`);
  const fold = folds[op];
  if (fold !== undefined && a.value !== undefined && b.value !== undefined)
    return constant(fold(a.value, b.value, a.width), a.width);
  const simple = unit(op, a, b);
  if (simple !== undefined) return simple;
  if (op === 'bvxor') {
    const [inner, mask] = a.value === undefined ? [a, b] : [b, a];
    const value = inner.args.find((arg) => arg.value !== undefined);
    const rest = inner.args.find((arg) => arg !== value);
    if (inner.kind === op && mask.value !== undefined && value !== undefined && rest !== undefined)
      return bitXor(rest, bitXor(value, mask));
    const [negated] = inner.args;
    if (inner.kind === 'bvnot' && mask.value !== undefined && negated !== undefined)
      return complement(bitXor(negated, mask));
  }
  const mapped = fold && (mapConstants(a, b, (x) => apply(op, x, b)) ?? mapConstants(b, a, (x) => apply(op, a, x)));
  if (mapped !== undefined) return mapped;
  const [first, second] = commutes.has(op) && a.id > b.id ? [b, a] : [a, b];
  return intern(op, [first, second], a.width);
}

/** Applies an operator with a constant to the constants of a choice. */
const mapConstants = (choice: Term, other: Term, of: (constant: Term) => Term): Term | undefined =>
  other.value === undefined ? undefined : mapChoice(choice, of);

export const add = (a: Term, b: Term): Term => apply('bvadd', a, b);
export const sub = (a: Term, b: Term): Term => (a === b ? constant(0, a.width) : add(a, negate(b)));
export const mul = (a: Term, b: Term): Term => apply('bvmul', a, b);
export const bitAnd = (a: Term, b: Term): Term => apply('bvand', a, b);
export const bitOr = (a: Term, b: Term): Term => apply('bvor', a, b);
export const bitXor = (a: Term, b: Term): Term => apply('bvxor', a, b);
export const shiftLeft = (a: Term, b: Term): Term => apply('bvshl', a, b);
export const shiftRight = (a: Term, b: Term): Term => apply('bvlshr', a, b);
export const shiftRightSigned = (a: Term, b: Term): Term => apply('bvashr', a, b);

export function negate(a: Term): Term {
  return a.value === undefined ? intern('bvneg', [a], a.width) : constant(-a.value, a.width);
}

export function complement(a: Term): Term {
  if (a.value !== undefined) return constant(~a.value, a.width);
  const [inner] = a.args;
  return a.kind === 'bvnot' && inner !== undefined ? inner : intern('bvnot', [a], a.width);
}

export type Comparison = 'bvult' | 'bvule' | 'bvslt' | 'bvsle';

export function compare(op: Comparison, a: Term, b: Term): Term {
  if (a === b) return bool(op === 'bvule' || op === 'bvsle');
  if (a.value !== undefined && b.value !== undefined) {
    const isSigned = op === 'bvslt' || op === 'bvsle';
    const x = isSigned ? signed(a.value, a.width) : a.value;
    const y = isSigned ? signed(b.value, b.width) : b.value;
    return bool(op === 'bvult' || op === 'bvslt' ? x < y : x <= y);
  }
  if (op === 'bvult' && b.value === 0n) return no();
  if (op === 'bvule' && a.value === 0n) return yes();
  return intern(op, [a, b], 0);
}

/** Returns the smaller or larger of two words. */
export function extremum(op: Extremum, a: Term, b: Term): Term {
  if (a === b) return a;
  if (op === 'umin' && b.value === 1n) return wordOf(not(equal(a, constant(0, a.width))), a.width);
  if (a.value === undefined || b.value === undefined) {
    const [first, second] = a.id > b.id ? [b, a] : [a, b];
    return intern(op, [first, second], a.width);
  }
  const isLess = compare(op === 'umin' || op === 'umax' ? 'bvult' : 'bvslt', a, b);
  return isTrue(isLess) === (op === 'umin' || op === 'smin') ? a : b;
}

export const below = (a: Term, b: Term): Term => compare('bvult', a, b);

export function extend(a: Term, width: number, isSigned = false): Term {
  if (a.width === width) return a;
  if (a.value !== undefined) return constant(isSigned ? signed(a.value, a.width) : a.value, width);
  return intern(isSigned ? 'sign_extend' : 'zero_extend', [a], width);
}

export function concat(high: Term, low: Term): Term {
  if (high.value !== undefined && low.value !== undefined)
    return constant((high.value << BigInt(low.width)) | low.value, high.width + low.width);
  return intern('concat', [high, low], high.width + low.width);
}

/** Returns a word whose least significant bit is a boolean. */
export const wordOf = (a: Term, width = 32): Term => ite(a, constant(1, width), constant(0, width));

/** Returns a word from its bits, of which the first is the least significant. */
export const wordOfBits = (bits: readonly Term[]): Term =>
  bits
    .map((bit, index) => ite(bit, constant(1n << BigInt(index), bits.length), constant(0, bits.length)))
    .reduce(bitOr);

/** Returns the item that an index selects, or `otherwise` if the index selects none. */
export const select = (index: Term, items: readonly Term[], otherwise: Term): Term =>
  items.reduceRight((rest, item, at) => ite(equal(index, constant(at, index.width)), item, rest), otherwise);
