// Whether the kernel's warp instructions and barriers can stand in straight code, or must wait for lanes that come from elsewhere.
import type { Instruction } from '../ptx/ast.ts';
import { controlGraph } from './control-dependence.ts';
import { isBlockBarrier, isCollective, type Kernel } from './ir.ts';
import { LaunchFacts } from './launch-facts.ts';
import { everyLane, type Level } from './levels.ts';
import { MemberLanes } from './member-lanes.ts';

export interface Uniformity {
  /// Level of a register; registers never written count as 3.
  readonly level: (register: string) => Level;
  /// Why the kernel's collectives cannot stand in straight code; undefined when they can.
  readonly obstacle: string | undefined;
  /// Whether some lanes end, leave for good or never existed while others of their warp go on.
  readonly lanesGo: boolean;
  /// Whether such lanes may be among those that a warp instruction's mask names. All others of them are there wherever one of them executes it.
  readonly mayMiss: (instruction: Instruction) => boolean;
}

export function analyzeUniformity(kernel: Kernel, block: readonly [number, number, number]): Uniformity {
  const graph = controlGraph(kernel.blocks);
  const members = new MemberLanes(graph, new LaunchFacts(kernel, block));
  const { register, control } = members.levels(everyLane);
  const lanesGo = members.someGo([everyLane]);
  const present = new Set<Instruction>();
  const place = (instruction: Instruction, block: number, index: number): string | undefined => {
    const guard = instruction.guard ? register(instruction.guard.register.name) : 3;
    const name = instruction.row.name;
    if (isBlockBarrier(instruction)) {
      if (control(block) < 2) return `${name} under a branch that lanes take differently`;
      return guard < 2 ? `${name} under a guard that threads take differently` : undefined;
    }
    // A guarded .sync is skipped by some lanes, which may meet the others at a later one.
    const alike = control(block) >= 1 && (guard >= 1 || !isSync(instruction));
    const named = members.namedBy(instruction);
    if (alike) {
      if (!lanesGo || (named && !members.someGo(named))) present.add(instruction);
      return undefined;
    }
    if (isSync(instruction)) {
      if (named && members.comeTogether(named, instruction, block)) {
        if (!lanesGo || !members.someGo(named)) present.add(instruction);
        return undefined;
      }
      if (members.shareBallot(instruction, { block, index })) {
        if (!lanesGo) present.add(instruction);
        return undefined;
      }
    }
    if (name === 'activemask' && members.passInRounds(instruction, block)) return undefined;
    return `${name} under a ${control(block) < 1 ? 'branch' : 'guard'} that lanes take differently`;
  };
  let obstacle: string | undefined;
  kernel.blocks.forEach(({ code }, block) => {
    code.forEach((instruction, index) => {
      if (isCollective(instruction)) obstacle ??= place(instruction, block, index);
    });
  });
  return { level: register, obstacle, lanesGo, mayMiss: (instruction) => !present.has(instruction) };
}

/// Whether lanes wait for each other at a warp instruction.
function isSync({ operands }: Instruction): boolean {
  return operands.membermask !== undefined;
}
