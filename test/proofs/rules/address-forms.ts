// The rules of affine forms (src/translate/analysis/affine.ts), and of indices in units of a power
// of two (src/translate/passes/memory/word-values.ts), as claims. Each operation of an address, with
// parts of many forms, goes through the analysis and the pass.
//
// The claims are the steps of an induction over the parts of an address. A value represents an
// integer: a value that is not followed is an integer in its range, and each rule says which
// integer the result represents. The claims for a result are:
// - value: the result's bits are those of the integer.
// - level: 2^level divides the integer.
// - interval: the integer is in the interval.
// - index: the index in units of 2^k, for each k up to the level, is the integer divided by 2^k,
//   modulo 2^32.
import { at } from '../../../src/base/invariants.ts';
import { addsBits, isFollowed, shiftAmount } from '../../../src/translate/analysis/address-parts.ts';
import { findAddressForms } from '../../../src/translate/analysis/affine.ts';
import type { Range } from '../../../src/translate/analysis/range.ts';
import { Builder, Ids } from '../../../src/translate/ir/builder.ts';
import { type Block, type Func, constant as number, type Param, type Value } from '../../../src/translate/ir/nodes.ts';
import type { Attributes, OpName } from '../../../src/translate/ir/operations.ts';
import { widthOf } from '../../../src/translate/ir/types.ts';
import { Insertions } from '../../../src/translate/passes/memory/insertions.ts';
import type { Scaled } from '../../../src/translate/passes/memory/scaled.ts';
import { WordValues } from '../../../src/translate/passes/memory/word-values.ts';
import { bitsOf, withFactors } from '../terms/low-bits.ts';
import { replace } from '../terms/rewrite.ts';
import {
  add, and, apply, bitAt, constant, equal, extend, ite, mul, sub, type Term, variable,
} from '../terms/term.ts'; // biome-ignore format: a list
import { type AddressFault, AddressFaults } from './address-faults.ts';
import { cornersOf, integerWidth, isIn } from './address-intervals.ts';
import { termOfValue } from './ir-formulas.ts';
import { textOf } from './simplifications.ts';

export type AddressFact = 'value' | 'level' | 'interval' | 'index';

export interface AddressClaim {
  readonly op: OpName;
  readonly fact: AddressFact;
  /** The operation with its constants and the number of bits of its parts. */
  readonly text: string;
  readonly claim: () => Term;
  /** Wrong facts about the result. */
  readonly faults: () => readonly AddressFault[];
}

/** The highest level of a unit: 16 bytes. */
const maxUnitLevel = 4;

/** A value that is not followed: an integer of some bits, as a parameter of the function. */
interface Leaf {
  readonly param: Param;
  readonly range: Range;
  /** The integer that the value represents. Its bits are the variable. */
  readonly integer: () => Term;
  readonly variable: { readonly name: string; readonly width: number; readonly isSigned: boolean };
}

type AddressType = 'i32' | 'i64';

/** The bits of the integers that a value may represent; negative for signed integers. */
const leafBits: Readonly<Record<AddressType, readonly number[]>> = { i32: [32, -32, 31, 10, -10], i64: [-64, 40, -34] };

/** Builds operations on parts, and finds the claims about their results. */
class Forms {
  readonly builder = new Builder(new Ids());
  private readonly entry: Block = this.builder.block();
  private readonly func: Func = { name: 'f', kind: 'function', results: [], blocks: [this.entry] };
  private readonly leaves = new Map<Value, Leaf>();
  private readonly byName = new Map<string, Param>();

  leaf(type: AddressType, bits: number, name: string): Value {
    const hint = `${name}_${bits < 0 ? 's' : 'u'}${Math.abs(bits)}_${type}`;
    const known = this.byName.get(hint);
    if (known !== undefined) return known;
    const param = this.builder.param(this.entry, type, hint);
    const isSigned = bits < 0;
    const size = Math.abs(bits);
    const range =
      size > 53
        ? { min: -Infinity, max: Infinity }
        : isSigned
          ? { min: -(2 ** (size - 1)), max: 2 ** (size - 1) - 1 }
          : { min: 0, max: 2 ** size - 1 };
    this.byName.set(hint, param);
    const own = { name: `${name}_${bits}`, width: size, isSigned };
    const integer = (): Term => extend(variable(own.name, size), integerWidth, isSigned);
    this.leaves.set(param, { param, range, integer, variable: own });
    return param;
  }

  condition(): Value {
    const known = this.byName.get('p') ?? this.builder.param(this.entry, 'i1', 'p'); // Absent: a new one.
    this.byName.set('p', known);
    return known;
  }

  /** Returns an operation that no rule simplifies. */
  raw<Op extends OpName>(op: Op, attrs: Attributes[Op], ...args: readonly Value[]): Value {
    return at(this.builder.make(op, attrs, args).results, 0, 'a result');
  }

  /** Yields the claims about an operation. */
  *claims(value: Value): Generator<AddressClaim> {
    if (value.kind !== 'result') return;
    const { op } = value.inst;
    const ranges = { of: (each: Value): Range => this.leaves.get(each)?.range ?? { min: -Infinity, max: Infinity } };
    const forms = findAddressForms(this.func, [value], () => ranges);
    const [level, interval] = [forms.level(value), forms.interval(value)];
    const text = textOf(value, new Map(), false);
    const integer = (): Term => this.integerOf(value, forms.interval);
    const faults = new AddressFaults(value, (values) => this.operands(values));
    yield {
      op,
      fact: 'value',
      text,
      claim: () => equal(this.termOf(value), bitsOf(integer(), 0, widthOf(value.type))),
      faults: () => [],
    };
    const levelClaim = (bits: number) => (): Term => equal(bitsOf(integer(), 0, bits), constant(0, bits));
    if (level > 0)
      yield { op, fact: 'level', text, claim: levelClaim(level), faults: () => faults.ofLevel(level, levelClaim) };
    if (Number.isFinite(interval.min) || Number.isFinite(interval.max)) {
      const corners = cornersOf(value.inst, forms.interval);
      const intervalClaim = (range: Range) => (): Term =>
        corners === undefined ? isIn(integer(), range) : and(...corners.map((each) => isIn(each(), range)));
      yield {
        op,
        fact: 'interval',
        text,
        claim: intervalClaim(interval),
        faults: () => (corners === undefined ? faults.ofInterval(interval, intervalClaim) : []),
      };
    }
    for (let unit = 0; unit <= Math.min(level, maxUnitLevel); unit++) {
      const words = new WordValues(this.builder, forms, new Insertions());
      const scaled = words.scaled(value, unit);
      const indexClaim =
        ({ base, constant: rest }: Scaled) =>
        (): Term => {
          const index = add(base === undefined ? constant(0) : this.termOf(base), constant(rest));
          return equal(withFactors(index), bitsOf(integer(), unit, 32));
        };
      yield {
        op,
        fact: 'index',
        text: `${text} / ${2 ** unit}`,
        claim: indexClaim(scaled),
        faults: () => faults.ofIndex(scaled, unit, indexClaim),
      };
    }
  }

  /** Returns the values of the parameters by name. `values`: those of the integers of the leaves. */
  private operands(values: ReadonlyMap<string, bigint>): ReadonlyMap<string, bigint> {
    const leaves = [...this.leaves.values()].map(({ param, variable: { name, width, isSigned } }) => {
      const bits = values.get(name) ?? 0n; // Absent: any value.
      const integer = isSigned ? BigInt.asIntN(width, bits) : bits;
      return [param.hint ?? '', BigInt.asUintN(widthOf(param.type), integer)] as const;
    });
    return new Map([...values, ...leaves]);
  }

  /** Returns the bits of a value, if each leaf is a variable of its own width. */
  private termOf(value: Value): Term {
    const known = [...this.leaves.values()].map(({ param, integer }) => {
      const width = widthOf(param.type);
      return [variable(param.hint ?? '', width), bitsOf(integer(), 0, width)] as const;
    });
    return withFactors(replace(termOfValue(value, new Map()), new Map(known)));
  }

  /** Returns the integer that a value represents. */
  private integerOf(value: Value, intervalOf: (value: Value) => Range): Term {
    const own = (isSigned: boolean): Term => extend(this.termOf(value), integerWidth, isSigned);
    if (value.kind === 'param') return this.leaves.get(value)?.integer() ?? own(false); // Absent: not an address.
    if (value.kind !== 'result' || !isFollowed(value.inst)) return own(true);
    const { inst } = value;
    const of = (index: number): Term => this.integerOf(at(inst.args, index, 'an operand'), intervalOf);
    switch (inst.op) {
      case 'iadd':
        return add(of(0), of(1));
      case 'isub':
        return sub(of(0), of(1));
      case 'imul':
        return withFactors(mul(of(0), of(1)));
      case 'shl':
      case 'shlw': {
        const bits = shiftAmount(inst);
        if (bits !== undefined) return apply('bvshl', of(0), constant(bits, integerWidth));
        break;
      }
      case 'select':
        return ite(bitAt(this.termOf(at(inst.args, 0, 'a condition')), 0), of(1), of(2));
      case 'trunc':
        return of(0);
      case 'or':
        if (addsBits(inst)) return add(of(0), of(1));
        break;
      case 'zext':
      case 'sext': {
        const { min, max } = intervalOf(at(inst.args, 0, 'an operand'));
        const limit = inst.op === 'zext' ? { min: 0, max: 2 ** 32 - 1 } : { min: -(2 ** 31), max: 2 ** 31 - 1 };
        if (min >= limit.min && max <= limit.max) return of(0);
        return own(inst.op === 'sext');
      }
      default:
    }
    // The integer between the limits of the interval that has the bits of the value.
    return own(intervalOf(value).min < 0);
  }

  *operations(): Generator<Value> {
    for (const type of ['i32', 'i64'] as const) {
      const parts = [...this.parts(type, 'x')];
      const others = [...this.parts(type, 'y')];
      const numbers = constantsOf(type);
      const pairs = [
        ...parts.flatMap((a) => others.map((b) => [a, b] as const)),
        ...parts.flatMap((a) => numbers.map((b) => [a, b] as const)),
      ];
      for (const [a, b] of pairs) {
        for (const op of ['iadd', 'isub', 'imul', 'and', 'or', 'xor'] as const) yield this.raw(op, {}, a, b);
        yield this.raw('select', {}, this.condition(), a, b);
      }
      for (const b of others)
        for (const a of numbers) for (const op of ['iadd', 'isub'] as const) yield this.raw(op, {}, a, b);
      for (const a of parts)
        for (const amount of [0, 1, 2, 3, 5, 31, 32, 33, 63, 64])
          for (const op of ['shl', 'shlw'] as const) yield this.raw(op, {}, a, number('i32', BigInt(amount)));
      for (const a of this.shifted(type)) for (const b of numbers) yield this.raw('and', {}, a, b);
    }
    for (const a of [...this.parts('i32', 'x'), ...this.nearLimits()])
      for (const op of ['zext', 'sext'] as const) yield this.raw(op, { to: 'i64' }, a);
    for (const a of this.parts('i64', 'x')) yield this.raw('trunc', { to: 'i32' }, a);
  }

  /** Returns parts: integers of some bits, and multiples of such integers. */
  private *parts(type: AddressType, name: string): Generator<Value> {
    for (const bits of leafBits[type]) {
      const leaf = this.leaf(type, bits, name);
      yield leaf;
      for (const amount of [2, 4]) yield this.raw('shlw', {}, leaf, number('i32', BigInt(amount)));
    }
  }

  private *shifted(type: AddressType): Generator<Value> {
    const leaf = this.leaf(type, type === 'i32' ? 32 : -64, 'x');
    for (const op of ['lshr', 'lshrw'] as const)
      for (const amount of [1, 3, 30, 31]) yield this.raw(op, {}, leaf, number('i32', BigInt(amount)));
  }

  /** Returns sums whose intervals end near the limits of words. */
  private *nearLimits(): Generator<Value> {
    for (const bits of [31, -32, 32, 10, -10])
      for (const each of [1, 2 ** 31, 2 ** 32 - 1, 2 ** 31 - 1023, 2 ** 32 - 1024, 0x7fffffff])
        for (const op of ['iadd', 'isub'] as const)
          yield this.raw(
            op,
            {},
            this.raw('shlw', {}, this.leaf('i32', bits, 'x'), number('i32', 0n)),
            number('i32', BigInt(each)),
          );
  }
}

/** Constants: offsets, factors with and without powers of two, masks, and limits. */
function constantsOf(type: AddressType): readonly Value[] {
  const all = [0n, 1n, 2n, 3n, 4n, 12n, 16n, 0xffn, 0xfffn, 0x7fffffffn, 0x80000000n, -4n, -16n, -1n];
  const wide = [0xffffffffn, 0xfffffffcn, 0x100000000n, 0x3fffffffcn, 1n << 52n, 1n << 63n];
  return [...new Set([...all, ...(type === 'i64' ? wide : [])].map((bits) => BigInt.asUintN(widthOf(type), bits)))].map(
    (bits) => number(type, bits),
  );
}

/** Returns the claims about the results of operations; of all operations by default. */
export function* addressClaims(isIncluded: (op: OpName) => boolean = () => true): Generator<AddressClaim> {
  const forms = new Forms();
  for (const value of forms.operations())
    if (value.kind === 'result' && isIncluded(value.inst.op)) yield* forms.claims(value);
}
