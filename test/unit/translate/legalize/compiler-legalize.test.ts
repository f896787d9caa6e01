// Operations on 8 to 64 bits return the same bits before and after legalization, for values at the
// edges of their ranges and for random values.
import { describe, expect, it } from 'vitest';
import { Builder, Ids } from '../../../../src/translate/ir/builder.ts';
import { constant, type Func, type Program, type Value } from '../../../../src/translate/ir/nodes.ts';
import { type Attributes, integerRelations, type OpName, operations } from '../../../../src/translate/ir/operations.ts';
import { type IntegerType, integerOf, type Type, widthOf } from '../../../../src/translate/ir/types.ts';
import { verifyProgram } from '../../../../src/translate/ir/verify.ts';
import { legalize } from '../../../../src/translate/legalize/index.ts';
import { evaluate } from '../../../ir/evaluate.ts';
import { exactFloats } from '../../../lockstep/float-profiles.ts';

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state;
  };
}

const next = random(5);

/** Returns the edges of a type's range and some values between. */
function valuesOf(type: Type): bigint[] {
  const width = widthOf(type);
  const top = 1n << BigInt(width - 1);
  const edges = [0n, 1n, 7n, top - 1n, top, top + 1n, -1n, -2n, 0xffn, 0x8000_0000n, 0xffff_ffffn, 0x1_0000_0000n];
  const others = Array.from({ length: 4 }, () => (BigInt(next()) << 32n) | BigInt(next()));
  const few = Array.from({ length: 3 }, () => BigInt(next() >>> (next() % 32)));
  return [...new Set([...edges, ...others, ...few].map((bits) => BigInt.asUintN(width, bits)))];
}

const amounts = [0n, 1n, 7n, 8n, 15n, 16n, 31n, 32n, 33n, 63n, 64n, 65n, 255n, 256n, 0xffff_ffffn];

/** Positions and lengths of bit fields. */
const places = [0n, 1n, 8n, 31n, 32n, 40n, 64n, 257n];

interface Made {
  readonly program: Program;
  readonly builder: Builder;
  /** The function before legalization. */
  readonly func: Func;
}

/** Builds a function of one operation. Arguments listed in `known` are constants. */
function functionOf<Op extends OpName>(
  op: Op,
  attrs: Attributes[Op],
  types: readonly Type[],
  known: ReadonlyMap<number, bigint>,
): Made {
  const builder = new Builder(new Ids());
  const block = builder.block();
  const args = types.map((type, index): Value => {
    const bits = known.get(index);
    const param = builder.param(block, type, `%a${index}`);
    return bits === undefined ? param : constant(type, bits);
  });
  builder.into(block.insts);
  // Emitted without folding, so that legalization sees the operation itself.
  const values = builder.emit(op, attrs, args);
  block.end = { kind: 'return', values, span: undefined };
  const func: Func = { name: 'f', kind: 'function', results: values.map(({ type }) => type), blocks: [block] };
  const kernel: Func = { name: 'main', kind: 'kernel', results: [], blocks: [builder.block()] };
  const source = { file: 'test', text: '' };
  const own = { params: [], pointerParams: new Set<number>(), variables: [], dynamicShared: 0 };
  return { program: { source, kernel, functions: [func], ...own }, builder, func };
}

/** Splits arguments or results into 32-bit words. */
function wordsOf(types: readonly Type[], bits: readonly bigint[]): bigint[] {
  return types.flatMap((type, index) => {
    const value = bits[index] ?? 0n;
    const words = Math.max(1, widthOf(type) / 32);
    return Array.from({ length: words }, (_, word) => (value >> BigInt(32 * word)) & 0xffff_ffffn);
  });
}

function check<Op extends OpName>(
  op: Op,
  attrs: Attributes[Op],
  types: readonly Type[],
  known: ReadonlyMap<number, bigint>,
  inputs: readonly (readonly bigint[])[],
) {
  const { program, builder } = functionOf(op, attrs, types, known);
  expect(verifyProgram(program)).toEqual([]);
  legalize(program, builder, { float: exactFloats });
  expect(verifyProgram(program, { legal: true })).toEqual([]);
  const [func] = program.functions;
  const { fold, results } = operations[op];
  const resultTypes = results(
    types.map((type) => ({ type })),
    attrs as never,
  );
  const wrong: string[] = [];
  for (const input of inputs) {
    const bits = input.map((value, index) => known.get(index) ?? value);
    const expected = wordsOf(resultTypes, fold?.(bits, types, attrs as never) ?? []).join();
    const got = func && evaluate(func, wordsOf(types, bits)).results?.join();
    if (got !== expected) wrong.push(`${op} ${types.join()} of ${bits.join()}: ${got}, not ${expected}`);
  }
  expect(wrong.slice(0, 5)).toEqual([]);
}

/** Returns all pairs of a value of the first argument and a value of the second. */
const pairsOf = (first: readonly bigint[], second: readonly bigint[]): bigint[][] =>
  first.flatMap((a) => second.map((b) => [a, b]));

const integers: readonly IntegerType[] = ['i8', 'i16', 'i32', 'i64'];
const binary = [
  'iadd', 'isub', 'imul', 'umulhi', 'smulhi', 'udiv', 'sdiv', 'urem', 'srem', 'and', 'or', 'xor', 'umin', 'umax', 'smin', 'smax',
] as const; // biome-ignore format: one line
const shifts = ['shl', 'lshr', 'ashr', 'shlw', 'lshrw', 'ashrw'] as const;
const none = new Map<number, bigint>();

describe.each(integers)('%s', (type) => {
  it.each(binary)('%s', (op) => {
    const values = valuesOf(type);
    check(op, {}, [type, type], none, pairsOf(values, values));
    for (const bits of values) check(op, {}, [type, type], new Map([[1, bits]]), pairsOf(values, [0n]));
    for (const bits of values.slice(0, 8)) check(op, {}, [type, type], new Map([[0, bits]]), pairsOf([0n], values));
  });

  it.each(shifts)('%s', (op) => {
    const values = valuesOf(type);
    check(op, {}, [type, 'i32'], none, pairsOf(values, amounts));
    for (const bits of amounts) check(op, {}, [type, 'i32'], new Map([[1, bits]]), pairsOf(values, [0n]));
  });

  it.each(['popcount', 'clz', 'bitreverse'] as const)('%s', (op) => {
    check(
      op,
      {},
      [type],
      none,
      valuesOf(type).map((bits) => [bits]),
    );
  });

  it.each(integerRelations)('icmp.%s', (relation) => {
    const values = valuesOf(type);
    check('icmp', { relation }, [type, type], none, pairsOf(values, values));
    for (const bits of values) check('icmp', { relation }, [type, type], new Map([[1, bits]]), pairsOf(values, [0n]));
  });

  it('select', () => {
    const values = valuesOf(type);
    check(
      'select',
      {},
      ['i1', type, type],
      none,
      pairsOf(values, values.slice(0, 4)).flatMap(([a = 0n, b = 0n]) => [
        [0n, a, b],
        [1n, a, b],
      ]),
    );
  });

  it.each(['ubfe', 'sbfe'] as const)('%s', (op) => {
    const values = valuesOf(type);
    const fields = pairsOf(places, places);
    check(
      op,
      {},
      [type, 'i32', 'i32'],
      none,
      values.flatMap((bits) => fields.map((field) => [bits, ...field])),
    );
    for (const [start = 0n, count = 0n] of fields) {
      check(
        op,
        {},
        [type, 'i32', 'i32'],
        new Map([
          [1, start],
          [2, count],
        ]),
        values.map((bits) => [bits, 0n, 0n]),
      );
    }
  });

  it('bfi', () => {
    const values = pairsOf(valuesOf(type).slice(0, 8), valuesOf(type).slice(3, 9));
    const fields = pairsOf(places, places);
    check(
      'bfi',
      {},
      [type, type, 'i32', 'i32'],
      none,
      values.flatMap((bits) => fields.map((field) => [...bits, ...field])),
    );
    for (const [start = 0n, count = 0n] of fields) {
      check(
        'bfi',
        {},
        [type, type, 'i32', 'i32'],
        new Map([
          [2, start],
          [3, count],
        ]),
        values.map((bits) => [...bits, 0n, 0n]),
      );
    }
  });

  it('conversions', () => {
    const inputs = valuesOf(type).map((bits) => [bits]);
    for (const to of integers) {
      if (widthOf(to) > widthOf(type)) {
        check('zext', { to }, [type], none, inputs);
        check('sext', { to }, [type], none, inputs);
      } else if (to !== type) {
        check('trunc', { to }, [type], none, inputs);
      }
    }
    const bools = [[0n], [1n]];
    check('zext', { to: type }, ['i1'], none, bools);
    check('sext', { to: type }, ['i1'], none, bools);
    if (type === 'i8') return;
    check('split', {}, [type], none, inputs);
    const half = integerOf(widthOf(type) / 2);
    check('join', {}, [half, half], none, pairsOf(valuesOf(half), valuesOf(half)));
  });
});
