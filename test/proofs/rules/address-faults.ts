// Wrong facts about the results of affine forms. A proof must refute each of them.
import { at } from '../../../src/base/invariants.ts';
import type { Range } from '../../../src/translate/analysis/range.ts';
import { Builder, Ids } from '../../../src/translate/ir/builder.ts';
import type { Value } from '../../../src/translate/ir/nodes.ts';
import { widthOf } from '../../../src/translate/ir/types.ts';
import type { Scaled } from '../../../src/translate/passes/memory/scaled.ts';
import { evaluate } from '../prove-rewrite.ts';
import { mutantsOfRewrite } from '../rewrite-mutants.ts';
import type { Term } from '../terms/term.ts';

export interface AddressFault {
  readonly text: string;
  readonly claim: () => Term;
  /**
   * Whether the fact contradicts the bits of the result, which the constant folding of the compiler
   * computes. `values`: the values of the variables by name.
   */
  readonly isWrong: (values: ReadonlyMap<string, bigint>) => boolean;
}

type Values = ReadonlyMap<string, bigint>;

export class AddressFaults {
  private readonly builder = new Builder(new Ids());
  private readonly value: Value;
  private readonly operands: (values: Values) => Values;

  /** `operands`: returns the values of the parameters from those of the variables. */
  constructor(value: Value, operands: (values: Values) => Values) {
    this.value = value;
    this.operands = operands;
  }

  /** A power of two that is too large. */
  ofLevel(level: number, claim: (level: number) => () => Term): readonly AddressFault[] {
    const higher = level + 1;
    const isWrong = (values: Values): boolean => BigInt.asUintN(higher, this.bits(values)) !== 0n;
    return [{ text: `level ${higher}`, claim: claim(higher), isWrong }];
  }

  /**
   * Intervals without their smallest or largest integer. There are none if the interval is longer than
   * the range of the words, because it then contains an integer for all bits.
   */
  ofInterval({ min, max }: Range, claim: (range: Range) => () => Term): readonly AddressFault[] {
    if (max - min >= 2 ** widthOf(this.value.type)) return [];
    const ranges = [
      ...(Number.isSafeInteger(min) ? [{ min: min + 1, max }] : []),
      ...(Number.isSafeInteger(max) ? [{ min, max: max - 1 }] : []),
    ];
    return ranges.map((range) => ({
      text: `interval ${range.min} to ${range.max}`,
      claim: claim(range),
      isWrong: (values) => !this.mayBeIn(range, values),
    }));
  }

  /** Indices with another operation or constant, and shifts by their amount modulo 32. */
  ofIndex(
    { base, constant: rest }: Scaled,
    unit: number,
    claim: (scaled: Scaled) => () => Term,
  ): readonly AddressFault[] {
    const others = base === undefined ? this.shortShift() : this.otherBases(base);
    const indices = [...others.map((each) => ({ base: each, constant: rest })), { base, constant: rest ^ 1 }];
    return indices.map((scaled, number) => ({
      text: `index of unit ${2 ** unit}, fault ${number}`,
      claim: claim(scaled),
      isWrong: (values) => this.isOther(scaled, unit, values),
    }));
  }

  private otherBases(base: Value): readonly Value[] {
    const mutants = [...mutantsOfRewrite({ op: 'iadd', original: base, result: base })];
    return mutants.filter(({ original }) => original === base).map(({ result }) => result);
  }

  /** If the result is a shift of a word by more than 31 bits, returns the shift by the amount modulo 32. */
  private shortShift(): readonly Value[] {
    if (this.value.kind !== 'result') return [];
    const { op, args } = this.value.inst;
    const [word, amount] = args;
    const isShift = (op === 'shl' || op === 'shlw') && word !== undefined && amount?.kind === 'constant';
    if (!isShift || amount.bits < 32n) return [];
    const low =
      word.type === 'i64' ? at(this.builder.make('trunc', { to: 'i32' }, [word]).results, 0, 'a result') : word;
    return [this.builder.shlw(low, this.builder.i32(Number(amount.bits & 31n)))];
  }

  /** The bits of the result. */
  private bits(values: Values): bigint {
    return evaluate(this.value, this.operands(values));
  }

  /** Whether an integer in the range has the bits of the result. */
  private mayBeIn({ min, max }: Range, values: Values): boolean {
    const modulus = 1n << BigInt(widthOf(this.value.type));
    const bits = this.bits(values);
    if (!Number.isFinite(min) || !Number.isFinite(max)) return true;
    const first = BigInt(min) + ((((bits - BigInt(min)) % modulus) + modulus) % modulus);
    return first <= BigInt(max);
  }

  /** Whether the bits of an index that the bits of the result determine are different. */
  private isOther({ base, constant: rest }: Scaled, unit: number, values: Values): boolean {
    const width = Math.min(32, widthOf(this.value.type) - unit);
    const index = (base === undefined ? 0n : evaluate(base, this.operands(values))) + BigInt(rest);
    return BigInt.asUintN(width, index) !== BigInt.asUintN(width, this.bits(values) >> BigInt(unit));
  }
}
