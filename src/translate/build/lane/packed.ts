// Arithmetic on all bytes or halves of a word at once: carries stop at the highest bit of each
// element.
import type { Builder } from '../../ir/builder.ts';
import type { Value } from '../../ir/nodes.ts';
import { helper } from './row.ts';

export type Width = 8 | 16;

/** Repeats a value in each element of a word. */
const spread = (width: Width, element: number): number => (width === 8 ? element * 0x0101_0101 : element * 0x1_0001);

const top = (width: Width): number => spread(width, 2 ** (width - 1));
const rest = (width: Width): number => spread(width, 2 ** (width - 1) - 1);
const low = (width: Width): number => spread(width, 1);

/**
 * Builds operations on elements of one width. A word is an i32. In `marks`, only the highest bit of
 * each element may be set.
 */
export class Packed {
  private readonly b: Builder;
  private readonly width: Width;

  constructor(b: Builder, width: Width) {
    this.b = b;
    this.width = width;
  }

  private word(bits: number): Value {
    return this.b.i32(bits);
  }

  private get top(): Value {
    return this.word(top(this.width));
  }

  private get rest(): Value {
    return this.word(rest(this.width));
  }

  /** Sets all bits of the elements whose highest bit is marked. */
  private filled(marks: Value): Value {
    const { b, width } = this;
    return b.imul(b.lshrw(marks, b.i32(width - 1)), b.i32(2 ** width - 1));
  }

  /** Builds 1 in each element whose highest bit is marked. */
  private ones(marks: Value): Value {
    return this.b.lshrw(marks, this.b.i32(this.width - 1));
  }

  /** Maps signed elements to unsigned elements in the same order, and back. */
  private biased(x: Value, signed: boolean): Value {
    return signed ? this.b.xor(x, this.top) : x;
  }

  add(x: Value, y: Value): Value {
    const { b } = this;
    const sum = b.iadd(b.and(x, this.rest), b.and(y, this.rest));
    return b.xor(sum, b.and(b.xor(x, y), this.top));
  }

  subtract(x: Value, y: Value): Value {
    const { b } = this;
    const difference = b.isub(b.or(x, this.top), b.and(y, this.rest));
    return b.xor(difference, b.and(b.not(b.xor(x, y)), this.top));
  }

  addSaturated(x: Value, y: Value, signed: boolean): Value {
    const { b } = this;
    const sum = this.add(x, y);
    if (signed) return this.orLimit(sum, b.and(b.xor(sum, x), b.xor(sum, y)), x);
    return b.or(sum, this.less(sum, x, false));
  }

  subtractSaturated(x: Value, y: Value, signed: boolean): Value {
    const { b } = this;
    const difference = this.subtract(x, y);
    if (signed) return this.orLimit(difference, b.and(b.xor(x, y), b.xor(difference, x)), x);
    return b.and(difference, b.not(this.less(x, y, false)));
  }

  /** Replaces elements that overflowed by the maximum, or by the minimum if `x` is negative. */
  private orLimit(result: Value, overflows: Value, x: Value): Value {
    const { b } = this;
    const mask = this.filled(b.and(overflows, this.top));
    const limit = b.iadd(this.ones(b.and(x, this.top)), this.rest);
    return b.or(b.and(result, b.not(mask)), b.and(limit, mask));
  }

  /** Builds all ones in the elements in which `x` is less than `y`. */
  private less(x: Value, y: Value, signed: boolean): Value {
    return lessIn[this.width](this.b, this.biased(x, signed), this.biased(y, signed));
  }

  /** Builds the smaller and the larger of each pair of elements. */
  private ordered(x: Value, y: Value, signed: boolean): readonly [Value, Value] {
    const { b } = this;
    const different = b.and(b.xor(x, y), this.less(x, y, signed));
    return [b.xor(y, different), b.xor(x, different)];
  }

  min(x: Value, y: Value, signed: boolean): Value {
    return this.ordered(x, y, signed)[0];
  }

  max(x: Value, y: Value, signed: boolean): Value {
    return this.ordered(x, y, signed)[1];
  }

  /** Builds the absolute differences, as unsigned elements. */
  distance(x: Value, y: Value, signed: boolean): Value {
    const [least, most] = this.ordered(this.biased(x, signed), this.biased(y, signed), false);
    // No element borrows from the next one.
    return this.b.isub(most, least);
  }

  /** Builds the averages of pairs of elements. Halves are rounded away from zero. */
  average(x: Value, y: Value, signed: boolean): Value {
    const { b } = this;
    const [p, q] = [this.biased(x, signed), this.biased(y, signed)];
    const odd = b.xor(p, q);
    const half = b.and(b.lshrw(odd, b.i32(1)), this.rest);
    if (!signed) return b.isub(b.or(p, q), half);
    const down = b.iadd(b.and(p, q), half);
    const up = b.and(b.and(odd, this.ones(b.and(down, this.top))), this.word(low(this.width)));
    return this.biased(b.iadd(down, up), true);
  }

  /** Builds the results of a comparison: 1 or 0 in each element. */
  compare(cmp: string | undefined, x: Value, y: Value, signed: boolean): Value {
    const { b } = this;
    switch (cmp) {
      case 'lt':
        return b.and(this.less(x, y, signed), this.word(low(this.width)));
      case 'gt':
        return b.and(this.less(y, x, signed), this.word(low(this.width)));
      case 'ge':
        return b.xor(this.compare('lt', x, y, signed), this.word(low(this.width)));
      case 'le':
        return b.xor(this.compare('gt', x, y, signed), this.word(low(this.width)));
      case 'ne': {
        const bits = b.xor(x, y);
        const carried = b.or(b.iadd(b.and(bits, this.rest), this.rest), bits);
        return this.ones(b.and(carried, this.top));
      }
      default:
        return b.xor(this.compare('ne', x, y, signed), this.word(low(this.width)));
    }
  }

  /** Clamps elements of one signedness to the range of the other. */
  clamp(x: Value, from: boolean, to: boolean): Value {
    if (from === to) return x;
    return to ? this.min(x, this.rest, false) : this.max(x, this.b.i32(0), true);
  }

  /** Builds the sum of all elements. */
  total(x: Value, signed: boolean): Value {
    const { b, width } = this;
    if (width === 16) return b.iadd(this.element(x, 0, signed), this.element(x, 1, signed));
    if (signed) return b.isub(this.total(b.xor(x, this.top), false), b.i32(4 * 128));
    const pairs = b.iadd(b.and(x, b.i32(0xff00ff)), b.and(b.lshrw(x, b.i32(8)), b.i32(0xff00ff)));
    return b.and(b.iadd(pairs, b.lshrw(pairs, b.i32(16))), b.i32(0xffff));
  }

  element(x: Value, place: number, signed: boolean): Value {
    const { b, width } = this;
    return b.value(signed ? 'sbfe' : 'ubfe', {}, [x, b.i32(place * width), b.i32(width)]);
  }
}

const lessIn: Readonly<Record<Width, ReturnType<typeof helper>>> = {
  8: helper('bytes_less', ['u32', 'u32'], 'u32'),
  16: helper('halves_less', ['u32', 'u32'], 'u32'),
};
