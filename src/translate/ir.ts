// The translator's intermediate form: a control-flow graph of PTX instructions.
import type { Guard, Instruction, Operand, Register, Source, Span, Variable } from '../ptx/ast.ts';

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

function registersOf(operand: Operand): readonly Register[] {
  if (operand.kind === 'register') return [operand.register];
  if (operand.kind === 'vector')
    return operand.elements.flatMap((element) => (element.kind === 'register' ? [element.register] : []));
  if (operand.kind === 'address' && operand.base !== null && !('space' in operand.base)) return [operand.base];
  return [];
}

export function definedRegisters(instruction: Instruction): readonly Register[] {
  return Object.entries(instruction.operands).flatMap(([name, operand]) =>
    isDestination(instruction, name) ? registersOf(operand) : [],
  );
}

export function usedRegisters(instruction: Instruction): readonly Register[] {
  const used = Object.entries(instruction.operands).flatMap(([name, operand]) =>
    isDestination(instruction, name) ? [] : registersOf(operand),
  );
  return instruction.guard ? [...used, instruction.guard.register] : used;
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
