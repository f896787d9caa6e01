// The integer operations of the IR as formulas. A value is a word of the width of its type; an i1
// has one bit. The rows of PTX whose operations these are have the same formulas.
import type { Inst, Value } from '../../../src/translate/ir/nodes.ts';
import type { Attributes, IntegerRelation, OpName } from '../../../src/translate/ir/operations.ts';
import { widthOf } from '../../../src/translate/ir/types.ts';
import {
  add, apply, bitAnd, bitAt, bitOr, bitXor, compare, concat, constant, equal, extend, extract, ite, mul, negate, not,
  shiftLeft, shiftRight, shiftRightSigned, sub, type Term, variable, wordOf, wordOfBits,
} from '../terms/term.ts'; // biome-ignore format: a list
import { at } from '../wgsl/place.ts';
import { bitsOf, count, field, insert, larger, shift, smaller, top } from './lane-formulas.ts';

type Formula = (args: readonly Term[]) => Term;

const binary =
  (of: (a: Term, b: Term) => Term): Formula =>
  (args) =>
    of(at(args, 0), at(args, 1));

const high = (a: Term, b: Term, isSigned: boolean): Term =>
  extract(mul(extend(a, 2 * a.width, isSigned), extend(b, 2 * b.width, isSigned)), a.width, a.width);

/** Shifts by an amount modulo the width. */
const modulo = (of: (a: Term, b: Term) => Term): Formula =>
  binary((a, amount) => shift(of, a, bitAnd(amount, constant(a.width - 1, amount.width))));
const clamped = (of: (a: Term, b: Term) => Term): Formula => binary((a, amount) => shift(of, a, amount));

/** Divides. The IR defines the results of a division by zero: all ones. */
const divided = (of: (a: Term, b: Term) => Term): Formula =>
  binary((a, b) => ite(equal(b, constant(0, b.width)), constant(-1, a.width), of(a, b)));
const isNegative = (a: Term): Term => bitAt(a, a.width - 1);
const magnitude = (a: Term): Term => ite(isNegative(a), negate(a), a);
const quotient = (a: Term, b: Term): Term => apply('bvudiv', a, b);
const remainder = (a: Term, b: Term): Term => apply('bvurem', a, b);

const relations: Readonly<Record<IntegerRelation, (a: Term, b: Term) => Term>> = {
  eq: equal,
  ne: (a, b) => not(equal(a, b)),
  ult: (a, b) => compare('bvult', a, b),
  ule: (a, b) => compare('bvule', a, b),
  ugt: (a, b) => compare('bvult', b, a),
  uge: (a, b) => compare('bvule', b, a),
  slt: (a, b) => compare('bvslt', a, b),
  sle: (a, b) => compare('bvsle', a, b),
  sgt: (a, b) => compare('bvslt', b, a),
  sge: (a, b) => compare('bvsle', b, a),
};

export const irFormulas = {
  iadd: binary(add),
  isub: binary(sub),
  imul: binary(mul),
  umulhi: binary((a, b) => high(a, b, false)),
  smulhi: binary((a, b) => high(a, b, true)),
  udiv: divided(quotient),
  urem: divided(remainder),
  sdiv: divided((a, b) => {
    const size = quotient(magnitude(a), magnitude(b));
    return ite(equal(isNegative(a), isNegative(b)), size, negate(size));
  }),
  srem: divided((a, b) => {
    const size = remainder(magnitude(a), magnitude(b));
    return ite(isNegative(a), negate(size), size);
  }),
  and: binary(bitAnd),
  or: binary(bitOr),
  xor: binary(bitXor),
  shl: clamped(shiftLeft),
  lshr: clamped(shiftRight),
  ashr: clamped(shiftRightSigned),
  shlw: modulo(shiftLeft),
  lshrw: modulo(shiftRight),
  ashrw: modulo(shiftRightSigned),
  umin: binary((a, b) => smaller('u', a, b)),
  umax: binary((a, b) => larger('u', a, b)),
  smin: binary((a, b) => smaller('s', a, b)),
  smax: binary((a, b) => larger('s', a, b)),
  popcount: (args: readonly Term[]) => count(at(args, 0)),
  clz: (args: readonly Term[]) => sub(constant(at(args, 0).width - 1), top(at(args, 0))),
  bitreverse: (args: readonly Term[]) => wordOfBits(bitsOf(at(args, 0)).reverse()),
  ubfe: (args: readonly Term[]) => field(at(args, 0), at(args, 1), at(args, 2), 'u'),
  sbfe: (args: readonly Term[]) => field(at(args, 0), at(args, 1), at(args, 2), 's'),
  bfi: (args: readonly Term[]) => insert(at(args, 0), at(args, 1), at(args, 2), at(args, 3)),
  icmp: (args: readonly Term[], { relation }: Attributes['icmp']) =>
    wordOf(relations[relation](at(args, 0), at(args, 1)), 1),
  select: (args: readonly Term[]) => ite(bitAt(at(args, 0), 0), at(args, 1), at(args, 2)),
  zext: (args: readonly Term[], { to }: Attributes['zext']) => extend(at(args, 0), widthOf(to)),
  sext: (args: readonly Term[], { to }: Attributes['sext']) => extend(at(args, 0), widthOf(to), true),
  trunc: (args: readonly Term[], { to }: Attributes['trunc']) => extract(at(args, 0), 0, widthOf(to)),
  join: (args: readonly Term[]) => concat(at(args, 1), at(args, 0)),
} as const;

/** An integer operation with one result. */
export type IntegerOp = keyof typeof irFormulas;

export const isIntegerOp = (op: OpName): op is IntegerOp => Object.hasOwn(irFormulas, op);

/** Returns the result of an operation. */
export const resultOf = (op: IntegerOp, args: readonly Term[], attrs: Inst['attrs']): Term =>
  (irFormulas[op] as (args: readonly Term[], attrs: Inst['attrs']) => Term)(args, attrs);

/**
 * Returns the term of a value. Parameters are variables with the names of their hints, and values
 * in `free` are variables with the names given there.
 */
export function termOfValue(value: Value, free: ReadonlyMap<Value, string>): Term {
  const name = free.get(value);
  if (name !== undefined) return variable(name, widthOf(value.type));
  switch (value.kind) {
    case 'constant':
      return constant(value.bits, widthOf(value.type));
    case 'param':
      return variable(value.hint ?? `p${value.id}`, widthOf(value.type));
    case 'undef':
      throw new Error('an undefined value has no term');
    default: {
      const { op, args, attrs } = value.inst;
      const terms = args.map((arg) => termOfValue(arg, free));
      if (op === 'split') {
        const [whole] = terms;
        if (whole === undefined) throw new Error('split has an operand');
        return extract(whole, value.index * (whole.width / 2), whole.width / 2);
      }
      if (op === 'bitcast') return at(terms, 0);
      if (!isIntegerOp(op)) throw new Error(`${op} has no formula`);
      return resultOf(op, terms, attrs);
    }
  }
}
