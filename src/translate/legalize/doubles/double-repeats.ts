// Finds repeated instruction sequences, called turns, which differ only in their operands. They are
// loops that the compiler of the PTX has unrolled.
import { at as element } from '../../../base/invariants.ts';
import { type Inst, sameValue, type Value } from '../../ir/nodes.ts';

/** The source of an operand in each turn. */
export type RepeatedOperand =
  /** The value is the same in all turns. */
  | { readonly kind: 'same'; readonly value: Value }
  /** A result of the same turn, by its position. */
  | { readonly kind: 'own'; readonly at: number; readonly index: number }
  /** A result of the previous turn; in the first turn, `first`. */
  | { readonly kind: 'before'; readonly at: number; readonly index: number; readonly first: Value }
  /** A separate value for each turn, from outside the turns. */
  | { readonly kind: 'each'; readonly values: readonly Value[] };

export interface Repeat {
  /** The number of instructions before the first turn. */
  readonly start: number;
  readonly turns: number;
  /** The operands of a turn, by the position of the instruction. */
  readonly operands: readonly (readonly RepeatedOperand[])[];
}

/** The maximum length of a turn. */
const longest = 64;

const keyOf = ({ op, args, attrs }: Inst): string => `${op} ${args.length} ${JSON.stringify(attrs)}`;

/**
 * Finds the repetition that covers the most instructions, and among several such repetitions the
 * one with the shortest turns. The instructions have no conditions and are in a valid order.
 */
export function repeatOf(insts: readonly Inst[]): Repeat | undefined {
  const keys = insts.map(keyOf);
  const places = new Map(insts.map((inst, place) => [inst, place]));
  let best: Repeat | undefined;
  for (let period = 1; period <= longest && period * 2 <= insts.length; period++) {
    let from = 0;
    for (let at = period; at <= insts.length; at++) {
      if (at < insts.length && keys[at] === keys[at - period]) continue;
      // The sequence of matching instructions ends here.
      const found = turnsIn({ insts, places, from, to: at, period }, best ? best.turns * best.operands.length : 0);
      best = found ?? best;
      from = at - period + 1;
    }
  }
  return best;
}

/**
 * A range of instructions in which each instruction has the same operation as the instruction
 * `period` places before it.
 */
interface Alike {
  readonly insts: readonly Inst[];
  readonly places: ReadonlyMap<Inst, number>;
  readonly from: number;
  readonly to: number;
  readonly period: number;
}

/**
 * Finds turns that cover more than `more` instructions. Their operands determine where the turns
 * begin.
 */
function turnsIn(alike: Alike, more: number): Repeat | undefined {
  const { from, to, period } = alike;
  for (let start = from; start < from + period; start++) {
    const turns = Math.floor((to - start) / period);
    if (turns < 2 || turns * period <= more) return undefined;
    const operands = operandsOf(alike, start, turns);
    if (operands !== undefined) return { start, turns, operands };
  }
  return undefined;
}

function operandsOf({ insts, places, period }: Alike, start: number, turns: number): Repeat['operands'] | undefined {
  /** Returns the position, relative to the first turn, of the instruction that defines a value. */
  const placeOf = (value: Value): number | undefined => {
    const place = value.kind === 'result' ? places.get(value.inst) : undefined;
    return place === undefined || place < start || place >= start + turns * period ? undefined : place - start;
  };
  const found: (readonly RepeatedOperand[])[] = [];
  for (let at = 0; at < period; at++) {
    const all: RepeatedOperand[] = [];
    const count = element(insts, start + at, 'an instruction').args.length;
    for (let arg = 0; arg < count; arg++) {
      const values = Array.from({ length: turns }, (_, turn) => {
        const { args } = element(insts, start + turn * period + at, 'an instruction');
        return element(args, arg, 'an operand');
      });
      const operand = operandOf(values, period, placeOf);
      if (operand === undefined) return undefined;
      all.push(operand);
    }
    found.push(all);
  }
  return found;
}

/** Returns the source of an operand. `values`: the operand in each turn. */
function operandOf(
  values: readonly Value[],
  period: number,
  placeOf: (value: Value) => number | undefined,
): RepeatedOperand | undefined {
  const [first] = values;
  if (first === undefined) return undefined;
  const from = values.map(placeOf);
  if (from.every((place) => place === undefined))
    return values.every((value) => sameValue(value, first)) ? { kind: 'same', value: first } : { kind: 'each', values };
  const second = values[1];
  // Absent: a value from outside the turns has no place. The comparisons below reject it.
  const [index, at] = [second?.kind === 'result' ? second.index : 0, (from[1] ?? 0) % period];
  const isAt = (turn: number, back: number): boolean => {
    const value = values[turn];
    return value?.kind === 'result' && value.index === index && from[turn] === (turn - back) * period + at;
  };
  if (values.every((_, turn) => isAt(turn, 0))) return { kind: 'own', at, index };
  if (from[0] === undefined && values.every((_, turn) => turn === 0 || isAt(turn, 1)))
    return { kind: 'before', at, index, first };
  return undefined;
}
