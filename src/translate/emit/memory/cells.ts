// Indivisible accesses to values of two words: one function for each kind of access and each
// memory.
import * as w from '../../../wgsl/tree/build.ts';
import { type Expr, Name, type Stmt } from '../../../wgsl/tree/nodes.ts';
import { cellValues } from '../../ir/memory.ts';
import type { InstNamed } from '../../ir/nodes.ts';
import type { ProgramUses } from '../program/program-uses.ts';
import type { Emitter } from '../values/emitter.ts';
import { loadAtomic, storeAtomic } from './block-exchange.ts';
import { byWindow } from './generic.ts';
import { type Access, LockedSteps, newValue, whole } from './locked-steps.ts';
import { elementOf, type LaneOfProgram, type Memory, memoryOf, nameOfMemory } from './memories.ts';
import { wordIndex } from './memory.ts';

type Cell = InstNamed<'cell'>;

export function writeCell(emitter: Emitter, inst: Cell): void {
  const { place, op, type, signed } = inst.attrs;
  const { uses, writer } = emitter;
  const operands = inst.args.slice(place.indexed ? 1 : 0).map((arg) => w.bitcast('u32', emitter.read(arg)));
  const values = Array.from({ length: cellValues(op) }, (_, value) =>
    w.construct(whole, ...operands.slice(value * 2, (value + 1) * 2)),
  );
  const isGeneric = place.root.kind === 'generic';
  const [address] = inst.args;
  const at = isGeneric && address ? w.shr(emitter.read(address), w.u32(2)) : wordIndex(emitter, inst, 0);
  const lane = isGeneric || isPrivate(emitter, inst) ? [emitter.slots > 1 ? emitter.slot : w.u32(0)] : [];
  const fn = functionOf(uses, inst, { op, type, signed });
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

/** The name of the function: `add_u64`, `load_b64`. */
function titleOf({ op, type, signed }: Access): string {
  const letter = type === 'f64' ? 'f' : op === 'min' || op === 'max' ? (signed ? 's' : 'u') : op === 'add' ? 'u' : 'b';
  return `${op}_${letter}64`;
}

/**
 * Declares the function of an access. Its parameters are the first word of the cell, the operands
 * and, if the memory depends on it, the lane's slot.
 */
function functionOf(uses: ProgramUses, inst: Cell, access: Access): Name {
  const { root } = inst.attrs.place;
  const title = `${titleOf(access)}_${nameOfMemory(uses, root)}`;
  return uses.once(`cell ${title} ${JSON.stringify(root)}`, () => {
    const [index, slot] = [new Name('word'), new Name('s')];
    const values = ['operand', 'replacement'].slice(0, cellValues(access.op)).map((hint) => new Name(hint));
    const operands = values.map((name) => w.ref(name, whole));
    const lane: LaneOfProgram = { uses, slots: uses.slots, slot: w.ref(slot, 'u32') };
    const word = w.ref(index, 'u32');
    const at = (memory: Memory, first: Expr) => stepsIn(uses, memory, first, access, operands);
    const body =
      root.kind === 'generic' ? byWindow(lane, word, access.op !== 'store', at) : at(memoryOf(lane, root), word);
    const takesSlot = root.kind === 'generic' || memoryOf(lane, root).space === 'private';
    const name = new Name(title);
    uses.declarations.push({
      kind: 'function',
      name,
      params: [
        { name: index, type: 'u32' },
        ...values.map((value) => ({ name: value, type: whole })),
        ...(takesSlot ? [{ name: slot, type: 'u32' as const }] : []),
      ],
      result: access.op === 'store' ? undefined : whole,
      body,
      comment: '64 bits in one step, by the lock of the words they lie in.',
    });
    return name;
  });
}

function stepsIn(
  uses: ProgramUses,
  memory: Memory,
  word: Expr,
  access: Access,
  operands: readonly Expr[],
): readonly Stmt[] {
  const words = [elementOf(memory, word), elementOf(memory, w.add(word, w.u32(1)))];
  if (memory.cells) return new LockedSteps(uses, memory, word, words, access).write(operands);
  return plainSteps(uses, memory, words, access, operands);
}

/**
 * Accesses to private memory, or to memory whose two-word values no lane changes while others read
 * them.
 */
function plainSteps(
  uses: ProgramUses,
  memory: Memory,
  words: readonly Expr[],
  access: Access,
  operands: readonly Expr[],
): readonly Stmt[] {
  const { op } = access;
  const { atomic } = memory;
  const load = (word: Expr) => (atomic ? loadAtomic(uses, memory, word) : word);
  const put = (value: Expr) =>
    words.map((word, index) => {
      const part = w.component(value, index);
      return atomic ? storeAtomic(uses, memory, word, part) : w.assign(word, part);
    });
  const [operand, replacement] = operands;
  if (op === 'store') return operand ? put(operand) : [];
  const name = new Name('old');
  const old = w.ref(name, whole);
  const before = w.define(name, w.construct(whole, ...words.map(load)));
  if (op === 'load' || operand === undefined) return [before, w.give(old)];
  const changed = new Name('changed');
  return [
    before,
    w.define(changed, newValue(access, old, operand, replacement ?? operand)),
    ...put(w.ref(changed, whole)),
    w.give(old),
  ];
}
