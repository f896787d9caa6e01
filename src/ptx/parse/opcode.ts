// Finds the row of an opcode.
import { matchOpcode } from '../../isa/match.ts';
import { objectionTo } from '../checks/constraints.ts';
import { diagnostics } from '../diagnostics/part.ts';
import { type Age, completeOpcode, impliedMods } from './legacy.ts';
import { opcodePart } from './opcode-part.ts';
import type { Opcode, OpcodeResult } from './opcode-result.ts';
import { wideOpcode } from './wide-opcodes.ts';

function classify(opcode: Opcode, age: Age): OpcodeResult {
  const { parts } = opcode;
  const wide = wideOpcode(parts);
  const narrow = wide && matchOpcode(wide.parts);
  if (narrow !== undefined && objectionTo(narrow.pattern.row, narrow.mods) === undefined)
    return { kind: 'match', match: narrow, isImplied: false, wide };
  const completed = completeOpcode(parts, age);
  const match = (completed && matchOpcode(completed)) ?? matchOpcode(parts);
  if (match !== undefined) {
    const mods = impliedMods(match, opcode.text, age);
    const objection = objectionTo(match.pattern.row, mods);
    if (objection === undefined)
      return { kind: 'match', match: { ...match, mods }, isImplied: completed !== undefined, wide: undefined };
    if (objection.unsupported !== undefined)
      return {
        kind: 'unsupported',
        diagnostic: diagnostics().unsupportedModifier(opcode.span, opcode.text, objection.unsupported),
      };
    return {
      kind: 'error',
      diagnostic: diagnostics().badCombination(opcode.span, opcode.text, objection.why, objection.hint),
    };
  }
  return opcodePart.content.rejectOpcode(opcode);
}

/**
 * Classifies opcodes. Caches the valid ones, because a module uses only a few dozen, each many
 * times.
 */
export class OpcodeTable {
  private readonly matches = new Map<string, OpcodeResult>();
  private readonly age: () => Age;

  /** Creates a table. `age` is called for each new opcode. */
  constructor(age: () => Age) {
    this.age = age;
  }

  classify(opcode: Opcode): OpcodeResult {
    const known = this.matches.get(opcode.text);
    if (known !== undefined) return known;
    const result = classify(opcode, this.age());
    if (result.kind === 'match') this.matches.set(opcode.text, result);
    return result;
  }
}
