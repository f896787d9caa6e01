// The translator's intermediate form: a control-flow graph of PTX instructions.
import { type IsaRow, isaRows } from '../isa/index.ts';
import type { Guard, Instruction, Operand, Register, Source, Span, Variable } from '../ptx/ast.ts';
import type { Layout } from './layout.ts';

export type Terminator =
  | { readonly kind: 'jump'; readonly to: number }
  | {
      readonly kind: 'branch';
      readonly guard: Guard;
      readonly then: number;
      readonly else: number;
      readonly span: Span;
    }
  | { readonly kind: 'switch'; readonly selector: Operand; readonly targets: readonly number[]; readonly span: Span }
  | { readonly kind: 'exit' }
  | { readonly kind: 'trap'; readonly span: Span };

/// A basic block: instructions without control flow among them, then one terminator.
export interface Block {
  code: Instruction[];
  end: Terminator;
}

/// A kernel with its calls inlined. Block 0 is the entry; ids are indexes.
export interface Kernel {
  readonly name: string;
  readonly source: Source;
  readonly params: readonly Variable[];
  /// Shared and local variables, the module's and the function's.
  readonly variables: readonly Variable[];
  /// Where the variables lie.
  readonly layout: Layout;
  blocks: Block[];
}

export function successors(end: Terminator): readonly number[] {
  if (end.kind === 'jump') return [end.to];
  if (end.kind === 'branch') return end.then === end.else ? [end.then] : [end.then, end.else];
  if (end.kind === 'switch') return [...new Set(end.targets)];
  return [];
}

/// Operand names an instruction writes, from the ISA row's syntax: those before the first source.
const destinationNames = new Set(['d', 'p', 'q', 'f']);

/// Whether the operand called `name` is a destination of the instruction.
export function isDestination(instruction: Instruction, name: string): boolean {
  const { row } = instruction;
  if (!destinationNames.has(name)) return false;
  // `bfi f, a, b, c, d` and stores keep these letters for sources.
  if (row.name === 'bfi') return name === 'f';
  return true;
}

function addRegisters(operand: Operand, list: Register[]): void {
  if (operand.kind === 'register') list.push(operand.register);
  else if (operand.kind === 'vector') for (const element of operand.elements) addRegisters(element, list);
  else if (operand.kind === 'address') {
    const base = operand.place ? operand.place.base : operand.base;
    if (base && !('space' in base)) list.push(base);
    if (operand.index && !operand.place) list.push(operand.index.register);
  }
}

export function registersOf(operand: Operand): readonly Register[] {
  const list: Register[] = [];
  addRegisters(operand, list);
  return list;
}

// Passes ask this of every instruction many times: loops that allocate little.

export function definedRegisters(instruction: Instruction): readonly Register[] {
  const defined: Register[] = [];
  for (const name in instruction.operands) {
    const operand = instruction.operands[name];
    if (operand && isDestination(instruction, name)) addRegisters(operand, defined);
  }
  return defined;
}

export function usedRegisters(instruction: Instruction): readonly Register[] {
  const used: Register[] = [];
  for (const name in instruction.operands) {
    const operand = instruction.operands[name];
    if (operand && !isDestination(instruction, name)) addRegisters(operand, used);
  }
  if (instruction.guard) used.push(instruction.guard.register);
  return used;
}

/// The instruction with operands changed; itself where none is.
export function mapOperands(
  instruction: Instruction,
  change: (operand: Operand, name: string) => Operand,
): Instruction {
  let operands: Record<string, Operand> | undefined;
  for (const name in instruction.operands) {
    const operand = instruction.operands[name];
    if (operand === undefined) continue;
    const changed = change(operand, name);
    if (changed === operand) continue;
    operands ??= { ...instruction.operands };
    operands[name] = changed;
  }
  return operands ? { ...instruction, operands } : instruction;
}

export function terminatorRegisters(end: Terminator): readonly Register[] {
  if (end.kind === 'branch') return [end.guard.register];
  if (end.kind === 'switch') return registersOf(end.selector);
  return [];
}

/// Whether all lanes of the warp (or the threads of the block) take part, so that control flow around it matters.
export function isCollective(instruction: Instruction): boolean {
  return instruction.row.kind === 'warp' || isBlockBarrier(instruction);
}

export function isBlockBarrier(instruction: Instruction): boolean {
  return instruction.row.kind === 'barrier' && /^bar/.test(instruction.row.name);
}

/// Blocks reachable from the entry, renumbered in reverse postorder.
export function renumber<B extends Block>(blocks: readonly B[]): B[] {
  const order: number[] = [];
  const seen = new Set<number>([0]);
  const stack: { id: number; next: number }[] = [{ id: 0, next: 0 }];
  while (stack.length > 0) {
    const top = stack[stack.length - 1];
    if (top === undefined) break;
    const targets = successors(blockAt(blocks, top.id).end);
    const target = targets[targets.length - 1 - top.next];
    if (target === undefined) {
      order.push(top.id);
      stack.pop();
      continue;
    }
    top.next += 1;
    if (!seen.has(target)) {
      seen.add(target);
      stack.push({ id: target, next: 0 });
    }
  }
  order.reverse();
  const place = new Map(order.map((id, index) => [id, index]));
  const at = (id: number) => place.get(id) ?? 0;
  return order.map((id) => {
    const block = blockAt(blocks, id);
    return { ...block, end: retarget(block.end, at) };
  });
}

export function retarget(end: Terminator, at: (id: number) => number): Terminator {
  if (end.kind === 'jump') return { kind: 'jump', to: at(end.to) };
  if (end.kind === 'branch') return { ...end, then: at(end.then), else: at(end.else) };
  if (end.kind === 'switch') return { ...end, targets: end.targets.map(at) };
  return end;
}

export function blockAt<B extends Block>(blocks: readonly B[], id: number): B {
  const block = blocks[id];
  if (block === undefined) throw new Error(`no block ${id}`);
  return block;
}

export function predecessors(blocks: readonly Block[]): number[][] {
  const result: number[][] = blocks.map(() => []);
  blocks.forEach((block, id) => {
    for (const to of successors(block.end)) result[to]?.push(id);
  });
  return result;
}

/// Registers that are read before they are written from a block's start on, and from its end on, by block; of `among` alone, where given.
export function liveness(
  blocks: readonly Block[],
  among?: ReadonlySet<string>,
): {
  atStart: readonly ReadonlySet<string>[];
  atEnd: readonly ReadonlySet<string>[];
} {
  const counts = (name: string) => among === undefined || among.has(name);
  const reads = blocks.map(({ code, end }) => {
    const used = new Set<string>();
    const defined = new Set<string>();
    for (const instruction of code) {
      for (const { name } of usedRegisters(instruction)) if (counts(name) && !defined.has(name)) used.add(name);
      // A guarded write keeps the old value in some lanes.
      for (const { name } of definedRegisters(instruction)) {
        if (!counts(name)) continue;
        if (!instruction.guard) defined.add(name);
        else if (!defined.has(name)) used.add(name);
      }
    }
    for (const { name } of terminatorRegisters(end)) if (counts(name) && !defined.has(name)) used.add(name);
    return { used, defined };
  });
  const atStart: Set<string>[] = reads.map(({ used }) => new Set(used));
  const atEnd: Set<string>[] = blocks.map(() => new Set());
  for (let changed = true; changed; ) {
    changed = false;
    for (let id = blocks.length - 1; id >= 0; id--) {
      const [end, start, block] = [atEnd[id], atStart[id], blocks[id]];
      if (end === undefined || start === undefined || block === undefined) continue;
      for (const to of successors(block.end)) {
        for (const name of atStart[to] ?? []) {
          if (end.has(name)) continue;
          end.add(name);
          changed = true;
          if (!reads[id]?.defined.has(name)) start.add(name);
        }
      }
    }
  }
  return { atStart, atEnd };
}

export function liveAtStart(blocks: readonly Block[]): readonly ReadonlySet<string>[] {
  return liveness(blocks).atStart;
}

/// The row called `name`. Throws where there is none: the translator names its own.
export function rowNamed(name: string): IsaRow {
  const row = isaRows.find((candidate) => candidate.name === name);
  if (row === undefined) throw new Error(`no ISA row ${name}`);
  return row;
}

/// How often each register is written.
export function countDefinitions(blocks: readonly Block[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { code } of blocks) {
    for (const instruction of code) {
      for (const { name } of definedRegisters(instruction)) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return counts;
}
