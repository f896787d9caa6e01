// Comparisons of f16 and bf16, and comparisons with results of 16 bits.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#half-precision-comparison-instructions
import type { Mods } from '../../isa/index.ts';
import type { Bits, LaneFunction } from '../types.ts';
import {
  type Compare,
  combined,
  compareDoubles,
  compareFloats,
  compareIntegers,
  isTrue,
  orderOf,
  unordered,
} from './compare.ts';
import { formatOf, halfAt, isPacked, packed } from './half.ts';
import { flushedIn, roundTo, valueIn } from './half-format.ts';

/** Compares the low or the high halves of words. */
const compareHalves =
  (index: 0 | 1): Compare =>
  (mods, sources) => {
    const format = formatOf(mods.type);
    const operand = (i: number): number => {
      const bits = halfAt(sources, i, index);
      return valueIn(format, mods.ftz === undefined ? bits : flushedIn(format, bits));
    };
    const [a, b] = [operand(0), operand(1)];
    return Number.isNaN(a) || Number.isNaN(b) ? unordered : orderOf(a, b);
  };

const test = (compare: Compare, mods: Mods, sources: readonly Bits[]): boolean =>
  combined(mods, isTrue(mods, compare(mods, sources)), sources);

const [low, high] = [compareHalves(0), compareHalves(1)];

const setp: LaneFunction = (mods, sources) => [test(low, mods, sources) ? 1 : 0];

/** Compares pairs: `p` is the result for the low halves, and `q` for the high halves. */
const setpPair: LaneFunction = (mods, sources) => [test(low, mods, sources) ? 1 : 0, test(high, mods, sources) ? 1 : 0];

/**
 * Returns the bits of the result for true: 1.0 for float destinations, and all ones for integers.
 */
function truth(type: string | undefined): number {
  if (type?.includes('f')) return roundTo(formatOf(type), 1, 'rn');
  return type?.endsWith('16') ? 0xffff : 0xffffffff;
}

const set =
  (compare: Compare): LaneFunction =>
  (mods, sources) => [test(compare, mods, sources) ? truth(mods.dtype) : 0];

/** Compares pairs. Each half has a 16-bit result, also for integer destinations. */
const setPair: LaneFunction = (mods, sources) => {
  const yes = isPacked(mods.dtype) ? truth(mods.dtype) : 0xffff;
  return [packed(test(low, mods, sources) ? yes : 0, test(high, mods, sources) ? yes : 0)];
};

const wider: Readonly<Record<string, Compare>> = { f32: compareFloats, f64: compareDoubles };

const compareWords: Compare = (mods, sources) => (wider[mods.type ?? ''] ?? compareIntegers)(mods, sources);

export const halfCompareFunctions = {
  'setp.f16': setp,
  'setp.bool.f16': setp,
  'setp.f16x2': setpPair,
  'setp.bool.f16x2': setpPair,
  'setp.bf16': setp,
  'setp.bool.bf16': setp,
  'setp.bf16x2': setpPair,
  'setp.bool.bf16x2': setpPair,
  'set.f16': set(low),
  'set.bool.f16': set(low),
  'set.f16x2': setPair,
  'set.bool.f16x2': setPair,
  'set.bf16': set(low),
  'set.bool.bf16': set(low),
  'set.bf16x2': setPair,
  'set.bool.bf16x2': setPair,
  'set.half': set(compareWords),
  'set.bool.half': set(compareWords),
} satisfies Record<string, LaneFunction>;
