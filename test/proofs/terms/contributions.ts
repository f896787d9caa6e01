// Simplifies claims about reductions. A reduction such as a sum or a minimum combines values, some of
// them under conditions. Two reductions are equal for any values if each value contributes to both
// under the same condition, so the solver compares conditions instead of words.
import { at } from '../../../src/base/invariants.ts';
import { getOrInsert } from '../../../src/base/maps.ts';
import {
  and,
  bitXor,
  complement,
  constant,
  type Extremum,
  equal,
  extremum,
  ite,
  no,
  not,
  or,
  type Term,
  yes,
} from './term.ts';

/** For each value, the condition under which it contributes. */
type Contributions = ReadonlyMap<Term, Term>;

export interface Monoid {
  readonly kind: Term['kind'];
  readonly identity: bigint;
  /** Whether a value may contribute twice. */
  readonly isIdempotent: boolean;
}

const monoids: ReadonlyMap<Term['kind'], Omit<Monoid, 'kind'>> = new Map([
  ['bvadd', { identity: 0n, isIdempotent: false }],
  ['bvxor', { identity: 0n, isIdempotent: false }],
  ['bvor', { identity: 0n, isIdempotent: true }],
  ['bvand', { identity: 0xffffffffn, isIdempotent: true }],
  ['umin', { identity: 0xffffffffn, isIdempotent: true }],
  ['umax', { identity: 0n, isIdempotent: true }],
  ['smin', { identity: 0x7fffffffn, isIdempotent: true }],
  ['smax', { identity: 0x80000000n, isIdempotent: true }],
]);

/** Returns a claim about conditions from which an equation of reductions follows; undefined for others. */
export function compareContributions(a: Term, b: Term): Term | undefined {
  if (a.width !== 32) return undefined;
  const [left, right] = [distributed(a), distributed(b)];
  const monoid = reductionOf(left, right);
  if (monoid === undefined) return undefined;
  const counter = new Counter(monoid);
  const [first, second] = [counter.of(left), counter.of(right)];
  const keys = new Set([...first.keys(), ...second.keys()]);
  const condition = (of: Contributions, key: Term): Term => of.get(key) ?? no(); // Absent: does not contribute.
  return and(...counter.requirements, ...[...keys].map((key) => equal(condition(first, key), condition(second, key))));
}

/** Returns the operator that combines values in one of two terms. */
export function reductionOf(a: Term, b: Term): Monoid | undefined {
  const kind = reductionIn(a) ?? reductionIn(b);
  const monoid = kind && monoids.get(kind);
  return kind && monoid && { kind, ...monoid };
}

/** Returns the values that contribute to a minimum or maximum. */
export function contributionsOf(term: Term): Contributions {
  const monoid = monoids.get(term.kind);
  if (monoid?.isIdempotent !== true) throw new Error(`${term.kind} is not an extremum`);
  return new Counter({ kind: term.kind, ...monoid }).of(term);
}

const sign = 0x80000000n;
/** A change of these bits is one of the sign and a complement. */
const magnitude = 0x7fffffffn;
const complements = { umin: 'umax', umax: 'umin', smin: 'smax', smax: 'smin' } as const;
const signs = { umin: 'smin', umax: 'smax', smin: 'umin', smax: 'umax' } as const;

/** Moves complements and changes of the sign from minima and maxima to their operands. */
export function distributed(root: Term): Term {
  const known = new Map<Term, Term>();
  const visit = (term: Term): Term => getOrInsert(known, term, () => of(term));
  const of = (term: Term): Term => {
    const [a, b] = term.args;
    if (a === undefined) return term;
    if (term.kind === 'bvnot') return distribute(visit(a), complement, complements);
    const mask = a.value ?? b?.value; // Absent: an operator of two unknown words.
    if (term.kind === 'bvxor' && b !== undefined && (mask === sign || mask === magnitude)) {
      const inner = visit(a.value === mask ? b : a);
      const signed = distribute(inner, (each) => bitXor(each, constant(sign)), signs);
      return mask === sign ? signed : distribute(signed, complement, complements);
    }
    return term.kind === 'ite' || term.kind in signs ? mapOperands(term, visit, (kind) => kind) : term;
  };
  return visit(root);
}

function extremumOf({ kind }: Term): Extremum {
  if (kind === 'umin' || kind === 'umax' || kind === 'smin' || kind === 'smax') return kind;
  throw new Error(`${kind} is not an extremum`);
}

function distribute(term: Term, change: (term: Term) => Term, duals: Readonly<Record<Extremum, Extremum>>): Term {
  const known = new Map<Term, Term>();
  const visit = (each: Term): Term =>
    each.kind !== 'ite' && !(each.kind in duals)
      ? change(each)
      : getOrInsert(known, each, () => mapOperands(each, visit, (kind) => duals[kind]));
  return visit(term);
}

/** Changes the operands of an extremum and its kind, or the values of a choice. */
function mapOperands(term: Term, of: (term: Term) => Term, kindOf: (kind: Extremum) => Extremum): Term {
  const [a, b, c] = term.args;
  if (a === undefined || b === undefined) throw new Error(`${term.kind} has operands`);
  if (c !== undefined) return ite(a, of(b), of(c));
  return extremum(kindOf(extremumOf(term)), of(a), of(b));
}

/** The operator that combines values in a term, below its choices. */
function reductionIn(term: Term): Term['kind'] | undefined {
  const seen = new Set<Term>();
  const search = (each: Term): Term['kind'] | undefined => {
    if (seen.has(each)) return undefined;
    seen.add(each);
    if (monoids.has(each.kind)) return each.kind;
    if (each.kind !== 'ite') return undefined;
    return search(at(each.args, 1, 'a choice')) ?? search(at(each.args, 2, 'a choice'));
  };
  return search(term);
}

class Counter {
  readonly requirements: Term[] = [];
  private readonly known = new Map<Term, Contributions>();
  private readonly monoid: Monoid;

  constructor(monoid: Monoid) {
    this.monoid = monoid;
  }

  of(term: Term): Contributions {
    return getOrInsert(this.known, term, () => this.count(term));
  }

  private count(term: Term): Contributions {
    const { kind, value, args } = term;
    if (value === this.monoid.identity) return new Map();
    if (kind === this.monoid.kind) return this.combine(args.map((arg) => this.of(arg)));
    const [condition, then, otherwise] = args;
    if (kind !== 'ite' || condition === undefined || then === undefined || otherwise === undefined)
      return new Map([[term, yes()]]);
    const [first, second] = [this.of(then), this.of(otherwise)];
    const keys = new Set([...first.keys(), ...second.keys()]);
    return new Map([...keys].map((key) => [key, ite(condition, first.get(key) ?? no(), second.get(key) ?? no())])); // Absent: does not contribute.
  }

  private combine(parts: readonly Contributions[]): Contributions {
    const all = new Map<Term, Term>();
    for (const part of parts) {
      for (const [key, condition] of part) {
        const other = all.get(key);
        if (other !== undefined && !this.monoid.isIdempotent) this.requirements.push(not(and(other, condition)));
        all.set(key, other === undefined ? condition : or(other, condition));
      }
    }
    return all;
  }
}
