// Indivisible accesses to values of several words: one function for each kind of access and each
// memory.
import { missing } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr, Name, Stmt } from '../../../wgsl/tree/nodes.ts';
import { cellValues, type Root } from '../../ir/memory.ts';
import type { InstNamed } from '../../ir/nodes.ts';
import { widthOf } from '../../ir/types.ts';
import type { ProgramUses } from '../program/program-uses.ts';
import type { Emitter } from '../values/emitter.ts';
import { wordsFrom } from './cell-words.ts';
import { loadElement, storeElement } from './elements.ts';
import { byWindow } from './generic.ts';
import { type Access, LockedSteps, newValue, wholeOf } from './locked-steps.ts';
import { type LaneOfProgram, type Memory, memoryOf, nameOfMemory } from './memories.ts';
import { wordIndex } from './memory.ts';

type Cell = InstNamed<'cell'>;

export function writeCell(emitter: Emitter, inst: Cell): void {
  const { place, op, type, signed } = inst.attrs;
  const { uses, writer } = emitter;
  const operands = inst.args.slice(place.indexed ? 1 : 0).map((arg) => w.bitcast('u32', emitter.read(arg)));
  const whole = wholeOf(inst.attrs);
  const words = widthOf(type) / 32;
  const values = Array.from({ length: cellValues(op) }, (_, value) =>
    w.construct(whole, ...operands.slice(value * words, (value + 1) * words)),
  );
  const isGeneric = place.root.kind === 'generic';
  const [address] = inst.args;
  const at = isGeneric && address ? w.shr(emitter.read(address), w.u32(2)) : wordIndex(emitter, inst, 0);
  const takesSlot = isGeneric || isPrivate(emitter, inst);
  const lane = takesSlot ? [uses.slots > 1 ? emitter.slot : w.u32(0)] : [];
  const fn = functionOf(uses, place.root, { op, type, signed }, takesSlot);
  const call = w.call(fn, op === 'store' ? 'u32' : whole, at, ...values, ...lane);
  if (inst.results.length === 0) {
    writer.push({ kind: 'do', call });
    return;
  }
  const old = emitter.name(op === 'load' ? 'loaded' : 'old', call);
  inst.results.forEach((result, index) => {
    emitter.define(result, w.component(old, index));
  });
}

const isPrivate = ({ uses }: Emitter, { attrs: { place } }: Cell): boolean =>
  place.root.kind === 'array' && uses.options.memory.arrays[place.root.array]?.space === 'local';

/** Returns the name of the function: `add_u64`, `load_b64`. */
function titleOf({ op, type, signed }: Access): string {
  const letter = type === 'f64' ? 'f' : op === 'min' || op === 'max' ? (signed ? 's' : 'u') : op === 'add' ? 'u' : 'b';
  return `${op}_${letter}${widthOf(type)}`;
}

/**
 * Declares the function of an access. Its parameters are the first word of the cell and the
 * operands. If the memory belongs to one lane, the lane's slot is also a parameter.
 */
function functionOf(uses: ProgramUses, root: Root, access: Access, takesSlot: boolean): Name {
  const title = `${titleOf(access)}_${nameOfMemory(uses, root)}`;
  const whole = wholeOf(access);
  const values = ['operand', 'replacement'].slice(0, cellValues(access.op)).map((hint) => [hint, whole] as const);
  const params = [['word', 'u32'] as const, ...values, ...(takesSlot ? [['s', 'u32'] as const] : [])];
  const result = access.op === 'store' ? undefined : whole;
  const comment = `${widthOf(access.type)} bits in one step, by the lock of the words they lie in.`;
  const key = `cell ${title} ${JSON.stringify(root)}`;
  return uses.func(key, title, { params, result, comment }, (word, ...others) => {
    const slot = takesSlot ? (others.at(-1) ?? missing('the slot of a cell')) : w.u32(0);
    const lane: LaneOfProgram = { uses, slot };
    const operands = others.slice(0, values.length);
    const at = (memory: Memory, first: Expr) => stepsIn(uses, memory, first, access, operands);
    return root.kind === 'generic' ? byWindow(lane, word, result !== undefined, at) : at(memoryOf(lane, root), word);
  });
}

function stepsIn(
  uses: ProgramUses,
  memory: Memory,
  word: Expr,
  access: Access,
  operands: readonly Expr[],
): readonly Stmt[] {
  if (memory.cells) return new LockedSteps(uses, memory, word, access).write(operands);
  return plainSteps(uses, memory, wordsFrom(memory, word, widthOf(access.type) / 32), access, operands);
}

/**
 * Returns the statements of an access to private memory, or to memory whose two-word values no lane
 * changes while others read them.
 */
function plainSteps(
  uses: ProgramUses,
  memory: Memory,
  words: readonly Expr[],
  access: Access,
  operands: readonly Expr[],
): readonly Stmt[] {
  const { op } = access;
  const put = (value: Expr) => words.map((word, index) => storeElement(uses, memory, word, w.component(value, index)));
  const [operand, replacement] = operands;
  if (op === 'store') return operand ? put(operand) : [];
  const parts = words.map((word) => loadElement(uses, memory, word));
  const [old, before] = w.local('old', w.construct(wholeOf(access), ...parts));
  if (op === 'load' || operand === undefined) return [before, w.give(old)];
  const [changed, change] = w.local('changed', newValue(access, old, operand, replacement ?? operand));
  return [before, change, ...put(changed), w.give(old)];
}
