// Proves the loop of `match.any` that ends early. Its stages compare more and more bits of the
// values. After a stage, each lane reads the value of a lane that its row determines, and the
// shader is done if all lanes read their own value.
//
// Three facts prove the result, for lanes i and j of a group:
// 1. After each stage, row i contains j if the lowest n bits of their values are equal. So rows are
//    classes of an equivalence: if row i contains j, the rows i and j are equal.
// 2. The value that lane i reads is the same function of row i in all lanes. So if row i contains
//    j, both read the same value. If the shader is done, it is the value of i and that of j.
// 3. After the last stage, n is the number of bits of a value.
import { decide } from './terms/bits.ts';
import { assuming, orderOf, replace } from './terms/rewrite.ts';
import { strengthen } from './terms/strengthen.ts';
import {
  and,
  bitAnd,
  bitAt,
  constant,
  equal,
  implies,
  not,
  partsOf,
  replacedTerm,
  type Term,
  variable,
} from './terms/term.ts';
import { at } from './wgsl/place.ts';

/** The state of all lanes after a stage. */
interface Stage {
  readonly rows: readonly Term[];
  /** The conditions under which the shader reaches the stage, all of which are true. */
  readonly reached: readonly Term[];
  /** The condition under which the stage is the last. */
  readonly isDone: Term;
}

/**
 * Returns whether the result of each lane is proved to be the lanes of its group with the same
 * values. `words`: the words of the values, by lane. `executes`: the lanes whose results count.
 */
export function isMatch(
  results: readonly Term[],
  words: readonly (readonly Term[])[],
  groups: readonly (readonly Term[])[],
  executes: readonly Term[],
): boolean {
  const rows = results.map((result, lane) => ofExecuting(result, at(executes, lane)));
  if (words.length === 1) return isMatchOfWord(rows, at(words, 0), groups, executes);
  // The result is the intersection of the results of the words.
  if (!rows.every(({ kind, args }) => kind === 'bvand' && args.length === words.length)) return false;
  const partsOf = (index: number): readonly Term[] => rows.map(({ args }) => at(args, index));
  const isIn = (order: readonly number[]): boolean =>
    words.every((word, index) => isMatchOfWord(partsOf(at(order, index)), word, groups, executes));
  return isIn([0, 1]) || isIn([1, 0]);
}

/** Returns the result of a lane that executes the instruction. */
function ofExecuting(result: Term, executes: Term): Term {
  const [condition, executed] = result.args;
  return result.kind === 'ite' && condition === executes && executed !== undefined ? executed : result;
}

function isMatchOfWord(
  results: readonly Term[],
  values: readonly Term[],
  groups: readonly (readonly Term[])[],
  executes: readonly Term[],
): boolean {
  const stages = stagesOf(results);
  let bits: number | undefined = 1;
  return stages.every((stage, index) => {
    if (bits !== undefined) bits = bitsCompared(stage.rows, values, groups, executes, bits);
    if (bits === undefined) return false;
    return index === stages.length - 1 ? bits === 32 : isDoneRight(stage, values, executes);
  });
}

/**
 * Returns the stages in order. Each result is a nested choice (`ite`) between the row of an earlier
 * stage and the rows of later ones.
 */
function stagesOf(results: readonly Term[]): readonly Stage[] {
  let rows = results;
  const later: Omit<Stage, 'isDone'>[] = [];
  for (;;) {
    const [condition] = at(rows, 0).args;
    if (condition === undefined || !rows.every(({ kind, args }) => kind === 'ite' && args[0] === condition)) break;
    const reached = partsOf('and', condition);
    // `ite` swaps its alternatives if its condition is a negation. So the condition may be that of
    // ending before the later stage. The conditions of the last stage include those of all others.
    const last = later.at(-1)?.reached ?? reached; // Absent: this is the last stage.
    const isDone = !reached.every((part) => last.includes(part));
    later.unshift({
      rows: rows.map(({ args }) => at(args, isDone ? 2 : 1)),
      reached: isDone ? [not(condition)] : reached,
    });
    rows = rows.map(({ args }) => at(args, isDone ? 1 : 2));
  }
  return [{ rows, reached: [] }, ...later].map((stage, index) => ({
    reached: stage.reached,
    rows: stage.rows.map(assuming(stage.reached)),
    isDone: not(and(...(later[index]?.reached ?? []).filter((part) => !stage.reached.includes(part)))), // Absent: the last stage.
  }));
}

/**
 * Returns the number of low bits that a stage has compared. Returns undefined if its rows do not
 * compare low bits.
 */
function bitsCompared(
  rows: readonly Term[],
  values: readonly Term[],
  groups: readonly (readonly Term[])[],
  executes: readonly Term[],
  least: number,
): number | undefined {
  const isSame = (bits: number, lane: number, other: number): Term => {
    const value = (of: number): Term => bitAnd(at(values, of), constant((1n << BigInt(bits)) - 1n));
    return and(at(at(groups, lane), other), equal(value(lane), value(other)));
  };
  const isProved = (lane: number, claim: Term): boolean =>
    decide(implies(at(executes, lane), claim))?.kind === 'proved';
  const isRow = (bits: number, lane: number): boolean =>
    values.every((_, other) => isProved(lane, equal(bitAt(at(rows, lane), other), isSame(bits, lane, other))));
  // One pair of lanes shows the number of bits.
  const isPair = (bits: number): boolean => isProved(0, equal(bitAt(at(rows, 0), 1), isSame(bits, 0, 1)));
  for (let bits = least; bits <= 32; bits++)
    if (isPair(bits)) return rows.every((_, lane) => isRow(bits, lane)) ? bits : undefined;
  return undefined;
}

/**
 * Whether the shader is done only if each executing lane has read its own value. Its row determines
 * the lane that it reads.
 */
function isDoneRight({ rows, reached, isDone }: Stage, values: readonly Term[], executes: readonly Term[]): boolean {
  const row = variable('row');
  const isReached = assuming(reached);
  const equations = partsOf('and', isReached(isDone));
  // A free word replaces the row in the index of the lane that is read.
  const rowIn = (term: Term, lane: number): ReadonlyMap<Term, Term> =>
    new Map(
      orderOf(term).flatMap((each) => {
        const replaced = replacedTerm(each);
        return replaced !== undefined && isReached(replaced) === at(rows, lane) ? [[each, row] as const] : [];
      }),
    );
  const read = values.map((value, lane) => {
    const isOwn = ({ kind, args }: Term): boolean => kind === '=' && args.includes(value);
    const part = equations.find((each) => partsOf('or', each).some(isOwn));
    const equation = part && assuming([at(executes, lane)])(part);
    const other = equation && isOwn(equation) ? equation.args.find((each) => each !== value) : undefined;
    return other && replace(other, rowIn(other, lane));
  });
  // A lane reads a free value if its row selects no lane. All free values have one name here, so
  // that the functions of all lanes are equal. A row that is not 0 must not read a free value.
  const freeAs = (term: Term, name: string): Term =>
    replace(
      term,
      new Map(
        orderOf(term)
          .filter(isFree)
          .map((each) => [each, variable(name)]),
      ),
    );
  const [first, ...others] = read.map((term) => term && freeAs(term, 'free'));
  if (first === undefined || others.some((term) => term !== first)) return false;
  const isSelected = implies(not(equal(row, constant(0))), equal(first, freeAs(first, 'free2')));
  return decide(strengthen(isSelected))?.kind === 'proved';
}

const isFree = ({ kind, name }: Term): boolean => kind === 'variable' && /^(any|free)/.test(name);
