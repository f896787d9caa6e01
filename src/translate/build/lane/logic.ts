// Logic and shifts. The same operations apply to i1 values.
import { InternalError } from '../../../base/invariants.ts';
import type { IntegerRowName } from '../../../isa/index.ts';
import type { Builder } from '../../ir/builder.ts';
import { constantOf, type Value } from '../../ir/nodes.ts';
import { combinations } from './compare.ts';
import { argAt, binary, choice, helper, type LaneRow, numberType, unary } from './row.ts';
import { formulaOf } from './truth-table.ts';

type Row = Extract<
  IntegerRowName,
  'and' | 'or' | 'xor' | 'not' | 'cnot' | 'lop3' | 'lop3.bool' | 'shl' | 'shr' | 'shf'
>;

const funnelLeft = helper('funnel_left', ['u32', 'u32', 'u32'], 'u32');
const funnelRight = helper('funnel_right', ['u32', 'u32', 'u32'], 'u32');

/**
 * Builds the value of a truth table for three words. Formulas have at most six levels of
 * operations.
 */
function tableValue(b: Builder, table: number, words: readonly Value[]): Value {
  const formula = formulaOf(table);
  switch (formula.kind) {
    case 'operand':
      return argAt(words, formula.index);
    case 'constant':
      return b.i32(formula.ones ? -1 : 0);
    case 'not':
      return b.not(tableValue(b, formula.of, words));
    default: {
      const left = tableValue(b, formula.left, words);
      return b[formula.kind](left, tableValue(b, formula.right, words));
    }
  }
}

/** Combines three words by the truth table in the fourth argument. */
function lookedUp(b: Builder, args: readonly Value[]): Value {
  const table = constantOf(argAt(args, 3));
  if (table === undefined) throw new InternalError('the table of lop3 must be an immediate');
  return tableValue(b, Number(table & 0xffn), args);
}

export const logicRows: Readonly<Record<Row, LaneRow>> = {
  and: () => binary((b, x, y) => b.and(x, y)),
  or: () => binary((b, x, y) => b.or(x, y)),
  xor: () => binary((b, x, y) => b.xor(x, y)),
  not: () => unary((b, x) => b.not(x)),
  cnot: () => unary((b, x) => b.resize(b.icmp('eq', x, b.int(x.type, 0)), x.type)),

  lop3: () => (b, args) => [lookedUp(b, args)],
  'lop3.bool': ({ bool }) => {
    const combine = choice(combinations, bool);
    return (b, args) => {
      const d = lookedUp(b, args);
      return [d, combine(b, b.icmp('ne', d, b.i32(0)), argAt(args, 4))];
    };
  },

  shl: () => binary((b, x, amount) => b.shl(x, amount)),
  shr: ({ type }) => {
    return numberType(type).signed
      ? binary((b, x, amount) => b.ashr(x, amount))
      : binary((b, x, amount) => b.lshr(x, amount));
  },

  shf: ({ dir, mode }) => {
    const left = dir === 'l';
    return (b, args) => {
      const [low, high] = [argAt(args, 0), argAt(args, 1)];
      const amount = mode === 'wrap' ? b.and(argAt(args, 2), b.i32(31)) : argAt(args, 2);
      const known = constantOf(amount);
      if (known === undefined) return [left ? funnelLeft(b, low, high, amount) : funnelRight(b, low, high, amount)];
      const n = known > 32n ? 32 : Number(known);
      if (n === 0) return [left ? high : low];
      if (n === 32) return [left ? low : high];
      const [down, up] = left ? [32 - n, n] : [n, 32 - n];
      return [b.or(b.shlw(high, b.i32(up)), b.lshrw(low, b.i32(down)))];
    };
  },
};
