// Terms over bit-vectors and booleans. Equal terms are the same object, and operations on constants
// are folded, so that most of a shader's execution (lane numbers, loop counts) creates no terms.

/** The operators of SMT-LIB that terms use. */
export type Op =
  | 'bvneg' | 'bvnot' | 'bvadd' | 'bvmul' | 'bvudiv' | 'bvurem' | 'bvsdiv' | 'bvsrem'
  | 'bvand' | 'bvor' | 'bvxor' | 'bvshl' | 'bvlshr' | 'bvashr' | 'concat'
  | 'bvult' | 'bvule' | 'bvslt' | 'bvsle' | '=' | 'not' | 'and' | 'or' | 'ite'
  | 'extract' | 'zero_extend' | 'sign_extend'; // biome-ignore format: one line per family

export interface Term {
  readonly id: number;
  readonly kind: 'constant' | 'variable' | Op;
  readonly args: readonly Term[];
  /** The number of bits; 0 for a boolean. */
  readonly width: number;
  /** The bits of a constant; 0n or 1n for a boolean. */
  readonly value: bigint | undefined;
  /** The name of a variable. */
  readonly name: string;
  /** The lowest bit of an `extract`. */
  readonly low: number;
}

const terms = new Map<string, Term>();

function intern(
  kind: Term['kind'],
  args: readonly Term[],
  width: number,
  rest: { readonly value?: bigint; readonly name?: string; readonly low?: number } = {},
): Term {
  const { value, name = '', low = 0 } = rest;
  const key = `${kind} ${width} ${args.map(({ id }) => id).join()} ${value === undefined ? '' : value} ${name} ${low}`;
  const known = terms.get(key);
  if (known !== undefined) return known;
  const term: Term = { id: terms.size, kind, args, width, value, name, low };
  terms.set(key, term);
  return term;
}

/** Forgets all terms. Terms from before this call must not be combined with later terms. */
export const forgetTerms = (): void => terms.clear();

const masked = (value: bigint, width: number): bigint => BigInt.asUintN(width, value);
const signed = (value: bigint, width: number): bigint => BigInt.asIntN(width, value);

export const constant = (value: bigint | number, width = 32): Term =>
  intern('constant', [], width, { value: masked(BigInt(value), width) });
export const bool = (value: boolean): Term => intern('constant', [], 0, { value: value ? 1n : 0n });
export const yes = (): Term => bool(true);
export const no = (): Term => bool(false);

/** Returns a free value. Variables with equal names are the same variable. */
export const variable = (name: string, width = 32): Term => intern('variable', [], width, { name });

let fresh = 0;
/** Returns a new free value, for a result that a specification leaves undefined. */
export const anything = (width = 32): Term => variable(`any${fresh++}`, width);

export const isTrue = ({ width, value }: Term): boolean => width === 0 && value === 1n;
export const isFalse = ({ width, value }: Term): boolean => width === 0 && value === 0n;

// Booleans.

export function not(a: Term): Term {
  if (a.value !== undefined) return bool(a.value === 0n);
  const [inner] = a.args;
  return a.kind === 'not' && inner !== undefined ? inner : intern('not', [a], 0);
}

/**
 * Returns the operands of an `and` or `or`. For a negated term of the other kind, returns the
 * negated operands (De Morgan).
 */
export function partsOf(kind: 'and' | 'or', term: Term): readonly Term[] {
  const [inner] = term.args;
  if (term.kind === kind) return term.args;
  const dual = kind === 'and' ? 'or' : 'and';
  return term.kind === 'not' && inner?.kind === dual ? inner.args.map(not) : [term];
}

function junction(kind: 'and' | 'or', list: readonly Term[]): Term {
  const absorbing = kind === 'and' ? isFalse : isTrue;
  const neutral = kind === 'and' ? isTrue : isFalse;
  const parts = new Set<Term>();
  const whole = new Set(list);
  for (const term of list) {
    if (absorbing(term) || whole.has(not(term))) return bool(kind === 'or');
    if (neutral(term)) continue;
    for (const part of partsOf(kind, term)) parts.add(part);
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
  const chosen = equalChoice(a, b) ?? equalChoice(b, a) ?? isNothing(a, b) ?? isNothing(b, a);
  if (chosen !== undefined) return chosen;
  const [first, second] = a.id < b.id ? [a, b] : [b, a];
  return intern('=', [first, second], 0);
}

/** Simplifies the comparison of a choice between two constants with a third constant. */
function equalChoice({ kind, args }: Term, other: Term): Term | undefined {
  const [condition, then, otherwise] = args;
  if (kind !== 'ite' || other.value === undefined || condition === undefined) return undefined;
  if (then?.value === undefined || otherwise?.value === undefined) return undefined;
  return ite(condition, bool(then.value === other.value), bool(otherwise.value === other.value));
}

/** Simplifies the comparison of a bitwise or with zero: each operand must be zero. */
function isNothing({ kind, args }: Term, other: Term): Term | undefined {
  return kind === 'bvor' && other.value === 0n ? and(...args.map((arg) => equal(arg, other))) : undefined;
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

// Bit-vectors.

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

/** The exponent of a power of two; -1 for other numbers. */
const powerOf = (value: bigint): number =>
  value > 0n && (value & (value - 1n)) === 0n ? value.toString(2).length - 1 : -1;

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
      return op === 'bvxor' && a === b ? constant(0, a.width) : undefined;
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
  const [first, second] = commutes.has(op) && a.id > b.id ? [b, a] : [a, b];
  return intern(op, [first, second], a.width);
}

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

export const below = (a: Term, b: Term): Term => compare('bvult', a, b);

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
  return intern('extract', [a], width, { low });
}

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

/** Whether a bit of a word is set. */
export const bitAt = (a: Term, index: number): Term => equal(extract(a, index, 1), constant(1, 1));

/** Returns a word from its bits, of which the first is the least significant. */
export const wordOfBits = (bits: readonly Term[]): Term =>
  bits
    .map((bit, index) => ite(bit, constant(1n << BigInt(index), bits.length), constant(0, bits.length)))
    .reduce(bitOr);

/** Returns the item that an index selects, or `otherwise` if the index selects none. */
export const select = (index: Term, items: readonly Term[], otherwise: Term): Term =>
  items.reduceRight((rest, item, at) => ite(equal(index, constant(at, index.width)), item, rest), otherwise);
