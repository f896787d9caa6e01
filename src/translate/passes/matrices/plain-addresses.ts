// Writes the addresses of matrices as sums. A matrix descriptor contains part of an address, so an
// address passes through masks and shifts. This pass removes those that change no bit.

import { at } from '../../../base/invariants.ts';
import { unsigned } from '../../analysis/range.ts';
import type { Ranges } from '../../analysis/ranges.ts';
import { flowGraph } from '../../graph/index.ts';
import { type Builder, replaceValues } from '../../ir/builder.ts';
import { IdMap } from '../../ir/id-map.ts';
import { constantOf, type Definition, type Func, type Inst, isDefinition, type Value } from '../../ir/nodes.ts';

/** The maximum depth of the search through operands. */
const furthest = 8;

/** Rewrites the words of a function in place. Unused instructions remain for the clean-up. */
export function writePlainAddresses(func: Func, builder: Builder, ranges: Ranges): void {
  const rewriter = new AddressRewriter(builder, ranges);
  for (const block of flowGraph(func).blocks) block.insts = block.insts.flatMap((inst) => rewriter.rewrite(inst));
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
    if (inst.when !== undefined || inst.results[0]?.type !== 'i32') return [inst];
    const made: Inst[] = [];
    builder.span = inst.span;
    const values = builder.within(made, () => (inst.op === 'split' ? this.halves(inst) : this.simpler(inst)));
    builder.span = undefined;
    if (values === undefined) return [inst];
    inst.results.forEach((result, index) => {
      this.replaced.set(result, this.bounded(at(values, index, 'a value'), this.maxOf(result)));
    });
    return made;
  }

  /** Returns the halves of a word that is combined with a constant of two words. */
  private halves({ args: [whole] }: Inst): readonly Value[] | undefined {
    const { builder } = this;
    for (const op of ['or', 'iadd'] as const) {
      const [wide, bits] = operandsOf(whole, op);
      const extended = wide?.kind === 'result' && wide.inst.op === 'zext' ? wide.inst.args[0] : undefined;
      if (extended?.type !== 'i32' || bits === undefined) continue;
      const word = this.plain(extended);
      const [low, high] = [bits & ones, bits >> 32n];
      // The sum must not carry into the high word.
      if (op === 'or' || this.maxOf(word) + Number(low) < words)
        return [builder.value(op, {}, [word, builder.i32(low)]), builder.i32(high)];
    }
    return undefined;
  }

  private plain(value: Value): Value {
    return isDefinition(value) ? (this.replaced.get(value) ?? value) : value;
  }

  private maxOf(value: Value): number {
    const max = this.maxima.get(value) ?? unsigned('i32', this.ranges.of(value)).max;
    const [part, added] = operandsOf(value, 'iadd');
    const sum = part && added !== undefined ? this.maxOf(this.plain(part)) + Number(added) : words;
    return Math.min(max, Number(bitsOf(value)), sum);
  }

  /** Records the maximum of a value, and returns the value. */
  private bounded(value: Value, max: number): Value {
    this.maxima.set(value, Math.min(Math.floor(max), this.maxOf(value)));
    return value;
  }

  /** Returns the value of an operation on a word and constants, if there is a simpler one. */
  private simpler(inst: Inst): readonly Value[] | undefined {
    const { builder } = this;
    const [operand, second, third] = inst.args;
    const number = constantOf(second);
    if (operand?.type !== 'i32' || number === undefined) return undefined;
    const x = this.plain(operand);
    const max = Math.min(this.maxOf(operand), this.maxOf(x));
    switch (inst.op) {
      case 'ubfe': {
        const length = constantOf(third);
        if (length === undefined || number + length > 31n || max >= 2 ** Number(number + length)) return undefined;
        const field = this.divided(x, number) ?? builder.lshrw(x, builder.i32(number));
        return [this.bounded(field, max / 2 ** Number(number))];
      }
      case 'and':
        return listOf(this.masked(x, number, max));
      case 'lshrw':
        return number > 31n ? undefined : listOf(this.divided(x, number) ?? this.high(x, number));
      case 'shlw':
        return number > 31n ? undefined : listOf(this.shiftedBack(x, number));
      default:
        return undefined;
    }
  }

  /** Returns `x & mask` with fewer or earlier operations. */
  private masked(x: Value, mask: bigint, max = this.maxOf(x)): Value | undefined {
    const { builder } = this;
    const below = BigInt(2 ** Math.ceil(Math.log2(max + 1)) - 1);
    if ((bitsOf(x) & below & ~mask) === 0n) return x;
    const [shifted, amount] = operandsOf(x, 'shlw');
    if (shifted !== undefined && amount !== undefined && amount < 32n)
      return builder.shlw(builder.and(shifted, builder.i32(mask >> amount)), builder.i32(amount));
    // Without the bits of a constant that the mask clears, the rest may need no mask.
    const [other, set] = operandsOf(x, 'or');
    if (other !== undefined && set !== undefined && (set & mask) === 0n)
      return this.masked(other, mask) ?? builder.and(other, builder.i32(mask));
    const [part, added] = operandsOf(x, 'iadd');
    const isLow = (mask & (mask + 1n)) === 0n;
    if (part === undefined || added === undefined || !isLow || (added & mask) === added) return undefined;
    const sum = builder.iadd(part, builder.i32(added & mask));
    return this.masked(sum, mask) ?? builder.and(sum, builder.i32(mask));
  }

  /** Returns `x >> amount` if only a constant has bits there. */
  private high(x: Value, amount: bigint): Value | undefined {
    const below = 2 ** Number(amount);
    for (const op of ['or', 'iadd'] as const) {
      const [part, bits] = operandsOf(x, op);
      if (part === undefined || bits === undefined) continue;
      const low = op === 'or' ? 0 : Number(bits) % below;
      if (this.maxOf(part) + low < below) return this.builder.i32(bits >> amount);
    }
    return undefined;
  }

  /** Returns `x >> amount` as a sum, if `x` is a sum of multiples that does not wrap. */
  private divided(x: Value, amount: bigint): Value | undefined {
    const { builder } = this;
    const [multiple, by] = operandsOf(x, 'shlw');
    if (multiple !== undefined && by !== undefined && by >= amount) {
      const max = this.maxOf(multiple) * 2 ** Number(by);
      if (max >= words) return undefined;
      return this.bounded(builder.shlw(multiple, builder.i32(by - amount)), max / 2 ** Number(amount));
    }
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

const listOf = (value: Value | undefined): readonly Value[] | undefined => value && [value];

/** The number of different words. */
const words = 2 ** 32;

/** Returns the operands of an operation on a value and a constant; otherwise an empty list. */
function operandsOf(value: Value | undefined, op: Inst['op']): readonly [value?: Value, number?: bigint] {
  if (value?.kind !== 'result' || value.inst.op !== op || value.inst.when !== undefined) return [];
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
