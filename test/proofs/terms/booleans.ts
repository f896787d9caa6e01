// Booleans, equality, choices, and the bits of words.
import { getOrInsert } from '../../../src/base/maps.ts';
import { bool, constant, intern, isFalse, isTrue, no, type Term, yes } from './intern.ts';

export const not = (a: Term): Term => getOrInsert(negations, a, () => negationOf(a));

const negations = new WeakMap<Term, Term>();

/** The negation of an `and` is an `or` and vice versa (De Morgan), so each junction has one form. */
function negationOf(term: Term): Term {
  const { kind, value, args } = term;
  if (value !== undefined) return bool(value === 0n);
  const [inner] = args;
  if (kind === 'and') return or(...args.map(not));
  if (kind === 'or') return and(...args.map(not));
  return kind === 'not' && inner !== undefined ? inner : intern('not', [term], 0);
}

/** Returns the operands of an `and` or `or`, or the only part of another term. */
export const partsOf = (kind: 'and' | 'or', term: Term): readonly Term[] => (term.kind === kind ? term.args : [term]);

function junction(kind: 'and' | 'or', list: readonly Term[]): Term {
  const absorbing = kind === 'and' ? isFalse : isTrue;
  const neutral = kind === 'and' ? isTrue : isFalse;
  const parts = new Set<Term>();
  for (const term of list) {
    if (absorbing(term)) return bool(kind === 'or');
    if (neutral(term)) continue;
    const own = partsOf(kind, term);
    if (own.length > 1 && list.includes(not(term))) return bool(kind === 'or');
    for (const part of own) parts.add(part);
  }
  for (const part of parts) if (parts.has(not(part))) return bool(kind === 'or');
  const [first] = parts;
  if (first === undefined) return bool(kind === 'and');
  return parts.size === 1
    ? first
    : intern(
        kind,
        [...parts].sort((a, b) => a.id - b.id),
        0,
      );
}

export const and = (...list: readonly Term[]): Term => junction('and', list);
export const or = (...list: readonly Term[]): Term => junction('or', list);
export const implies = (a: Term, b: Term): Term => or(not(a), b);

export function equal(a: Term, b: Term): Term {
  if (a === b) return yes();
  if (a.value !== undefined && b.value !== undefined) return bool(a.value === b.value);
  if (a.width === 0) {
    if (a.value !== undefined) return a.value === 1n ? b : not(b);
    if (b.value !== undefined) return b.value === 1n ? a : not(a);
  }
  const chosen =
    isConsecutive(a, b) ??
    isConsecutive(b, a) ??
    equalChoice(a, b) ??
    equalChoice(b, a) ??
    isNothing(a, b) ??
    isNothing(b, a) ??
    isSum(a, b) ??
    isSum(b, a) ??
    isBits(a, b) ??
    isBits(b, a);
  if (chosen !== undefined) return chosen;
  if (a.width > 0 && hasBits(a) && hasBits(b))
    return and(...Array.from({ length: a.width }, (_, index) => equal(bitAt(a, index), bitAt(b, index))));
  // Constants come second, so that claims about different lanes have one shape.
  const isInOrder = a.value === undefined && (b.value !== undefined || a.id < b.id);
  return intern('=', isInOrder ? [a, b] : [b, a], 0);
}

/** Simplifies the comparison of a choice between constants with a constant. */
const equalChoice = (choice: Term, other: Term): Term | undefined =>
  other.value === undefined ? undefined : mapChoice(choice, (term) => bool(term.value === other.value));

const counts = new WeakMap<Term, number>();
/** The number of constants that a term chooses from; infinite for other terms. */
const choicesOf = (term: Term): number =>
  getOrInsert(counts, term, () => {
    if (term.value !== undefined) return 1;
    if (term.kind !== 'ite') return Number.POSITIVE_INFINITY;
    return term.args.slice(1).reduce((sum, each) => sum + choicesOf(each), 0);
  });
/** Operators apply to each constant of a choice up to this number, which exceeds that of lanes. */
const maxChoices = 64;

/** Applies a function to the constants of a choice between constants; undefined for other terms. */
export function mapChoice(term: Term, of: (constant: Term) => Term): Term | undefined {
  if (term.kind !== 'ite' || choicesOf(term) > maxChoices) return undefined;
  const known = new Map<Term, Term>();
  const visit = (each: Term): Term => {
    const [condition, then, otherwise] = each.args;
    if (condition === undefined || then === undefined || otherwise === undefined) return of(each);
    return getOrInsert(known, each, () => ite(condition, visit(then), visit(otherwise)));
  };
  return visit(term);
}

/**
 * Simplifies the comparison of x * x + x with zero. The sum is the product of x and x + 1, and one
 * of these is odd. So the other one must be a multiple of the number of words.
 */
function isConsecutive({ kind, args, width }: Term, other: Term): Term | undefined {
  const [a, b] = args;
  if (kind !== 'bvadd' || other.value !== 0n || a === undefined || b === undefined) return undefined;
  const isSquare = (product: Term, x: Term): boolean =>
    product.kind === 'bvmul' && product.args.every((arg) => arg === x);
  const x = isSquare(a, b) ? b : isSquare(b, a) ? a : undefined;
  return x === undefined ? undefined : or(equal(x, constant(0, width)), equal(x, constant(-1, width)));
}

/** Simplifies the comparison of a bitwise or with zero: each operand must be zero. */
function isNothing({ kind, args }: Term, other: Term): Term | undefined {
  return kind === 'bvor' && other.value === 0n ? and(...args.map((arg) => equal(arg, other))) : undefined;
}

/** Simplifies the comparison of a sum with a constant, if an addend is a constant. */
function isSum({ kind, args, width }: Term, { value }: Term): Term | undefined {
  if (kind !== 'bvadd' || value === undefined) return undefined;
  const number = args.find((arg) => arg.value !== undefined)?.value;
  const rest = args.find((arg) => arg.value === undefined);
  if (number === undefined || rest === undefined) return undefined;
  return equal(rest, constant(value - number, width));
}

/** Simplifies the comparison of some bits of a word with a constant. */
function isBits({ kind, args, width, low }: Term, { value }: Term): Term | undefined {
  if (value === undefined) return undefined;
  const [a, b] = args;
  if (kind === 'extract' && width === 1 && a !== undefined) {
    const bit = bitAt(a, low);
    return value === 1n ? bit : not(bit);
  }
  if (kind !== 'bvand' || a === undefined || b === undefined) return undefined;
  const [word, mask] = a.value === undefined ? [a, b.value] : [b, a.value];
  if (mask === undefined) return undefined;
  if ((value & ~mask) !== 0n) return no();
  const index = powerOf(mask);
  if (index < 0) return undefined;
  const bit = bitAt(word, index);
  return value === 0n ? not(bit) : bit;
}

export function ite(condition: Term, then: Term, otherwise: Term): Term {
  if (condition.value !== undefined) return condition.value === 1n ? then : otherwise;
  if (then === otherwise) return then;
  if (then.width === 0) {
    if (then.value !== undefined) return then.value === 1n ? or(condition, otherwise) : and(not(condition), otherwise);
    if (otherwise.value !== undefined) return otherwise.value === 1n ? or(not(condition), then) : and(condition, then);
  }
  const [inner] = condition.args;
  if (condition.kind === 'not' && inner !== undefined) return ite(inner, otherwise, then);
  // An inner choice with the same condition is already decided.
  const [same, kept] = then.args;
  if (then.kind === 'ite' && same === condition && kept !== undefined) return ite(condition, kept, otherwise);
  if (otherwise.kind === 'ite' && otherwise.args[0] === condition && otherwise.args[2] !== undefined)
    return ite(condition, then, otherwise.args[2]);
  return intern('ite', [condition, then, otherwise], then.width);
}

export function extract(a: Term, low: number, width: number): Term {
  if (low === 0 && width === a.width) return a;
  if (a.value !== undefined) return constant(a.value >> BigInt(low), width);
  const [first, second] = a.args;
  if (a.kind === 'zero_extend' && first !== undefined) {
    if (low >= first.width) return constant(0, width);
    if (low + width <= first.width) return extract(first, low, width);
  }
  if (a.kind === 'concat' && first !== undefined && second !== undefined) {
    if (low + width <= second.width) return extract(second, low, width);
    if (low >= second.width) return extract(first, low - second.width, width);
  }
  return intern('extract', [a], width, low);
}

/** The exponent of a power of two; -1 for other numbers. */
export const powerOf = (value: bigint): number =>
  value > 0n && (value & (value - 1n)) === 0n ? value.toString(2).length - 1 : -1;

const madeOfBits = new WeakMap<Term, boolean>();

/** Whether a word consists of booleans: constants, choices between them, and operators that move or combine bits. */
export const hasBits = (term: Term): boolean =>
  getOrInsert(madeOfBits, term, () => {
    switch (term.kind) {
      case 'constant':
        return true;
      case 'ite':
        return term.args.slice(1).every(hasBits);
      case 'bvand':
      case 'bvor':
      case 'bvxor':
      case 'bvnot':
        return term.args.every(hasBits);
      case 'bvshl':
      case 'bvlshr': {
        const [word, amount] = term.args;
        return word !== undefined && hasBits(word) && amount?.value !== undefined;
      }
      default:
        return false;
    }
  });

const knownBits = new WeakMap<Term, Map<number, Term>>();

/**
 * Whether a bit of a word is set. Bitwise operators, choices and shifts by constants become
 * operators of booleans, so a bit depends on few terms.
 */
export const bitAt = (a: Term, index: number): Term =>
  getOrInsert(
    getOrInsert(knownBits, a, () => new Map<number, Term>()),
    index,
    () => structuralBit(a, index) ?? intern('=', [extract(a, index, 1), constant(1, 1)], 0),
  );

function structuralBit({ kind, value, args, low, width }: Term, index: number): Term | undefined {
  if (value !== undefined) return bool(((value >> BigInt(index)) & 1n) === 1n);
  const [a, b, c] = args;
  if (a === undefined) return undefined;
  switch (kind) {
    case 'bvnot':
      return not(bitAt(a, index));
    case 'extract':
      return bitAt(a, low + index);
    case 'zero_extend':
      return index < a.width ? bitAt(a, index) : no();
    case 'sign_extend':
      return bitAt(a, Math.min(index, a.width - 1));
    default:
  }
  if (b === undefined) return undefined;
  switch (kind) {
    case 'bvand': {
      const word = withLowest(a, b) ?? withLowest(b, a);
      if (word === undefined) return and(bitAt(a, index), bitAt(b, index));
      const lower = Array.from({ length: index }, (_, below) => bitAt(word, below));
      return and(bitAt(word, index), or(...lower));
    }
    case 'bvor':
      return or(bitAt(a, index), bitAt(b, index));
    case 'bvxor':
      return not(equal(bitAt(a, index), bitAt(b, index)));
    case 'concat':
      return index < b.width ? bitAt(b, index) : bitAt(a, index - b.width);
    case 'ite':
      return c === undefined ? undefined : ite(a, bitAt(b, index), bitAt(c, index));
    case 'bvshl':
    case 'bvlshr': {
      if (b.value === undefined) return undefined;
      const from = kind === 'bvshl' ? index - Number(b.value) : index + Number(b.value);
      return from >= 0 && from < width ? bitAt(a, from) : no();
    }
    default:
      return undefined;
  }
}

/** Returns x for the operands x and x - 1 of an `and`, which clears the lowest 1 of x. */
function withLowest(word: Term, { kind, args, width }: Term): Term | undefined {
  return kind === 'bvadd' && args.includes(word) && args.includes(constant(-1, width)) ? word : undefined;
}
