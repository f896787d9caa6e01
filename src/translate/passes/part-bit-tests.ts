// NVIDIA's driver takes tests of bits in one byte of a word together in one instruction, and where another word is tested so, it may read that word's flag
// for the first one's (docs/native-compiler.md). A bit that is extracted first is tested by itself. So where two words are tested so, one of which may be the
// operand of a warp instruction, and a flag of the one lives where the other is tested, the program's own tests extract their bits; elsewhere they stay as they
// are: one word's tests after the other's, as a radix sort has them, are faster together.
import type { Builder } from '../ir/builder.ts';
import { constant, constantOf, type Func, type Inst, operandsOf, type Value, valuesOf } from '../ir/nodes.ts';
import { warpFacts } from '../ir/warp-facts.ts';
import { removeDeadCode } from './remove-dead-code.ts';

/// A comparison of one bit of a word with zero.
interface BitTest {
  readonly inst: Inst;
  readonly word: Value;
  readonly bit: number;
  /// Where it stands, in instructions.
  readonly at: number;
}

/// From a word's first test to the last instruction that reads one of its flags, or a flag that was made of one.
interface Span {
  from: number;
  to: number;
}

/// For legal IR.
export function partBitTests(func: Func, builder: Builder): void {
  const words = new Map<string, BitTest[]>();
  const others: number[] = [];
  let at = 0;
  for (const { insts } of func.blocks) {
    for (const inst of insts) {
      at++;
      if (inst.op === 'warp' && warpFacts[inst.attrs.row].testsBits) others.push(at);
      const test = bitTest(inst, at);
      if (test === undefined) continue;
      const name = `${nameOf(test.word)} ${test.bit >> 3}`;
      const known = words.get(name);
      if (known === undefined) words.set(name, [test]);
      else known.push(test);
    }
  }
  const groups = [...words.values()].filter((tests) => new Set(tests.map(({ bit }) => bit)).size > 1);
  if (groups.length === 0 || groups.length + others.length < 2) return;
  const spans = spansOf(func, groups);
  const meets = (one: Span, other: Span) => one.from <= other.to && other.from <= one.to;
  const mixed = groups.filter((_, index) =>
    spans.some(
      (span, other) =>
        (other !== index && meets(span, spans[index] ?? span)) ||
        (other === index && others.some((place) => span.from <= place && place <= span.to)),
    ),
  );
  if (mixed.length === 0) return;
  const parted = new Map(mixed.flat().map((test) => [test.inst, test]));
  for (const block of func.blocks) {
    const before = block.insts;
    block.insts = [];
    builder.into(block.insts);
    for (const inst of before) {
      const test = parted.get(inst);
      if (test !== undefined) {
        builder.span = inst.span;
        const [bit] = builder.emit('ubfe', {}, [test.word, constant('i32', BigInt(test.bit)), constant('i32', 1n)]);
        if (bit !== undefined) inst.args = [bit, constant('i32', 0n)];
      }
      block.insts.push(inst);
    }
  }
  removeDeadCode(func);
}

/// Loops may lead from anywhere to anywhere.
function liveEverywhere(span: Span): void {
  span.from = 0;
  span.to = Number.POSITIVE_INFINITY;
}

/// A flag that another block reads lives everywhere.
function spansOf(func: Func, groups: readonly (readonly BitTest[])[]): readonly Span[] {
  const spans = groups.map((tests): Span => {
    const from = Math.min(...tests.map(({ at }) => at));
    return { from, to: from };
  });
  const tested = new Map(groups.flatMap((tests, index) => tests.map(({ inst }) => [inst, index] as const)));
  const flags = new Map<Value, { readonly groups: ReadonlySet<number>; readonly block: number }>();
  let at = 0;
  for (const [block, { insts, end }] of func.blocks.entries()) {
    const read = (value: Value): ReadonlySet<number> | undefined => {
      const flag = flags.get(value);
      for (const group of flag?.groups ?? []) {
        const span = spans[group];
        if (span === undefined) continue;
        if (flag?.block === block) span.to = Math.max(span.to, at);
        else liveEverywhere(span);
      }
      return flag?.groups;
    };
    for (const inst of insts) {
      at++;
      const of = new Set(operandsOf(inst).flatMap((value) => [...(read(value) ?? [])]));
      const own = tested.get(inst);
      if (own !== undefined) of.add(own);
      if (of.size === 0) continue;
      for (const result of inst.results) if (result.type === 'i1') flags.set(result, { groups: of, block });
    }
    for (const value of valuesOf(end)) {
      // What goes on to another block may be read anywhere.
      for (const group of flags.get(value)?.groups ?? []) {
        const span = spans[group];
        if (span) liveEverywhere(span);
      }
    }
  }
  return spans;
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

/// Words loaded from one place are one to a driver, which loads them once.
function nameOf(word: Value): string {
  if (word.kind !== 'result' || word.inst.op !== 'load') return plainName(word);
  const { root, unit, offset } = word.inst.attrs.place;
  return [JSON.stringify(root), unit, offset, word.index, ...word.inst.args.map(plainName)].join(' ');
}

const plainName = (value: Value): string =>
  value.kind === 'constant' ? `${value.bits}` : value.kind === 'undef' ? 'undef' : `%${value.id}`;
