// Maps the operands of an instruction to the operand names of its row.

import { getOrInsert } from '../../base/maps.ts';
import { groupsFor, type OperandSlot } from '../../isa/match.ts';
import type { IsaRow, Mods } from '../../isa/row.ts';
import { diagnostics } from '../diagnostics/part.ts';
import { SyntaxFailure } from '../diagnostics/reporter.ts';
import type { RawInstruction, RawOperand } from '../syntax.ts';
import { isImageSlot } from '../types.ts';
import { rareOperandPart } from './rare-operands.ts';

export interface Binding {
  readonly slot: OperandSlot;
  /** The operand without its selector and its sign. */
  readonly raw: RawOperand;
  /** The selector and sign, by name. */
  readonly marks?: Mods;
}

/** Whether a component names an element of a vector register. */
const isElement = (component: string): boolean => component.length === 1;

function bindingOf(row: IsaRow, slot: OperandSlot, raw: RawOperand): Binding {
  if ((slot.selector === undefined && slot.sign === undefined) || raw.kind !== 'name') return { slot, raw };
  const { component, sign } = raw;
  const marks: Record<string, string> = {};
  const rest = { ...raw };
  if (slot.selector !== undefined && component !== undefined && !isElement(component)) {
    const kind = row.selectors?.[slot.selector];
    const { selectors } = rareOperandPart.content;
    if (kind === undefined || !selectors[kind].pattern.test(component))
      throw new SyntaxFailure(diagnostics().badSelector(raw.span, component, kind && selectors[kind].shape));
    marks[slot.selector] = component;
    rest.component = undefined;
  }
  if (slot.sign !== undefined && sign === '-') {
    marks[slot.sign] = sign;
    rest.sign = '';
  }
  return { slot, raw: rest, marks };
}

/**
 * A cache of modifiers with additional selectors and signs, so that tables whose keys are modifiers
 * remain small.
 */
const marked = new WeakMap<Mods, Map<string, Mods>>();

/**
 * Returns the modifiers of an instruction: those of its opcode, and the selectors and signs of its
 * operands.
 */
export function modsWithMarks(mods: Mods, bindings: readonly Binding[]): Mods {
  if (!bindings.some(({ marks }) => marks !== undefined)) return mods;
  const all: Mods = Object.assign({}, mods, ...bindings.map(({ marks }) => marks));
  const known = getOrInsert(marked, mods, () => new Map<string, Mods>());
  const key = JSON.stringify(all);
  return getOrInsert(known, key, () => all);
}

function countText(least: number, most: number): string {
  const plural = (count: number) => `${count === 0 ? 'no' : count} operand${count === 1 ? '' : 's'}`;
  return least === most ? plural(most) : `${least} to ${plural(most)}`;
}

/** Splits `[address, {coordinates}]`, which names two operands except in texture instructions. */
function split(raw: RawOperand): readonly RawOperand[] {
  if (raw.kind !== 'image') return [raw];
  if (raw.sampler !== undefined) throw new SyntaxFailure(diagnostics().notVector(raw.sampler.span));
  return [{ kind: 'address', base: raw.object, offset: 0n, index: 0n, span: raw.span }, raw.coordinates];
}

/**
 * Assigns operands to the row's slots. Throws `SyntaxFailure` if the number of operands is wrong,
 * or if there is a pair in a slot that accepts one operand.
 */
export function bindOperands(instruction: RawInstruction): readonly Binding[] {
  const { opcode } = instruction;
  const { pattern } = instruction.match;
  const operands = isImageSlot(pattern.row.types.a) ? instruction.operands : instruction.operands.flatMap(split);
  const groups = groupsFor(pattern, operands.length);
  if (groups === undefined) {
    const least = pattern.groups.filter((group) => !group.optional).length;
    const wanted = countText(least, pattern.groups.length);
    throw new SyntaxFailure(
      diagnostics().operandCount(opcode.span, opcode.text, wanted, operands.length, pattern.row.syntax),
    );
  }
  const bindings: Binding[] = [];
  for (let index = 0; index < groups.length; index++) {
    const [group, raw] = [groups[index], operands[index]];
    if (group === undefined || raw === undefined) continue;
    if (raw.kind !== 'pair') {
      if (group.second !== undefined && !group.secondOptional)
        throw new SyntaxFailure(diagnostics().wantsPair(raw.span, pattern.row.syntax));
      bindings.push(bindingOf(pattern.row, group.first, raw));
      continue;
    }
    if (group.second === undefined) throw new SyntaxFailure(diagnostics().pairNotAllowed(raw.span));
    bindings.push({ slot: group.first, raw: raw.first }, { slot: group.second, raw: raw.second });
  }
  return bindings;
}
