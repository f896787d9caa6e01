// Writes the addresses of matrices as sums. A matrix descriptor contains part of an address, so an
// address passes through masks and shifts. This pass removes those that change no bit.

import { at } from '../../../base/invariants.ts';
import { unsigned } from '../../analysis/range.ts';
import type { Ranges } from '../../analysis/ranges.ts';
import { reversePostorder } from '../../graph/index.ts';
import { type Builder, replaceValues } from '../../ir/builder.ts';
import { IdMap } from '../../ir/id-map.ts';
import { constantOf, type Definition, type Func, type Inst, isDefinition, type Value } from '../../ir/nodes.ts';

/** The maximum depth of the search through operands. */
const furthest = 8;

/** Rewrites the words of a function in place. Unused instructions remain for the clean-up. */
export function writePlainAddresses(func: Func, builder: Builder, ranges: Ranges): void {
  const rewriter = new AddressRewriter(builder, ranges);
  for (const block of reversePostorder(func)) block.insts = block.insts.flatMap((inst) => rewriter.rewrite(inst));
  replaceValues(func, rewriter.replaced);
}

class AddressRewriter {
  readonly replaced = new IdMap<Definition, Value>();
  private readonly builder: Builder;
  private readonly ranges: Ranges;
  /** The maxima of new values. */
  private readonly maxima = new Map<Value, number>();

  constructor(builder: Builder, ranges: Ranges) {
    this.builder = builder;
    this.ranges = ranges;
  }

  /** Returns the instructions that replace an instruction. */
  rewrite(inst: Inst): readonly Inst[] {
    const { builder } = this;
    const [result] = inst.results;
    const [operand] = inst.args;
    if (operand === undefined || result?.type !== 'i32' || operand.type !== 'i32' || inst.when !== undefined)
      return [inst];
    const max = this.maxOf(operand);
    const made: Inst[] = [];
    builder.span = inst.span;
    const value = builder.within(made, () => this.simpler(inst, this.plain(operand), max));
    builder.span = undefined;
    if (value === undefined) return [inst];
    this.replaced.set(result, this.bounded(value, this.maxOf(result)));
    return made;
  }

  private plain(value: Value): Value {
    return isDefinition(value) ? (this.replaced.get(value) ?? value) : value;
  }

  private maxOf(value: Value): number {
    const max = this.maxima.get(value) ?? unsigned('i32', this.ranges.of(value)).max;
    const [part, added] = operandsOf(value, 'iadd');
    const sum = part && added !== undefined ? this.maxOf(this.plain(part)) + Number(added) : words;
    return Math.min(max, Number(bitsOf(value)), sum < words ? sum : words);
  }

  /** Records the maximum of a value, and returns the value. */
  private bounded(value: Value, max: number): Value {
    this.maxima.set(value, Math.min(Math.floor(max), this.maxOf(value)));
    return value;
  }

  /** Returns the value of an operation on `x`, which is at most `max`, if there is a simpler one. */
  private simpler(inst: Inst, x: Value, max: number): Value | undefined {
    const { builder } = this;
    const number = constantOf(inst.args[1]);
    if (number === undefined) return undefined;
    switch (inst.op) {
      case 'ubfe': {
        const length = constantOf(inst.args[2]);
        if (length === undefined || number + length > 32n || max >= 2 ** Number(number + length)) return undefined;
        return this.bounded(this.divided(x, number) ?? builder.lshrw(x, builder.i32(number)), max / 2 ** Number(number));
      }
      case 'lshrw':
        return this.divided(x, number);
      case 'and': {
        const below = BigInt(2 ** Math.ceil(Math.log2(max + 1)) - 1);
        if ((bitsOf(x) & below & ~number) === 0n) return x;
        const [inner, amount] = operandsOf(x, 'shlw');
        if (inner === undefined || amount === undefined) return undefined;
        return builder.shlw(builder.and(inner, builder.i32(number >> amount)), builder.i32(amount));
      }
      case 'shlw':
        return this.shiftedBack(x, number);
      default:
        return undefined;
    }
  }

  /** Returns `x >> amount` as a sum, if `x` is a sum of multiples that does not wrap. */
  private divided(x: Value, amount: bigint): Value | undefined {
    const { builder } = this;
    const [multiple, by] = operandsOf(x, 'shlw');
    if (multiple !== undefined && by !== undefined && by >= amount && this.maxOf(multiple) * 2 ** Number(by) < words)
      return builder.shlw(multiple, builder.i32(by - amount));
    const [part, added] = operandsOf(x, 'iadd');
    if (part === undefined || added === undefined || added % (1n << amount) !== 0n) return undefined;
    const inner = this.maxOf(part) + Number(added) < words ? this.divided(part, amount) : undefined;
    return inner && builder.iadd(inner, builder.i32(added >> amount));
  }

  /** Returns `x << amount` if `x` is a sum of a constant and a value that was shifted by `amount`. */
  private shiftedBack(x: Value, amount: bigint): Value | undefined {
    const [whole, by] = operandsOf(x, 'lshrw');
    if (whole !== undefined && by === amount && (bitsOf(whole) & ((1n << amount) - 1n)) === 0n) return whole;
    const [part, added] = operandsOf(x, 'iadd');
    const inner = part && added !== undefined ? this.shiftedBack(part, amount) : undefined;
    return inner && added !== undefined ? this.builder.iadd(inner, this.builder.i32(added << amount)) : undefined;
  }
}

/** The number of different words. */
const words = 2 ** 32;

/** Returns the operands of an operation on a value and a constant; otherwise an empty list. */
function operandsOf(value: Value, op: Inst['op']): readonly [value?: Value, number?: bigint] {
  if (value.kind !== 'result' || value.inst.op !== op || value.inst.when !== undefined) return [];
  const [first, second] = value.inst.args;
  const number = constantOf(second);
  return first === undefined || number === undefined ? [] : [first, number];
}

/** Returns the bits that may be set in a word. */
function bitsOf(value: Value, depth = 0): bigint {
  const known = constantOf(value);
  if (known !== undefined) return known;
  if (value.kind !== 'result' || value.inst.when !== undefined || depth > furthest) return ones;
  const { op, args } = value.inst;
  const of = (index: number): bigint => bitsOf(at(args, index, 'an operand'), depth + 1);
  switch (op) {
    case 'and':
      return of(0) & of(1);
    case 'or':
    case 'xor':
      return of(0) | of(1);
    case 'iadd': {
      const [a, b] = [of(0), of(1)];
      return (a & b) === 0n ? a | b : fromLowest(a | b);
    }
    case 'select':
      return of(1) | of(2);
    case 'shlw':
    case 'lshrw': {
      const amount = constantOf(args[1]);
      if (amount === undefined || amount > 31n) return ones;
      return op === 'shlw' ? (of(0) << amount) & ones : of(0) >> amount;
    }
    default:
      return ones;
  }
}

const ones = 0xffff_ffffn;
/** Returns a mask of the lowest set bit and all bits above it. */
const fromLowest = (bits: bigint): bigint => -(bits & -bits) & ones;
