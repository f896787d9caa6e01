// Which values and branches are the same in lanes of a warp, or in threads of a block.
import type { Instruction, Operand } from '../ptx/ast.ts';
import type { ControlGraph } from './control-dependence.ts';
import { definedRegisters, registersOf } from './ir.ts';
import type { LaunchFacts } from './launch-facts.ts';

/// 0: may differ between lanes; 1: the same in a warp; 2: the same in a block; 3: so plainly that WGSL's own analysis sees it.
export type Level = 0 | 1 | 2 | 3;

/// The mask of all lanes.
export const everyLane = 0xffffffff;

/// What some lanes of each warp have in common.
export interface Levels {
  /// Level of a register; registers never written count as 3.
  readonly register: (name: string) => Level;
  /// What the branches that decide whether a block runs have in common, directly or through others.
  readonly control: (block: number) => Level;
  /// Level of the branch at a block's end.
  readonly branch: (block: number) => Level;
}

export function least(levels: readonly Level[]): Level {
  for (const level of [0, 1, 2] as const) if (levels.includes(level)) return level;
  return 3;
}

/// `members`: the lanes that are compared, as a mask. A level says nothing of others.
export function levelsAmong(members: number, graph: ControlGraph, facts: LaunchFacts): Levels {
  const { blocks, deciders } = graph;
  const control: Level[] = blocks.map(() => 3);
  const controlOf = (id: number): Level => control[id] ?? 3;
  const levels = new Map<string, Level>();
  const level = (register: string): Level => levels.get(register) ?? 3;
  const rules = new Rules(members, facts, level);
  const lower = (register: string, to: Level) => {
    if (to >= level(register)) return false;
    levels.set(register, to);
    return true;
  };
  const branch = (id: number): Level => {
    const end = blocks[id]?.end;
    if (end?.kind === 'branch') return level(end.guard.register.name);
    if (end?.kind === 'switch') return rules.operand(end.selector);
    return 3;
  };
  for (let changed = true; changed; ) {
    changed = false;
    blocks.forEach(({ code }, id) => {
      for (const decider of deciders(id)) {
        const decided = least([branch(decider), controlOf(decider)]);
        if (decided >= controlOf(id)) continue;
        control[id] = decided;
        changed = true;
      }
      for (const instruction of code) {
        const own = instruction.guard ? least([controlOf(id), level(instruction.guard.register.name)]) : controlOf(id);
        const result = least([own, rules.result(instruction)]);
        for (const { name } of definedRegisters(instruction)) changed = lower(name, result) || changed;
      }
    });
  }
  return { register: level, control: controlOf, branch };
}

/// What results have in common, given what sources have.
class Rules {
  private readonly members: number;
  private readonly facts: LaunchFacts;
  private readonly level: (register: string) => Level;

  constructor(members: number, facts: LaunchFacts, level: (register: string) => Level) {
    this.members = members;
    this.facts = facts;
    this.level = level;
  }

  operand(operand: Operand | undefined): Level {
    switch (operand?.kind) {
      case 'register':
        return this.level(operand.register.name);
      case 'special':
        return this.facts.special(operand.name, this.members);
      case 'vector':
        return least(operand.elements.map((element) => this.operand(element)));
      case 'address':
        return least(registersOf(operand).map(({ name }) => this.level(name)));
      default:
        return 3;
    }
  }

  result(instruction: Instruction): Level {
    const { row, operands } = instruction;
    if (row.kind === 'atomic' || row.name === 'ld.volatile') return 0;
    if (row.name.startsWith('ld') && this.facts.mayBeLocal(instruction)) return 0;
    if (row.name.startsWith('bar')) return 2;
    if (row.kind === 'warp') return this.warpResult(instruction);
    if (row.carry) return 0;
    const common = least(
      Object.entries(operands).flatMap(([name, operand]) =>
        ['d', 'p', 'q', 'f'].includes(name) ? [] : [this.operand(operand)],
      ),
    );
    // A load that all threads do alike gives all the same value, or the kernel has a race.
    if (row.kind === 'memory' && common === 3 && !instruction.mods.space?.startsWith('param')) return 2;
    const [register] = definedRegisters(instruction);
    const known = register ? this.facts.register(register.name, this.members) : 0;
    return known === 0 || known < common ? common : known;
  }

  private warpResult({ row, operands, mods }: Instruction): Level {
    if (row.name === 'shfl.sync' || row.name === 'shfl') {
      return mods.mode === 'idx' && this.readsOneLane(operands.c) && this.operand(operands.b) >= 1 ? 1 : 0;
    }
    if (row.name === 'match.any.sync' || row.name === 'elect.sync') return 0;
    // The same for every lane that shares the mask.
    return this.operand(operands.membermask) >= 1 ? 1 : 0;
  }

  /// Whether shfl.idx with this `c` takes all members to the same lane if they have the same `b`: always in range, and in one segment.
  private readsOneLane(c: Operand | undefined): boolean {
    if (c?.kind !== 'immediate') return false;
    const segmask = Number((c.bits >> 8n) & 31n);
    const inSegment = 31 & ~segmask;
    if ((Number(c.bits) & inSegment) !== inSegment) return false;
    const segments = new Set<number>();
    for (let lane = 0; lane < 32; lane++) if ((this.members >>> lane) & 1) segments.add(lane & segmask);
    return segments.size <= 1;
  }
}
