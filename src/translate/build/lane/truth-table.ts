// Finds the shortest expression for each of the 256 functions of three bits, for lop3.
import { InternalError } from '../../../base/invariants.ts';

/**
 * An expression that computes a truth table. `of`, `left` and `right` are the tables of its
 * operands.
 */
type Formula =
  | { readonly kind: 'operand'; readonly index: 0 | 1 | 2 }
  | { readonly kind: 'constant'; readonly ones: boolean }
  | { readonly kind: 'not'; readonly of: number }
  | { readonly kind: 'and' | 'or' | 'xor'; readonly left: number; readonly right: number };

interface Entry {
  readonly formula: Formula;
  readonly cost: number;
}

const operators = {
  and: (x: number, y: number) => x & y,
  or: (x: number, y: number) => x | y,
  xor: (x: number, y: number) => x ^ y,
} as const;
const operatorNames = ['and', 'or', 'xor'] as const;

let formulas: ReadonlyMap<number, Entry> | undefined;

/**
 * Returns a formula with the truth table `lut`: bit i is the result if a, b and c are the bits 2, 1
 * and 0 of i.
 */
export function formulaOf(lut: number): Formula {
  formulas ??= search();
  const entry = formulas.get(lut);
  if (!entry) throw new InternalError(`invalid lop3 table ${lut}: expected an integer from 0 to 255`);
  return entry.formula;
}

/**
 * Finds the cheapest formula of each truth table. Combines formulas until no cost decreases. This
 * reaches every function of three bits.
 */
function search(): ReadonlyMap<number, Entry> {
  const found = new Map<number, Entry>([
    [0x00, { formula: { kind: 'constant', ones: false }, cost: 0 }],
    [0xff, { formula: { kind: 'constant', ones: true }, cost: 0 }],
    [0xf0, { formula: { kind: 'operand', index: 0 }, cost: 0 }],
    [0xcc, { formula: { kind: 'operand', index: 1 }, cost: 0 }],
    [0xaa, { formula: { kind: 'operand', index: 2 }, cost: 0 }],
  ]);
  const offer = (table: number, formula: Formula, cost: number): void => {
    const known = found.get(table);
    if (!known || cost < known.cost) found.set(table, { formula, cost });
  };
  // No function needs more than six operations, so six rounds are enough.
  for (let round = 0; round < 6; round++) {
    const tables = [...found];
    for (const [left, a] of tables) {
      offer(~left & 0xff, { kind: 'not', of: left }, a.cost + 1);
      for (const [right, b] of tables) {
        // The operators are commutative: try each pair once, the larger table first. So formulas
        // name operand a before b, and b before c.
        if (right >= left) continue;
        for (const kind of operatorNames) {
          offer(operators[kind](left, right), { kind, left, right }, a.cost + b.cost + 1);
        }
      }
    }
  }
  return found;
}
