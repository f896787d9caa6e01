// Gives the driver's compiler what ptxas does by itself. A loop that runs a known number of times becomes that many copies of its body, with
// counters and addresses that are constants then; one that loads runs several iterations at once while it is certain to need them.

import type { FloatProfile } from '../base/float-profile.ts';
import type { ImmediateOperand, Instruction } from '../ptx/ast.ts';
import { countedLoops, tripCount } from './counted-loops.ts';
import { gainsFromGroups, group, runInGroups } from './group-iterations.ts';
import { type Block, definedRegisters, predecessors } from './ir.ts';
import { simplifyControlFlow } from './simplify-control-flow.ts';

/// Instructions that the copies of one loop may come to, and those of all loops of a kernel: what software adapters take to compile a shader
/// grows with its length.
const mostOfLoop = 512;
const mostOfKernel = 1024;

export interface UnrollOptions {
  readonly float: FloatProfile;
  /// Tells which loads read memory that nothing in the kernel writes; asked only where it matters.
  readonly readOnly: (instruction: Instruction) => boolean;
}

/// The blocks; the same array where no loop is worth it.
export function unrollLoops(blocks: readonly Block[], { float, readOnly }: UnrollOptions): readonly Block[] {
  const loops = countedLoops(blocks).filter(({ code }) => code.every(mayBeCopied));
  if (loops.length === 0) return blocks;
  const before = constantsBefore(blocks);
  const result: Block[] = [...blocks];
  let grown = 0;
  for (const loop of loops) {
    const cost = loop.code.reduce((sum, instruction) => sum + costOf(instruction, float), 0);
    const most = Math.min(mostOfLoop, mostOfKernel - grown);
    const trips = tripCount(loop, Math.floor(most / cost), (register) => before(loop.block, register));
    if (trips !== undefined) {
      const code = Array.from({ length: trips }, () => loop.code).flat();
      result[loop.block] = { code, end: { kind: 'jump', to: loop.exit } };
      grown += cost * trips;
    } else if (cost * group <= most && gainsFromGroups(loop, readOnly)) {
      runInGroups(loop, result);
      grown += cost * group;
    }
  }
  return grown === 0 ? blocks : simplifyControlFlow(result);
}

/// Warp instructions without a member mask mean the lanes that are at the same place.
const mayBeCopied = ({ row }: Instruction): boolean => row.kind !== 'warp' || row.name.includes('sync');

/// Instructions of a shader that one of PTX comes to. What lanes do together takes several, and f32 arithmetic that hardware does not do as PTX
/// wants it is a function, of hundreds where it goes by integers.
function costOf({ row }: Instruction, float: FloatProfile): number {
  if (row.kind === 'warp') return 16;
  const [operation = '', type] = row.name.split('.');
  if (type !== 'f32' || float.mode === 'fast' || !arithmetic.has(operation)) return 1;
  if (divisions.has(operation) || (fusing.has(operation) && (float.fma === 'unfused' || float.contracts))) return 128;
  return float.denormals === 'kept' ? 1 : 16;
}

const divisions = new Set(['div', 'rcp', 'sqrt']);
const fusing = new Set(['fma', 'mad', 'mul']);
const arithmetic = new Set(['add', 'sub', ...fusing, ...divisions]);

/// Blocks to look through for what a register holds before a loop.
const farthest = 16;

/// What a register holds when a block is entered other than from itself, where that is one constant.
function constantsBefore(blocks: readonly Block[]): (block: number, register: string) => ImmediateOperand | undefined {
  const incoming = predecessors(blocks);
  const writers = blocks.map(({ code }) => {
    const last = new Map<string, Instruction>();
    for (const instruction of code) for (const { name } of definedRegisters(instruction)) last.set(name, instruction);
    return last;
  });
  return (block, register) => {
    let found: ImmediateOperand | undefined;
    const seen = new Set([block]);
    const queue = [block];
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      // Nothing has written the register where the kernel starts.
      if (at === 0 || seen.size > farthest) return undefined;
      for (const from of incoming[at] ?? []) {
        if (seen.has(from)) continue;
        seen.add(from);
        const writer = writers[from]?.get(register);
        if (writer === undefined) {
          queue.push(from);
          continue;
        }
        const { a } = writer.operands;
        if (writer.row.name !== 'mov' || writer.guard || a?.kind !== 'immediate') return undefined;
        if (found !== undefined && found.bits !== a.bits) return undefined;
        found = a;
      }
    }
    return found;
  };
}
