// The operations of every lane row against the reference: with constant operands they fold to the
// constant that the reference computes.
import { describe, expect, it } from 'vitest';
import { laneFunctions } from '../../../../src/cpu-ref/lane/index.ts';
import { withMarks } from '../../../../src/harness/suites/rows/marks.ts';
import {
  floatPairRows,
  halfConvertRows,
  halfRows,
  type IsaRow,
  isaRows,
  type LaneRowName,
  type Mods,
  smallFloatRows,
} from '../../../../src/isa/index.ts';
import { type OperandSlot, patternOf, resolveType } from '../../../../src/isa/match.ts';
import { objectionTo, operandObjection } from '../../../../src/ptx/checks/constraints.ts';
import { isLaneRow, laneRow } from '../../../../src/translate/build/lane/index.ts';
import { ptxType, typeOf } from '../../../../src/translate/build/types.ts';
import { Builder, Ids } from '../../../../src/translate/ir/builder.ts';
import { constant, type Value } from '../../../../src/translate/ir/nodes.ts';
import { widthOf } from '../../../../src/translate/ir/types.ts';
import { effort } from '../../../effort.ts';

/**
 * Rows that need a prelude function or the adapter's floats, so they do not fold. The lockstep
 * tests compare these.
 */
const atRunTime: readonly string[] = [
  ...['fns', 'bmsk', 'dp4a', 'dp2a'],
  ...isaRows.filter(({ name, kind }) => kind === 'lane' && /\.f(32|64)$/.test(name)).map(({ name }) => name),
  ...[...halfRows, ...halfConvertRows, ...smallFloatRows, ...floatPairRows].map(({ name }) => name),
].filter((name) => !name.startsWith('copysign'));

/** Returns all combinations of a row's modifiers. */
function modsOf(row: IsaRow): readonly Mods[] {
  let all: Mods[] = [{}];
  for (const { name, values, slot, optional } of patternOf(row).parts) {
    if (!slot && !optional) continue;
    all = all.flatMap((mods) => [...(optional ? [mods] : []), ...values.map((value) => ({ ...mods, [name]: value }))]);
  }
  return all.filter((mods) => objectionTo(row, mods) === undefined);
}

let state = 12345;
function random(): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state;
}

const edges = [0n, 1n, 2n, 3n, 5n, 31n, 32n, 33n, 63n, 64n, 65n, 127n, 128n, 255n, 256n, 0x7fffn, 0x8000n, 0xffffn];
const wideEdges = [0x7fffffffn, 0x80000000n, 0xffffffffn, 0x100000000n, 1n << 63n, (1n << 63n) - 1n, (1n << 64n) - 1n];

function randomBits(width: number): bigint {
  const list = [...edges, ...wideEdges];
  const choice = random() % 3;
  const some = choice === 0 ? (BigInt(random()) << 32n) | BigInt(random()) : (list[random() % list.length] ?? 0n);
  return BigInt.asUintN(width, choice === 1 ? -some : some);
}

/**
 * Returns the source operands of a row. Includes an optional operand if the modifiers require it.
 */
const sourcesOf = (row: IsaRow, mods: Mods): readonly OperandSlot[] => {
  const { groups } = patternOf(row);
  const isOptional = (name: string): boolean => groups.some(({ first, optional }) => optional && first.name === name);
  const needsAll = operandObjection(row, mods, (name) => !isOptional(name)) !== undefined;
  return groups.flatMap(({ first, second, optional }) =>
    [first, second].flatMap((slot) =>
      slot === undefined || slot.destination || (optional && !needsAll) ? [] : [slot],
    ),
  );
};

/**
 * Returns the results of the operations and of the reference, or undefined if the operations do not
 * fold.
 */
function compare(
  row: IsaRow,
  name: LaneRowName,
  mods: Mods,
): { got: bigint[]; wanted: bigint[]; text: () => string } | undefined {
  const b = new Builder(new Ids());
  b.into([]);
  const types = sourcesOf(row, mods).map((slot) =>
    typeOf(slot.type === 'immediate' ? 'b32' : ptxType(resolveType(slot.type, mods))),
  );
  const bits: bigint[] = [];
  // In some vectors the operands are equal, because the results of carries and comparisons change
  // at equal operands.
  for (const type of types) {
    const before = random() % 4 === 0 ? bits.at(-1) : undefined;
    bits.push(before === undefined ? randomBits(widthOf(type)) : BigInt.asUintN(widthOf(type), before));
  }
  const args: Value[] = types.map((type, index) => constant(type, bits[index] ?? 0n));
  const sources: (number | bigint)[] = bits.map((value, index) =>
    widthOf(types[index] ?? 'i32') === 64 ? value : Number(value),
  );
  if (row.carry?.in) {
    const carry = random() % 2;
    args.push(constant('i1', carry));
    sources.push(carry);
  }
  const values = laneRow(name)(mods)(b, args, true);
  const got = values.flatMap((value) => (value.kind === 'constant' ? [value.bits] : []));
  if (got.length !== values.length) return undefined;
  const wanted = laneFunctions[name](mods, sources).map(BigInt);
  return {
    got,
    wanted,
    text: () => `${name} ${JSON.stringify(mods)} of ${bits.map((value) => `0x${value.toString(16)}`).join(', ')}`,
  };
}

/** The number of comparisons for each form of a row. */
const rounds = effort(12, 24);

describe('operations of lane rows', () => {
  const rows = isaRows.filter(isLaneRow);

  it('cover every row', () => {
    expect(rows.length).toBe(Object.keys(laneFunctions).length);
  });

  for (const row of rows) {
    const { name } = row;
    if (atRunTime.includes(name)) continue;
    it(`${name} returns the results of the reference`, () => {
      let compared = 0;
      for (const [index, mods] of modsOf(row).entries()) {
        for (let round = 0; round < rounds; round++) {
          const found = compare(row, name, withMarks(row, mods, rounds * index + round));
          if (found === undefined) continue;
          compared += 1;
          // A call of `expect` for each of the 100,000 comparisons would take as long as the
          // comparisons.
          if (found.got.join() !== found.wanted.join()) expect(found.got, found.text()).toEqual(found.wanted);
        }
      }
      expect(compared).toBeGreaterThan(0);
    });
  }
});
