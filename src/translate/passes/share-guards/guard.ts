// Builds the condition of a fast path.

import { InternalError } from '../../../base/invariants.ts';
import { getOrInsert } from '../../../base/maps.ts';
import type { HelperName } from '../../../wgsl/helpers.ts';
import { knownQuantum, testedDigits } from '../../analysis/quanta.ts';
import type { Builder } from '../../ir/builder.ts';
import { constant, type Inst, type Value } from '../../ir/nodes.ts';

/** Returns the bits of 2^k, for k from -126 to 127. */
const powerBits = (k: number): bigint => BigInt(k + 127) << 23n;

/**
 * Returns the word of an f32 without its sign, times two, minus one. Zero becomes the largest
 * value, so it needs no special case.
 */
export const sizeOf = (builder: Builder, word: Value): Value =>
  builder.iadd(builder.shlw(word, builder.i32(1)), builder.i32(-1));

/**
 * Returns the threshold of the test: if `sizeOf` a value is at least this number, the value is a
 * multiple of 2^quantum.
 */
export const leastSize = (quantum: number): bigint => 2n * powerBits(quantum + testedDigits) - 1n;

/**
 * The functions that test several values at once, from the largest number of values to the
 * smallest.
 */
const together: readonly (readonly [number, HelperName])[] = [[8, 'f32_sized8'], [4, 'f32_sized4']]; // biome-ignore format: one line

/** Collects the conditions that must hold. */
export class Guard {
  private readonly builder: Builder;
  private readonly required = new Set<Value>();
  private readonly implied = new Set<Value>();
  /** The values that must have each quantum. */
  private readonly tested = new Map<number, Value[]>();
  private impossible = false;
  private readonly looks: Set<Inst>;

  /** `looks` receives the instructions that read a value's bits only to test its magnitude. */
  constructor(builder: Builder, looks: Set<Inst>) {
    this.builder = builder;
    this.looks = looks;
  }

  /** Requires a condition. `implied` also holds whenever the condition does. */
  require(condition: Value, implied?: Value): void {
    this.required.add(condition);
    if (implied !== undefined) this.implied.add(implied);
  }

  /** Requires that a value has the quantum: tests its bits, unless another condition implies it. */
  test(value: Value, quantum: number): void {
    const known = knownQuantum(value);
    if (known !== undefined) {
      this.impossible ||= known < quantum;
      return;
    }
    getOrInsert(this.tested, quantum, () => []).push(value);
  }

  /** Returns the conjunction of the conditions as an i1, at the builder's position. */
  condition(): Value {
    const { builder } = this;
    let condition = builder.bool(!this.impossible);
    for (const value of this.required) if (!this.implied.has(value)) condition = builder.and(condition, value);
    if (this.impossible) return condition;
    for (const [quantum, values] of this.tested) {
      let least: Value | undefined;
      const left = [...new Set(values)];
      for (const [count, name] of together)
        while (left.length >= count)
          condition = builder.and(condition, this.sized(name, left.splice(0, count), quantum));
      for (const value of left) {
        const word = builder.bitcast(value, 'i32');
        if (word.kind === 'result') this.looks.add(word.inst);
        const size = sizeOf(builder, word);
        least = least === undefined ? size : builder.umin(least, size);
      }
      if (least !== undefined)
        condition = builder.and(condition, builder.icmp('uge', least, builder.i32(leastSize(quantum))));
    }
    return condition;
  }

  private sized(name: HelperName, values: readonly Value[], quantum: number): Value {
    const { builder, looks } = this;
    const least = constant('f32', powerBits(quantum + testedDigits));
    const params = [...values, least].map(() => 'f32' as const);
    const [result] = builder.emit('helper', { name, params, result: 'bool' }, [...values, least]);
    if (result === undefined) throw new InternalError('a helper has a result');
    looks.add(result.inst);
    return result;
  }
}
