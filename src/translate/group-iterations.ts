// Loops that run four iterations at once while it is certain that the loop needs them, so that the loads of all four are in flight together.
// The order of what depends on each other stays, and so does every test's outcome.
import type { Instruction, Operand, Register } from '../ptx/ast.ts';
import type { CountedLoop } from './counted-loops.ts';
import { type Block, definedRegisters, isDestination, mapOperands, rowNamed, usedRegisters } from './ir.ts';
import { isOrdered, writesMemory } from './read-only-loads.ts';

/// Iterations that run at once, and how many instructions may decide about one.
export const group = 4;
const mostControl = 6;

/// Whether the loads of several iterations can be under way at once: one of them must be free to start before what the iteration in front of
/// it computes and writes. `readOnly` tells loads that may pass by every store.
export function gainsFromGroups(
  { code, control, stays }: CountedLoop,
  readOnly: (instruction: Instruction) => boolean,
): boolean {
  const predicate = stays.register.name;
  const isTested = control.some((instruction) => definedRegisters(instruction).some(({ name }) => name === predicate));
  if (!isTested || control.length > mostControl || code.some(isOrdered)) return false;
  const late = registersAfterLoads(code);
  const free = code.filter(
    (instruction) => loadsFar(instruction) && usedRegisters(instruction).every(({ name }) => !late.has(name)),
  );
  return code.some(writesMemory) ? free.some(readOnly) : free.length > 0;
}

const loadsFar = ({ row, mods }: Instruction): boolean =>
  row.name.startsWith('ld') && !/^(param|local)/.test(mods.space ?? '');

/// Registers that depend, in some iteration, on what was loaded.
function registersAfterLoads(code: readonly Instruction[]): ReadonlySet<string> {
  const late = new Set<string>();
  for (let before = -1; before !== late.size; ) {
    before = late.size;
    for (const instruction of code) {
      if (instruction.row.kind === 'lane' && !usedRegisters(instruction).some(({ name }) => late.has(name))) continue;
      for (const { name } of definedRegisters(instruction)) late.add(name);
    }
  }
  return late;
}

/// Puts in the loop's place, where `more` is what the next three tests will say:
///
///     again = true; if (more) { loop { four iterations; again = stays; if (!(stays && more)) { break; } } }
///     if (again) { loop { one iteration; if (!stays) { break; } } }
export function runInGroups({ block, code, stays, exit, span, control }: CountedLoop, blocks: Block[]): void {
  const predicate = stays.register;
  const more: Register = { ...predicate, name: `${predicate.name}$more` };
  const again: Register = { ...predicate, name: `${predicate.name}$again` };
  const holds: Operand = { kind: 'immediate', bits: stays.negated ? 0n : 1n, type: 'pred', span };
  const ahead = testsAhead(control, predicate, more, stays.negated ? 'or' : 'and');
  const four = Array.from({ length: group }, () => code).flat();
  const rest = blocks.length;
  const goesOn: Block['end'] = { kind: 'branch', guard: stays, then: rest + 1, else: exit, span };
  const goesOnInGroups: Block['end'] = { ...goesOn, guard: { ...stays, register: more }, then: rest + 2, else: rest };
  blocks[block] = { code: [...ahead(undefined), assign(again, holds)], end: goesOnInGroups };
  blocks[rest] = { code: [], end: { ...goesOn, guard: { ...stays, register: again } } };
  blocks[rest + 1] = { code: [...code], end: goesOn };
  blocks[rest + 2] = {
    code: [...four, assign(again, operandOf(predicate)), ...ahead(predicate)],
    end: goesOnInGroups,
  };
}

/// The loop's own control, run three times on registers of its own; `more` combines what it says, and `first` where there is one.
function testsAhead(
  control: readonly Instruction[],
  predicate: Register,
  more: Register,
  combine: 'and' | 'or',
): (first: Register | undefined) => Instruction[] {
  return (first) => {
    const own = new Set<string>();
    const ahead = (register: Register): Register =>
      own.has(register.name) ? { ...register, name: `${register.name}$next` } : register;
    const code: Instruction[] = [];
    let all = first;
    for (let step = 1; step < group; step++) {
      for (const instruction of control) {
        const sources = renamed(instruction, ahead, false);
        for (const { name } of definedRegisters(instruction)) own.add(name);
        code.push({ ...renamed(sources, ahead, true), span: nowhere });
      }
      const test = ahead(predicate);
      code.push(all ? combined(combine, more, all, test) : assign(more, operandOf(test)));
      all = more;
    }
    return code;
  };
}

/// What the translator adds has no place in the source.
const nowhere = { start: 0, end: 0 };

const operandOf = (register: Register): Operand => ({ kind: 'register', register, negated: false, span: nowhere });

function renamed(
  instruction: Instruction,
  rename: (register: Register) => Register,
  destinations: boolean,
): Instruction {
  return mapOperands(instruction, (operand, name) => {
    if (operand.kind !== 'register' || isDestination(instruction, name) !== destinations) return operand;
    return { ...operand, register: rename(operand.register) };
  });
}

function assign(d: Register, a: Operand): Instruction {
  return lane('mov', { d: operandOf(d), a });
}

function combined(row: 'and' | 'or', d: Register, a: Register, b: Register): Instruction {
  return lane(row, { d: operandOf(d), a: operandOf(a), b: operandOf(b) });
}

function lane(row: string, operands: Instruction['operands']): Instruction {
  const mods = { type: 'pred' };
  return { kind: 'instruction', row: rowNamed(row), mods, operands, guard: undefined, span: nowhere };
}
