// Decides claims with decision diagrams, one for each bit of a term. Fast for claims about few
// bits, such as lane numbers, and for conjunctions of many bits. Products of unknown words and
// divisions are left to the solver.
import { at, get } from '../../../src/base/invariants.ts';
import { getOrInsert } from '../../../src/base/maps.ts';
import { Diagrams, type Node, TooManyNodes } from './diagrams.ts';
import { orderOf } from './rewrite.ts';
import { Verdicts } from './shape.ts';
import type { Verdict } from './solver.ts';
import { bool, constant, equal, ite, type Term } from './term.ts';

/** The bits of a term, the least significant first; a boolean has one. */
type Bits = readonly Node[];

class Unsuitable extends Error {}

const diagrams = new Diagrams();

/**
 * Decides a claim; undefined if its diagrams are too large. The order of the variables determines
 * the size of the diagrams, so this tries several orders.
 */
export const decide = (claim: Term): Verdict | undefined => verdicts.of(claim, () => decideInOrders(claim));

const verdicts = new Verdicts();

function decideInOrders(claim: Term): Verdict | undefined {
  const order = orderOf(claim);
  const amounts = variablesOf(order.flatMap(amountOf));
  const selectors = new Set(order.filter(isSelector));
  return (
    (selectors.size > 0 ? decideInOrder(claim, order, selectors) : undefined) ??
    decideInOrder(claim, order, noVariables) ??
    decideInOrder(claim, orderOf(claim, true), noVariables) ??
    decideInOrder(claim, byLane(order), noVariables) ??
    (amounts.size > 0 ? decideInOrder(claim, order, amounts) : undefined)
  );
}

/** Puts the variables of each lane together. The first number in the name of a variable is its lane. */
function byLane(order: readonly Term[]): readonly Term[] {
  const laneOf = ({ kind, name }: Term): number => (kind === 'variable' ? Number(/\d+/.exec(name)?.[0] ?? 0) : 0); // Absent: no lane.
  const isVariable = ({ kind }: Term): boolean => kind === 'variable';
  const variables = order.filter(isVariable).sort((a, b) => laneOf(a) - laneOf(b));
  return [...variables, ...order.filter((term) => !isVariable(term))];
}

const noVariables: ReadonlySet<Term> = new Set();
const variablesOf = (terms: readonly Term[]): ReadonlySet<Term> =>
  new Set(terms.flatMap((term) => orderOf(term)).filter(({ kind }) => kind === 'variable'));

/** Whether a variable has a few bits, which select one of a few values. */
const isSelector = ({ kind, width }: Term): boolean => kind === 'variable' && width > 1 && width < 6;

/** The amount of a shift by an unknown amount. */
function amountOf({ kind, args }: Term): readonly Term[] {
  const [, amount] = args;
  const isShift = kind === 'bvshl' || kind === 'bvlshr' || kind === 'bvashr';
  return isShift && amount !== undefined && amount.value === undefined ? [amount] : [];
}

/**
 * Decides a claim with one order of the variables: that of their occurrence in `order`, and `first`
 * before all others.
 */
const decideInOrder = (claim: Term, order: readonly Term[], first: ReadonlySet<Term>): Verdict | undefined =>
  withDiagrams(order, first, (blaster) => {
    const node = single(blaster.bitsOf(claim));
    if (node === 1) return { kind: 'proved', by: 'diagrams' };
    return { kind: 'refuted', values: blaster.values(diagrams.falsify(node)) };
  });

/** Returns a result that needs the diagrams of terms; undefined if they are too large, or a term has none. */
function withDiagrams<T>(
  order: readonly Term[],
  first: ReadonlySet<Term>,
  work: (blaster: Blaster) => T,
): T | undefined {
  diagrams.clear();
  try {
    const blaster = new Blaster(
      order.filter(({ kind }) => kind === 'variable'),
      first,
    );
    for (const term of order) blaster.add(term);
    return work(blaster);
  } catch (error) {
    if (error instanceof Unsuitable || error instanceof TooManyNodes) return undefined;
    throw error;
  }
}

/**
 * Returns the values that a choice selects from, each with the condition under which it is selected.
 * A condition has one form for each boolean function, which is small if its diagram is. Undefined if
 * a condition is unsuitable for diagrams.
 */
export function selectedValues(choice: Term): ReadonlyMap<Term, Term> | undefined {
  const choices = orderOf(choice).filter(({ kind, width }) => kind === 'ite' && width === choice.width);
  const conditions = choices.map(({ args }) => at(args, 0, 'a condition'));
  const order = byLane([...new Set(conditions.flatMap((each) => orderOf(each)))]);
  return withDiagrams(order, noVariables, (blaster) => {
    const reached = new Map<Term, Node>([[choice, 1]]);
    const reach = (term: Term, node: Node): void => {
      reached.set(term, diagrams.or(node, reached.get(term) ?? 0)); // Absent: not reached before.
    };
    for (const each of [...choices].reverse()) {
      const node = reached.get(each);
      const [condition, then, otherwise] = each.args;
      if (node === undefined || condition === undefined || then === undefined || otherwise === undefined) continue;
      reached.delete(each);
      const taken = single(blaster.bitsOf(condition));
      reach(then, diagrams.and(node, taken));
      reach(otherwise, diagrams.and(node, diagrams.not(taken)));
    }
    const known = new Map<Node, Term>();
    const termOfNode = (node: Node): Term =>
      getOrInsert(known, node, () => {
        if (node <= 1) return bool(node === 1);
        const { variable, low, high } = diagrams.parts(node);
        return ite(blaster.variableOf(variable), termOfNode(high), termOfNode(low));
      });
    return new Map([...reached].filter(([, node]) => node !== 0).map(([value, node]) => [value, termOfNode(node)]));
  });
}

class Blaster {
  private readonly bits = new Map<Term, Bits>();
  private readonly variables: readonly Term[];
  private readonly first: ReadonlySet<Term>;

  /** `first`: variables whose bits precede those of all others. */
  constructor(variables: readonly Term[], first: ReadonlySet<Term>) {
    this.variables = variables;
    this.first = first;
  }

  bitsOf = (term: Term): Bits => get(this.bits, term, 'the bits of a term');

  add(term: Term): void {
    this.bits.set(term, this.of(term));
  }

  /** Returns the values of the variables in an assignment of their bits. */
  values(set: readonly number[]): ReadonlyMap<string, bigint> {
    const values = new Map(this.variables.map(({ name }) => [name, 0n]));
    for (const number of set) {
      const { name } = at(this.variables, number % this.variables.length, 'a variable');
      const bit = top - (Math.floor(number / this.variables.length) % (top + 1));
      values.set(name, get(values, name, 'a value') | (1n << BigInt(bit)));
    }
    return values;
  }

  /** Returns a variable of one bit from the number of its bit. */
  variableOf(number: number): Term {
    const found = at(this.variables, number % this.variables.length, 'a variable');
    if (found.width > 1) throw new Unsuitable('a bit of a word');
    return found.width === 0 ? found : equal(found, constant(1, 1));
  }

  private of(term: Term): Bits {
    const { kind, width, value, low } = term;
    if (value !== undefined) return bitsOfNumber(value, Math.max(width, 1));
    const args = term.args.map(this.bitsOf);
    const [a = [], b = [], c = []] = args; // Absent: variables, and operators with fewer operands.
    const [first = 0] = a;
    switch (kind) {
      case 'variable': {
        // The bits of all variables alternate, because most operators combine bits of one position.
        // High bits come first: operators that go from low to high bits then extend diagrams at the
        // top.
        const number = this.variables.indexOf(term);
        const start = this.first.has(term) || this.first.size === 0 ? top : 2 * top + 1;
        return range(Math.max(width, 1), (bit) => diagrams.variable((start - bit) * this.variables.length + number));
      }
      case 'not':
        return [diagrams.not(first)];
      case 'and':
        return [args.map(single).reduce(diagrams.and)];
      case 'or':
        return [args.map(single).reduce(diagrams.or)];
      case '=':
        return [isEqual(a, b)];
      case 'ite':
        return choice(first, b, c);
      case 'bvnot':
        return a.map(diagrams.not);
      case 'bvneg':
        return sum(bitsOfNumber(0n, width), a.map(diagrams.not), 1);
      case 'bvadd':
        return sum(a, b, 0);
      case 'bvand':
        return a.map((bit, index) => diagrams.and(bit, at(b, index, 'a bit')));
      case 'bvor':
        return a.map((bit, index) => diagrams.or(bit, at(b, index, 'a bit')));
      case 'bvxor':
        return a.map((bit, index) => diagrams.xor(bit, at(b, index, 'a bit')));
      case 'umin':
      case 'umax':
        return choice(kind === 'umin' ? isLess(a, b) : isLess(b, a), a, b);
      case 'smin':
      case 'smax':
        return choice(kind === 'smin' ? isLess(biased(a), biased(b)) : isLess(biased(b), biased(a)), a, b);
      case 'bvmul':
        return product(a, b);
      case 'bvult':
        return [isLess(a, b)];
      case 'bvule':
        return [diagrams.not(isLess(b, a))];
      case 'bvslt':
        return [isLess(biased(a), biased(b))];
      case 'bvsle':
        return [diagrams.not(isLess(biased(b), biased(a)))];
      case 'bvshl':
        return shifted([...a].reverse(), b, 0).reverse();
      case 'bvlshr':
        return shifted(a, b, 0);
      case 'bvashr':
        return shifted(a, b, at(a, width - 1, 'a bit'));
      case 'concat':
        return [...b, ...a];
      case 'extract':
        return a.slice(low, low + width);
      case 'zero_extend':
        return [...a, ...range(width - a.length, () => 0)];
      case 'sign_extend':
        return [...a, ...range(width - a.length, () => at(a, a.length - 1, 'a bit'))];
      default:
        throw new Unsuitable(kind);
    }
  }
}

/** The highest bit of a variable. */
const top = 63;

const range = <T>(length: number, of: (index: number) => T): T[] => Array.from({ length }, (_, index) => of(index));
const bitsOfNumber = (value: bigint, width: number): Node[] =>
  range(width, (bit) => Number((value >> BigInt(bit)) & 1n));
const single = (bits: Bits): Node => at(bits, 0, 'a bit');

const isEqual = (a: Bits, b: Bits): Node =>
  a
    .map((bit, index) => diagrams.not(diagrams.xor(bit, at(b, index, 'a bit'))))
    .reduce((rest, same) => diagrams.and(same, rest), 1);

function sum(a: Bits, b: Bits, carryIn: Node): Node[] {
  let carry = carryIn;
  return a.map((bit, index) => {
    const other = at(b, index, 'a bit');
    const differ = diagrams.xor(bit, other);
    const result = diagrams.xor(differ, carry);
    carry = diagrams.ite(differ, carry, bit);
    return result;
  });
}

/** If both factors of a product have more unknown bits than this, its diagrams may be too large. */
const maxUnknownBits = 6;
const unknownBits = (bits: Bits): number => bits.filter((bit) => bit > 1).length;

function product(a: Bits, b: Bits): Bits {
  const [factor, other] = unknownBits(a) < unknownBits(b) ? [a, b] : [b, a];
  if (unknownBits(factor) > maxUnknownBits) throw new Unsuitable('a product of unknown words');
  let total = bitsOfNumber(0n, a.length);
  for (const [place, bit] of factor.entries()) {
    if (bit === 0) continue;
    const moved = [...range(place, () => 0), ...other.slice(0, other.length - place)];
    total = sum(
      total,
      moved.map((each) => diagrams.and(bit, each)),
      0,
    );
  }
  return total;
}

/** Whether a is less than b, as unsigned numbers. */
const isLess = (a: Bits, b: Bits): Node =>
  a.reduce((rest, bit, index) => {
    const other = at(b, index, 'a bit');
    return diagrams.ite(diagrams.xor(bit, other), other, rest);
  }, 0);

const choice = (condition: Node, a: Bits, b: Bits): Bits =>
  a.map((bit, index) => diagrams.ite(condition, bit, at(b, index, 'a bit')));

/** The order of signed numbers is that of unsigned ones with the other sign bit. */
const biased = (a: Bits): Bits => a.map((bit, index) => (index === a.length - 1 ? diagrams.not(bit) : bit));

/** A shift to the right that fills with a bit. */
function shifted(a: Bits, amount: Bits, fill: Node): Node[] {
  let now = [...a];
  for (const [power, bit] of amount.entries()) {
    const by = 2 ** power;
    now = now.map((old, index) => diagrams.ite(bit, by < now.length ? (now[index + by] ?? fill) : fill, old)); // Absent: beyond the end.
  }
  return now;
}
