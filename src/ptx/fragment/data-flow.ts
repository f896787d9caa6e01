// Finds the inputs of a fragment: the registers that some path reads before it writes them.

import { getOrInsert } from '../../base/maps.ts';
import { destinations, type IsaRow } from '../../isa/row.ts';
import type { Instruction, Operand, PtxFunction, Register, Statement } from '../ast.ts';

function registersOf(operand: Operand | undefined): readonly Register[] {
  switch (operand?.kind) {
    case 'register':
      return [operand.register];
    case 'address':
      return operand.base !== null && !('space' in operand.base) ? [operand.base] : [];
    case 'image': {
      const { object, coordinates } = operand;
      return [...('reference' in object ? [] : [object]), ...coordinates.flatMap((element) => registersOf(element))];
    }
    case 'vector':
      return operand.elements.flatMap((element) => registersOf(element));
    case 'call':
      return [
        ...(operand.indirect ? [operand.indirect.address] : []),
        ...operand.args.flatMap((argument) => ('space' in argument ? [] : registersOf(argument))),
      ];
    default:
      return [];
  }
}

/** Returns the registers that an instruction writes if its guard is true. */
function writtenBy(instruction: Instruction): readonly Register[] {
  const { callee } = instruction.operands;
  const results =
    callee?.kind === 'call' ? callee.results.flatMap((result) => ('space' in result ? [] : [result.register])) : [];
  return [...results, ...destinations(instruction.row).flatMap((name) => registersOf(instruction.operands[name]))];
}

/** Returns the registers that an instruction reads, including its guard. */
function readBy(instruction: Instruction): readonly Register[] {
  const written = destinations(instruction.row);
  const read = Object.entries(instruction.operands).flatMap(([name, operand]) =>
    written.includes(name) ? [] : registersOf(operand),
  );
  return instruction.guard === undefined ? read : [instruction.guard.register, ...read];
}

/** Returns all registers of a body in order of appearance. */
function inOrder(body: readonly Statement[]): readonly Register[] {
  const found = new Set<Register>();
  for (const statement of body) {
    if (statement.kind !== 'instruction') continue;
    if (statement.guard !== undefined) found.add(statement.guard.register);
    const operands = Object.values(statement.operands).sort((a, b) => a.span.start - b.span.start);
    for (const operand of operands) for (const register of registersOf(operand)) found.add(register);
    for (const register of writtenBy(statement)) found.add(register);
  }
  return [...found];
}

interface Block {
  readonly instructions: readonly Instruction[];
  readonly successors: readonly number[];
  /**
   * Whether the function can end after this block. At the end of the function, its outputs count as
   * read.
   */
  readonly exits: boolean;
}

/** Whether the instruction ends the function, as `ret` does. */
function leavesFunction(row: IsaRow): boolean {
  return row.kind === 'control' && (row.flow === 'return' || row.flow === 'exit' || row.flow === 'trap');
}

function endsBlock(row: IsaRow): boolean {
  return leavesFunction(row) || (row.kind === 'control' && row.flow === 'branch');
}

function splitBlocks(body: readonly Statement[]): readonly Block[] {
  const groups: { labels: string[]; instructions: Instruction[] }[] = [{ labels: [], instructions: [] }];
  const last = () => groups.at(-1) ?? { labels: [], instructions: [] };
  let ended = false;
  for (const statement of body) {
    if (statement.kind === 'unsupported') continue;
    const starts = ended || (statement.kind === 'label' && last().instructions.length > 0);
    if (starts) groups.push({ labels: [], instructions: [] });
    ended = false;
    if (statement.kind === 'label') last().labels.push(statement.name);
    else {
      last().instructions.push(statement);
      ended = endsBlock(statement.row);
    }
  }
  const blockOf = new Map(
    groups.flatMap(({ labels }, index) => labels.map((label): [string, number] => [label, index])),
  );
  // Several branches may share a target list, which may be long, so resolve each list only once.
  const tables = new Map<readonly string[], readonly number[]>();
  const blocksOf = (names: readonly string[]): readonly number[] => {
    return getOrInsert(tables, names, () => [...new Set(names.flatMap((name) => blockOf.get(name) ?? []))]);
  };
  return groups.map(({ instructions }, index): Block => {
    const end = instructions.at(-1);
    const { target, list } = end?.operands ?? {};
    const jumps =
      target?.kind === 'label' ? blocksOf([target.target]) : list?.kind === 'labels' ? blocksOf(list.targets) : [];
    const leaves = end !== undefined && leavesFunction(end.row);
    const falls = end?.guard !== undefined || !(leaves || jumps.length > 0);
    const successors = falls && index + 1 < groups.length ? [...jumps, index + 1] : jumps;
    return { instructions, successors, exits: leaves || (falls && index + 1 >= groups.length) };
  });
}

/**
 * The effect of a block on a register: the block reads the register before any write, or always
 * writes the register.
 */
interface Effect {
  readonly block: number;
  readonly register: number;
  readonly reads: boolean;
}

function effectsOf(blocks: readonly Block[], numbers: ReadonlyMap<Register, number>): Effect[] {
  const effects: Effect[] = [];
  for (const [block, { instructions }] of blocks.entries()) {
    const written = new Set<number>();
    const read = new Set<number>();
    for (const instruction of instructions) {
      for (const found of readBy(instruction)) {
        const register = numbers.get(found) ?? -1;
        if (!written.has(register)) read.add(register);
      }
      // A guarded write may not happen, so the register's old value remains live.
      if (instruction.guard !== undefined) continue;
      for (const found of writtenBy(instruction)) written.add(numbers.get(found) ?? -1);
    }
    for (const register of read) effects.push({ block, register, reads: true });
    for (const register of written) effects.push({ block, register, reads: false });
  }
  return effects;
}

/** The number of registers whose liveness is computed together, with one bit of a word for each. */
const wordSize = 32;

/** Computes which registers are live at the start of the first block, by a backward analysis. */
class Liveness {
  private readonly blocks: readonly Block[];
  private readonly predecessors: readonly number[][];
  private readonly live: Int32Array;
  private readonly read: Int32Array;
  private readonly written: Int32Array;

  constructor(blocks: readonly Block[]) {
    this.blocks = blocks;
    const predecessors: number[][] = blocks.map(() => []);
    for (const [index, { successors }] of blocks.entries()) {
      for (const successor of successors) predecessors[successor]?.push(index);
    }
    this.predecessors = predecessors;
    this.live = new Int32Array(blocks.length);
    this.read = new Int32Array(blocks.length);
    this.written = new Int32Array(blocks.length);
  }

  /**
   * Returns the bits of the registers that are live at the start. `effects` contains the effects of
   * all blocks on one word of registers, and `atExit` contains the outputs among these registers.
   */
  atStart(effects: readonly Effect[], atExit: number): number {
    const { blocks, live, read, written, predecessors } = this;
    live.fill(0);
    read.fill(0);
    written.fill(0);
    for (const { block, register, reads } of effects) {
      const bits = reads ? read : written;
      bits[block] = (bits[block] ?? 0) | (1 << (register % wordSize));
    }
    const work: number[] = [];
    for (const [index, { exits }] of blocks.entries()) {
      live[index] = (read[index] ?? 0) | (exits ? atExit & ~(written[index] ?? 0) : 0);
      if (live[index] !== 0) work.push(index);
    }
    for (let index = work.pop(); index !== undefined; index = work.pop()) {
      const needed = live[index] ?? 0;
      for (const before of predecessors[index] ?? []) {
        const old = live[before] ?? 0;
        const now = old | (needed & ~(written[before] ?? 0));
        if (now === old) continue;
        live[before] = now;
        work.push(before);
      }
    }
    return live[0] ?? 0;
  }
}

/**
 * Returns the inputs and outputs of a fragment in order of appearance. Every written register is an
 * output and counts as read at the end. A register that is written only under a guard, or on one
 * path, is therefore also an input.
 */
export function inputsAndOutputs(fragment: PtxFunction): {
  readonly inputs: readonly Register[];
  readonly outputs: readonly Register[];
} {
  const registers = inOrder(fragment.body);
  const blocks = splitBlocks(fragment.body);
  const written = new Set<Register>();
  for (const statement of fragment.body) {
    if (statement.kind === 'instruction') for (const register of writtenBy(statement)) written.add(register);
  }
  const numbers = new Map(registers.map((register, index): [Register, number] => [register, index]));
  const byWord: Effect[][] = Array.from({ length: Math.ceil(registers.length / wordSize) }, () => []);
  for (const effect of effectsOf(blocks, numbers)) byWord[Math.floor(effect.register / wordSize)]?.push(effect);
  const liveness = new Liveness(blocks);
  const inputs = byWord.flatMap((effects, word) => {
    const group = registers.slice(word * wordSize, (word + 1) * wordSize);
    let atExit = 0;
    for (const [index, register] of group.entries()) if (written.has(register)) atExit |= 1 << index;
    const live = liveness.atStart(effects, atExit);
    return group.filter((_, index) => (live & (1 << index)) !== 0);
  });
  return { inputs, outputs: registers.filter((register) => written.has(register)) };
}
