// Which registers a fragment takes as inputs: those that some path reads before it writes them.
import { destinationsOf } from '../isa/match.ts';
import type { Instruction, Operand, PtxFunction, Register, Statement } from './ast.ts';

function registersOf(operand: Operand | undefined): readonly Register[] {
  switch (operand?.kind) {
    case 'register':
      return [operand.register];
    case 'address':
      return operand.base !== null && !('space' in operand.base) ? [operand.base] : [];
    case 'vector':
      return operand.elements.flatMap((element) => registersOf(element));
    case 'call':
      return operand.args.flatMap((argument) => ('space' in argument ? [] : registersOf(argument)));
    default:
      return [];
  }
}

/// Registers an instruction writes, where its guard holds.
export function writtenBy(instruction: Instruction): readonly Register[] {
  const { callee } = instruction.operands;
  const results =
    callee?.kind === 'call' ? callee.results.flatMap((result) => ('space' in result ? [] : [result.register])) : [];
  return [...results, ...destinationsOf(instruction.row).flatMap((name) => registersOf(instruction.operands[name]))];
}

/// Registers an instruction reads, its guard's among them.
export function readBy(instruction: Instruction): readonly Register[] {
  const destinations = destinationsOf(instruction.row);
  const read = Object.entries(instruction.operands).flatMap(([name, operand]) =>
    destinations.includes(name) ? [] : registersOf(operand),
  );
  return instruction.guard === undefined ? read : [instruction.guard.register, ...read];
}

interface Block {
  readonly instructions: readonly Instruction[];
  readonly successors: readonly number[];
  /// Whether the function can end here, so that its outputs are read.
  readonly exits: boolean;
}

function splitBlocks(body: readonly Statement[]): readonly Block[] {
  const groups: { labels: string[]; instructions: Instruction[] }[] = [{ labels: [], instructions: [] }];
  const last = () => groups.at(-1) ?? { labels: [], instructions: [] };
  let ended = false;
  for (const statement of body) {
    if (statement.kind === 'unsupported') continue;
    if (ended || (statement.kind === 'label' && last().instructions.length > 0))
      groups.push({ labels: [], instructions: [] });
    ended = false;
    if (statement.kind === 'label') last().labels.push(statement.name);
    else {
      last().instructions.push(statement);
      ended = /^(bra|brx\.idx|ret|exit|trap)$/.test(statement.row.name);
    }
  }
  const blockOf = new Map(
    groups.flatMap(({ labels }, index) => labels.map((label): [string, number] => [label, index])),
  );
  return groups.map(({ instructions }, index): Block => {
    const end = instructions.at(-1);
    const { target, list } = end?.operands ?? {};
    const names = target?.kind === 'label' ? [target.target] : list?.kind === 'labels' ? list.targets : [];
    const leaves = end !== undefined && /^(ret|exit|trap)$/.test(end.row.name);
    const falls = end?.guard !== undefined || !(leaves || names.length > 0);
    const next = falls && index + 1 < groups.length ? [index + 1] : [];
    const successors = [...new Set(names.flatMap((name) => blockOf.get(name) ?? [])), ...next];
    return { instructions, successors, exits: leaves || (falls && index + 1 >= groups.length) };
  });
}

/// Registers per machine word.
const wordSize = 32;

/// Liveness of up to 32 registers at once, a bit each: those alive at the start of the first block.
function liveAtStart(blocks: readonly Block[], bits: ReadonlyMap<Register, number>, atExit: number): number {
  const read = new Int32Array(blocks.length);
  const written = new Int32Array(blocks.length);
  const predecessors: number[][] = blocks.map(() => []);
  for (const [index, block] of blocks.entries()) {
    for (const instruction of block.instructions) {
      for (const register of readBy(instruction))
        read[index] = (read[index] ?? 0) | ((bits.get(register) ?? 0) & ~(written[index] ?? 0));
      // A guarded write may not happen, so the old value stays needed.
      if (instruction.guard !== undefined) continue;
      for (const register of writtenBy(instruction)) written[index] = (written[index] ?? 0) | (bits.get(register) ?? 0);
    }
    for (const successor of block.successors) predecessors[successor]?.push(index);
  }
  const live = new Int32Array(blocks.length);
  const work = [...blocks.keys()];
  const queued = new Uint8Array(blocks.length).fill(1);
  for (let index = work.pop(); index !== undefined; index = work.pop()) {
    queued[index] = 0;
    const block = blocks[index];
    let out = block?.exits ? atExit : 0;
    for (const successor of block?.successors ?? []) out |= live[successor] ?? 0;
    const now = (read[index] ?? 0) | (out & ~(written[index] ?? 0));
    if (now === live[index]) continue;
    live[index] = now;
    for (const predecessor of predecessors[index] ?? []) {
      if (queued[predecessor] === 0) work.push(predecessor);
      queued[predecessor] = 1;
    }
  }
  return live[0] ?? 0;
}

/// Inputs and outputs of a fragment, in order of appearance. Outputs are all registers written anywhere; they count as read at the end,
/// so a register that is only written under a guard, or on one path, is an input too.
export function inputsAndOutputs(fragment: PtxFunction): {
  readonly inputs: readonly Register[];
  readonly outputs: readonly Register[];
} {
  const blocks = splitBlocks(fragment.body);
  const written = new Set(
    blocks.flatMap(({ instructions }) => instructions.flatMap((instruction) => writtenBy(instruction))),
  );
  const inputs: Register[] = [];
  for (let from = 0; from < fragment.registers.length; from += wordSize) {
    const group = fragment.registers.slice(from, from + wordSize);
    const bits = new Map(group.map((register, index): [Register, number] => [register, 1 << index]));
    let atExit = 0;
    for (const [register, bit] of bits) if (written.has(register)) atExit |= bit;
    const live = liveAtStart(blocks, bits, atExit);
    inputs.push(...group.filter((_, index) => (live & (1 << index)) !== 0));
  }
  return { inputs, outputs: fragment.registers.filter((register) => written.has(register)) };
}
