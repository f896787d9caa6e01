// Comparisons of f16 and bf16, including those with 16-bit results.
import type { HalfRowName, Mods } from '../../../isa/index.ts';
import type { Builder } from '../../ir/builder.ts';
import { constant, type Value } from '../../ir/nodes.ts';
import type { Type } from '../../ir/types.ts';
import { combined, floatTest, integerTest, type Test } from './compare.ts';
import { elementOf, isPacked, packed, unpacked } from './half.ts';
import { argAt, type LaneBuild, type LaneRow, numberType } from './row.ts';

type Row = Extract<HalfRowName, `set${string}`>;

/** Returns the test, combined with the third operand if the instruction has `.bool`. */
const testOf = (mods: Mods, test: Test): Test => (mods.bool === undefined ? test : combined(mods, test));

/** Builds a test of the low halves, or of the high halves. */
function halves(b: Builder, mods: Mods, test: Test, args: readonly Value[], index: 0 | 1): Value {
  const element = elementOf(mods.type);
  const [x, y, ...rest] = args;
  const operands = [x, y].map((word) => argAt(word === undefined ? [] : unpacked(b, word, element), index));
  return test(b, [...operands, ...rest], false);
}

const setp: LaneRow = (mods) => {
  const test = testOf(mods, floatTest(mods));
  if (!isPacked(mods.type)) return (b, args) => [test(b, args, false)];
  return (b, args, second) => {
    const low = halves(b, mods, test, args, 0);
    return second ? [low, halves(b, mods, test, args, 1)] : [low];
  };
};

const ones: Readonly<Partial<Record<Type, bigint>>> = { f16: 0x3c00n, bf16: 0x3f80n };

/** Builds a selection between the value for true (1.0, or all ones) and 0. */
const chosen = (b: Builder, condition: Value, type: Type): Value =>
  // Absent: a type without an entry is an integer type, whose value for true is all ones.
  b.select(condition, constant(type, ones[type] ?? -1n), constant(type, 0n));

function set(mods: Mods, own: Test): LaneBuild {
  const test = testOf(mods, own);
  if (isPacked(mods.type)) {
    const type = isPacked(mods.dtype) ? elementOf(mods.dtype) : 'i16';
    return (b, args) => {
      const half = (index: 0 | 1): Value => chosen(b, halves(b, mods, test, args, index), type);
      const low = half(0);
      return [packed(b, low, half(1))];
    };
  }
  const { type } = numberType(mods.dtype);
  return (b, args) => [chosen(b, test(b, args, false), type)];
}

const setHalves: LaneRow = (mods) => set(mods, floatTest(mods));
const setWords: LaneRow = (mods) => set(mods, mods.type?.startsWith('f') ? floatTest(mods) : integerTest(mods));

export const halfCompareRows: Readonly<Record<Row, LaneRow>> = {
  'setp.f16': setp,
  'setp.bool.f16': setp,
  'setp.f16x2': setp,
  'setp.bool.f16x2': setp,
  'setp.bf16': setp,
  'setp.bool.bf16': setp,
  'setp.bf16x2': setp,
  'setp.bool.bf16x2': setp,
  'set.f16': setHalves,
  'set.bool.f16': setHalves,
  'set.f16x2': setHalves,
  'set.bool.f16x2': setHalves,
  'set.bf16': setHalves,
  'set.bool.bf16': setHalves,
  'set.bf16x2': setHalves,
  'set.bool.bf16x2': setHalves,
  'set.half': setWords,
  'set.bool.half': setWords,
};
