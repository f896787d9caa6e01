// Splits combined bit tests that NVIDIA's driver miscompiles. The driver tests several bits of one
// byte of a word in one instruction. If it tests another word in this way, it may read the flag of
// the other word instead (docs/lab-notes/native-compiler.md). A bit that is extracted first has a
// test of its own.
//
// So this pass extracts the bits if three conditions hold:
// - a block tests two words in this way;
// - one of them may be the operand of a warp instruction;
// - a flag of one word is live at the tests of the other.
//
// Other tests stay combined, because they are then faster if tests of one word follow each other,
// as in a radix sort.
import { groupBy } from '../../base/group-by.ts';
import type { Builder } from '../ir/builder.ts';
import { constant, constantOf, type Func, type Inst, operandsOf, type Value, valuesOf } from '../ir/nodes.ts';
import { warpFacts } from '../ir/warp-facts.ts';
import { removeDeadCode } from './remove-dead-code.ts';
import { replaceInsts } from './replace-insts.ts';

/** A comparison of one bit of a word with zero. */
interface BitTest {
  readonly inst: Inst;
  readonly word: Value;
  readonly bit: number;
  /** The position of the test, counted in instructions. */
  readonly at: number;
}

/**
 * The tests of one byte of a word, and the range of instructions in which one of their flags, or a
 * value derived from one, is live.
 */
interface Group {
  readonly tests: readonly BitTest[];
  from: number;
  to: number;
}

/** Requires legal IR. */
export function partBitTests(func: Func, builder: Builder): void {
  const { tests, others } = findTests(func);
  const groups = [...groupBy(tests, ({ word, bit }) => `${nameOf(word)} ${bit >> 3}`).values()]
    .filter((group) => new Set(group.map(({ bit }) => bit)).size > 1)
    .map((group): Group => ({ tests: group, ...firstPlace(group) }));
  if (groups.length === 0 || groups.length + others.length < 2) return;
  findLives(func, groups);
  const mixed = groups.filter(
    (group) =>
      groups.some((other) => other !== group && other.from <= group.to && group.from <= other.to) ||
      others.some((place) => group.from <= place && place <= group.to),
  );
  if (mixed.length === 0) return;
  const parted = new Map(mixed.flatMap(({ tests: own }) => own.map((test) => [test.inst, test])));
  const extract = (inst: Inst) => {
    const test = parted.get(inst);
    if (test === undefined) return;
    const [bit] = builder.emit('ubfe', {}, [test.word, constant('i32', BigInt(test.bit)), constant('i32', 1n)]);
    if (bit !== undefined) inst.args = [bit, constant('i32', 0n)];
    builder.list.push(inst);
  };
  replaceInsts(func, builder, (inst) => parted.has(inst), extract);
  removeDeadCode(func);
}

/**
 * Returns the tests of bits, and the positions at which warp instructions test words of the same
 * kind.
 */
function findTests(func: Func): { readonly tests: readonly BitTest[]; readonly others: readonly number[] } {
  const tests: BitTest[] = [];
  const others: number[] = [];
  let at = 0;
  for (const { insts } of func.blocks) {
    for (const inst of insts) {
      at++;
      if (inst.op === 'warp' && warpFacts(inst.attrs.row).testsBits) others.push(at);
      const test = bitTest(inst, at);
      if (test !== undefined) tests.push(test);
    }
  }
  return { tests, others };
}

function firstPlace(tests: readonly BitTest[]): { readonly from: number; readonly to: number } {
  const from = Math.min(...tests.map(({ at }) => at));
  return { from, to: from };
}

/** Marks a group as live at every position, because loops may connect any two positions. */
function liveEverywhere(group: Group): void {
  group.from = 0;
  group.to = Number.POSITIVE_INFINITY;
}

/** Finds the live ranges. A flag that another block reads is live everywhere. */
function findLives(func: Func, groups: readonly Group[]): void {
  const groupOf = new Map(groups.flatMap((group) => group.tests.map(({ inst }) => [inst, group] as const)));
  const flags = new Map<Value, { readonly groups: ReadonlySet<Group>; readonly block: number }>();
  let at = 0;
  for (const [block, { insts, end }] of func.blocks.entries()) {
    const read = (value: Value): Iterable<Group> => {
      const flag = flags.get(value);
      if (flag === undefined) return [];
      for (const group of flag.groups) {
        if (flag.block === block) group.to = Math.max(group.to, at);
        else liveEverywhere(group);
      }
      return flag.groups;
    };
    for (const inst of insts) {
      at++;
      const of = new Set(operandsOf(inst).flatMap((value) => [...read(value)]));
      const own = groupOf.get(inst);
      if (own !== undefined) of.add(own);
      if (of.size === 0) continue;
      for (const result of inst.results) if (result.type === 'i1') flags.set(result, { groups: of, block });
    }
    // Absent: a value that is passed to another block may be read anywhere. A value without bit
    // tests belongs to no group.
    for (const value of valuesOf(end)) for (const group of flags.get(value)?.groups ?? []) liveEverywhere(group);
  }
}

function bitTest(inst: Inst, at: number): BitTest | undefined {
  if (inst.op !== 'icmp' || (inst.attrs.relation !== 'eq' && inst.attrs.relation !== 'ne')) return undefined;
  const [masked, zero] = inst.args;
  if (constantOf(zero) !== 0n || masked?.kind !== 'result' || masked.inst.op !== 'and') return undefined;
  const [word, mask] = masked.inst.args;
  const bits = constantOf(mask);
  if (word === undefined || bits === undefined || bits === 0n || (bits & (bits - 1n)) !== 0n) return undefined;
  const bit = bits.toString(2).length - 1;
  const shifted = word.kind === 'result' && word.inst.op === 'lshrw' ? constantOf(word.inst.args[1]) : undefined;
  const [whole] = shifted === undefined || word.kind !== 'result' ? [] : word.inst.args;
  if (whole === undefined || shifted === undefined || bit + Number(shifted) > 31) return { inst, word, bit, at };
  return { inst, word: whole, bit: bit + Number(shifted), at };
}

/**
 * Returns a name for the word. A driver loads words from one place only once, so all words from
 * that place have the same name.
 */
function nameOf(word: Value): string {
  if (word.kind !== 'result' || word.inst.op !== 'load') return plainName(word);
  const { root, unit, offset } = word.inst.attrs.place;
  return [JSON.stringify(root), unit, offset, word.index, ...word.inst.args.map(plainName)].join(' ');
}

const plainName = (value: Value): string =>
  value.kind === 'constant' ? `${value.bits}` : value.kind === 'undef' ? 'undef' : `%${value.id}`;
