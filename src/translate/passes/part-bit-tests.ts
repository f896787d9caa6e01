// NVIDIA's driver takes tests of bits in one byte of a word together in one instruction, and where another word is tested so, it may read that word's flag
// for the first one's (docs/native-compiler.md). A bit that is extracted first is tested by itself. So where two words are tested so, one of which may be the
// operand of a warp instruction, the program's own tests extract their bits; elsewhere they stay as they are.
import type { Builder } from '../ir/builder.ts';
import { constant, constantOf, type Func, type Inst, type Value } from '../ir/nodes.ts';
import { warpFacts } from '../ir/warp-facts.ts';
import { removeDeadCode } from './remove-dead-code.ts';

/// A comparison of one bit of a word with zero.
interface BitTest {
  readonly inst: Inst;
  readonly word: Value;
  readonly bit: number;
}

/// For legal IR.
export function partBitTests(func: Func, builder: Builder): void {
  const words = new Map<string, BitTest[]>();
  let others = 0;
  for (const { insts } of func.blocks) {
    for (const inst of insts) {
      if (inst.op === 'warp' && warpFacts[inst.attrs.row].testsBits) others++;
      const test = bitTest(inst);
      if (test === undefined) continue;
      const name = `${nameOf(test.word)} ${test.bit >> 3}`;
      const known = words.get(name);
      if (known === undefined) words.set(name, [test]);
      else known.push(test);
    }
  }
  const groups = [...words.values()].filter((tests) => new Set(tests.map(({ bit }) => bit)).size > 1);
  if (groups.length === 0 || groups.length + others < 2) return;
  const parted = new Map(groups.flat().map((test) => [test.inst, test]));
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

function bitTest(inst: Inst): BitTest | undefined {
  if (inst.op !== 'icmp' || (inst.attrs.relation !== 'eq' && inst.attrs.relation !== 'ne')) return undefined;
  const [masked, zero] = inst.args;
  if (constantOf(zero) !== 0n || masked?.kind !== 'result' || masked.inst.op !== 'and') return undefined;
  const [word, mask] = masked.inst.args;
  const bits = constantOf(mask);
  if (word === undefined || bits === undefined || bits === 0n || (bits & (bits - 1n)) !== 0n) return undefined;
  const bit = bits.toString(2).length - 1;
  const shifted = word.kind === 'result' && word.inst.op === 'lshrw' ? constantOf(word.inst.args[1]) : undefined;
  const [whole] = shifted === undefined || word.kind !== 'result' ? [] : word.inst.args;
  if (whole === undefined || shifted === undefined || bit + Number(shifted) > 31) return { inst, word, bit };
  return { inst, word: whole, bit: bit + Number(shifted) };
}

/// Words loaded from one place are one to a driver, which loads them once.
function nameOf(word: Value): string {
  if (word.kind !== 'result' || word.inst.op !== 'load') return plainName(word);
  const { root, unit, offset } = word.inst.attrs.place;
  return [JSON.stringify(root), unit, offset, word.index, ...word.inst.args.map(plainName)].join(' ');
}

const plainName = (value: Value): string =>
  value.kind === 'constant' ? `${value.bits}` : value.kind === 'undef' ? 'undef' : `%${value.id}`;
