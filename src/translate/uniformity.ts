// Which values and branches are the same for all lanes of a warp, or for all threads of a block; and from that, whether the kernel's
// warp instructions and barriers can stand in straight code or must wait for lanes that come from elsewhere.
import type { Instruction, Operand } from '../ptx/ast.ts';
import { immediatePostdominators } from './dominators.ts';
import { type Block, countDefinitions, definedRegisters, isBlockBarrier, isCollective, successors } from './ir.ts';

/// 0: may differ between lanes; 1: the same in a warp; 2: the same in a block; 3: so plainly that WGSL's own analysis sees it.
export type Level = 0 | 1 | 2 | 3;

export interface Uniformity {
  /// Level of a register; registers never written count as 3.
  readonly level: (register: string) => Level;
  /// Why the kernel's collectives cannot stand in straight code; undefined when they can.
  readonly obstacle: string | undefined;
  /// Blocks from which a warp instruction or barrier can still be reached.
  readonly core: ReadonlySet<number>;
}

export function analyzeUniformity(blocks: readonly Block[], block: readonly [number, number, number]): Uniformity {
  const core = blocksThatReachCollectives(blocks);
  const controls = controlDependences(blocks, core);
  /// Of each block: what the branches that decide whether it runs have in common, directly or through others.
  const control: Level[] = blocks.map(() => 3);
  const controlOf = (id: number): Level => control[id] ?? 3;
  const levels = new Map<string, Level>();
  const level = (register: string): Level => levels.get(register) ?? 3;
  const shape = new LaneShapes(blocks, block);
  const lower = (register: string, to: Level) => {
    if (to >= level(register)) return false;
    levels.set(register, to);
    return true;
  };
  const branchLevel = (id: number): Level => {
    const end = blocks[id]?.end;
    if (end?.kind === 'branch') return level(end.guard.register.name);
    if (end?.kind === 'switch') return operandLevel(end.selector, level, shape);
    return 3;
  };
  for (let changed = true; changed; ) {
    changed = false;
    blocks.forEach(({ code }, id) => {
      for (const branch of controls.get(id) ?? []) {
        const decided = least([branchLevel(branch), controlOf(branch)]);
        if (decided >= controlOf(id)) continue;
        control[id] = decided;
        changed = true;
      }
      for (const instruction of code) {
        const own = instruction.guard ? least([controlOf(id), level(instruction.guard.register.name)]) : controlOf(id);
        const result = least([own, resultLevel(instruction, level, shape)]);
        for (const { name } of definedRegisters(instruction)) changed = lower(name, result) || changed;
      }
    });
  }
  return { level, core, obstacle: findObstacle(blocks, controlOf, level) };
}

function least(levels: readonly Level[]): Level {
  for (const level of [0, 1, 2] as const) if (levels.includes(level)) return level;
  return 3;
}

function findObstacle(
  blocks: readonly Block[],
  controlOf: (id: number) => Level,
  level: (register: string) => Level,
): string | undefined {
  for (const [id, { code }] of blocks.entries()) {
    const control = controlOf(id);
    for (const instruction of code) {
      if (!isCollective(instruction)) continue;
      const needed: Level = isBlockBarrier(instruction) ? 2 : 1;
      const guard = instruction.guard ? level(instruction.guard.register.name) : 3;
      if (control < needed) return `${instruction.row.name} under a branch that lanes take differently`;
      if (isBlockBarrier(instruction) && guard < needed)
        return `${instruction.row.name} under a guard that threads take differently`;
      // A guarded .sync is skipped by some lanes, which may meet the others at a later one.
      if (guard < needed && instruction.row.name.includes('sync')) {
        return `${instruction.row.name} under a guard that lanes take differently`;
      }
    }
  }
  return undefined;
}

function blocksThatReachCollectives(blocks: readonly Block[]): ReadonlySet<number> {
  const core = new Set(blocks.flatMap(({ code }, id) => (code.some(isCollective) ? [id] : [])));
  for (let changed = true; changed; ) {
    changed = false;
    for (let id = blocks.length - 1; id >= 0; id--) {
      const block = blocks[id];
      if (block && !core.has(id) && successors(block.end).some((to) => core.has(to))) {
        core.add(id);
        changed = true;
      }
    }
  }
  return core;
}

/// Branches that decide directly whether a block runs. Lanes that leave for good, to where no collective can be
/// reached, are as good as exited for those that stay, so edges out of the core do not count.
function controlDependences(blocks: readonly Block[], core: ReadonlySet<number>): Map<number, Set<number>> {
  const inCore = blocks.map(({ code, end }, id): Block => {
    const targets = successors(end).filter((to) => core.has(to));
    const [only] = targets;
    if (!core.has(id) || only === undefined) return { code, end: { kind: 'exit' } };
    return targets.length === 1 ? { code, end: { kind: 'jump', to: only } } : { code, end: keepTargets(end, core) };
  });
  const postdominators = immediatePostdominators(inCore);
  const direct = new Map<number, Set<number>>();
  inCore.forEach(({ end }, branch) => {
    const targets = successors(end);
    if (targets.length < 2) return;
    const stop = postdominators[branch];
    for (const target of targets) {
      for (
        let node: number | undefined = target;
        node !== undefined && node !== stop && node < blocks.length;
        node = postdominators[node]
      ) {
        const set = direct.get(node) ?? new Set<number>();
        direct.set(node, set.add(branch));
        if (node === branch) break;
      }
    }
  });
  return direct;
}

function keepTargets(end: Block['end'], core: ReadonlySet<number>): Block['end'] {
  if (end.kind === 'switch') return { ...end, targets: end.targets.filter((to) => core.has(to)) };
  return end;
}

function operandLevel(operand: Operand, level: (register: string) => Level, shape: LaneShapes): Level {
  switch (operand.kind) {
    case 'register':
      return level(operand.register.name);
    case 'special':
      return shape.specialLevel(operand.name);
    case 'vector':
      return least(operand.elements.map((element) => operandLevel(element, level, shape)));
    case 'address': {
      const base = operand.place ? operand.place.base : operand.base;
      return !base || 'space' in base ? 3 : level(base.name);
    }
    default:
      return 3;
  }
}

const fullMask = (operand: Operand | undefined) => operand?.kind === 'immediate' && operand.bits === 0xffffffffn;

function resultLevel(instruction: Instruction, level: (register: string) => Level, shape: LaneShapes): Level {
  const { row, operands } = instruction;
  const of = (operand: Operand | undefined): Level => (operand ? operandLevel(operand, level, shape) : 3);
  const sources = Object.entries(operands).flatMap(([name, operand]) =>
    ['d', 'p', 'q', 'f'].includes(name) ? [] : [of(operand)],
  );
  if (row.kind === 'atomic' || row.name === 'ld.volatile') return 0;
  if (row.name.startsWith('bar')) return 2;
  if (row.kind === 'warp') {
    if (row.name === 'shfl.sync' || row.name === 'shfl') {
      const whole = operands.c?.kind === 'immediate' && (operands.c.bits & 0x1f1fn) === 0x1fn;
      return instruction.mods.mode === 'idx' && whole && of(operands.b) >= 1 ? 1 : 0;
    }
    if (row.name === 'match.any.sync' || row.name === 'elect.sync') return 0;
    // The same for every lane that shares the mask.
    return operands.membermask === undefined || fullMask(operands.membermask) || of(operands.membermask) >= 1 ? 1 : 0;
  }
  if (row.carry) return 0;
  const common = least(sources);
  // A load that all threads do alike gives all the same value, or the kernel has a race.
  if (row.kind === 'memory' && common === 3 && !instruction.mods.space?.startsWith('param')) return 2;
  return common === 0 && shape.sameInWarp(instruction) ? 1 : common;
}

/// Facts of the launch geometry: `tid.x >> 5` is the same in a warp of a one-dimensional block, and so is `tid.x < 64`.
class LaneShapes {
  private readonly linear = new Set<string>();
  private readonly block: readonly [number, number, number];

  constructor(blocks: readonly Block[], block: readonly [number, number, number]) {
    this.block = block;
    if (block[0] % 32 !== 0 && (block[1] !== 1 || block[2] !== 1)) return;
    const defined = countDefinitions(blocks);
    for (let before = -1; before !== this.linear.size; ) {
      before = this.linear.size;
      for (const { code } of blocks) {
        for (const { row, operands, guard } of code) {
          const { d, a } = operands;
          if (row.name !== 'mov' || guard || d?.kind !== 'register' || defined.get(d.register.name) !== 1) continue;
          if (a && this.isLinear(a)) this.linear.add(d.register.name);
        }
      }
    }
  }

  /// Whether the operand is the x index, which counts up within a warp.
  private isLinear(operand: Operand): boolean {
    if (operand.kind === 'special') return operand.name === '%tid.x';
    return operand.kind === 'register' && this.linear.has(operand.register.name);
  }

  specialLevel(name: string): Level {
    const [x, y] = this.block;
    if (name === '%tid.y') return x % 32 === 0 ? 1 : 0;
    if (name === '%tid.z') return (x * y) % 32 === 0 ? 1 : 0;
    if (name === '%warpid') return 1;
    if (
      name.startsWith('%tid') ||
      name.startsWith('%lane') ||
      name.startsWith('%clock') ||
      name.startsWith('%globaltimer')
    )
      return 0;
    return 3;
  }

  sameInWarp({ row, operands, mods }: Instruction): boolean {
    const { a, b } = operands;
    if (a === undefined || b?.kind !== 'immediate' || !this.isLinear(a)) return false;
    if (row.name === 'shr') return b.bits >= 5n;
    if (row.name === 'and') return (b.bits & 31n) === 0n;
    if (row.name === 'div') return b.bits !== 0n && b.bits % 32n === 0n;
    if (row.name !== 'setp') return false;
    // Thresholds between warps: tid < 32k, tid > 32k - 1.
    const atMultiple = ['lt', 'ge', 'lo', 'hs'].includes(mods.cmp ?? '') && b.bits % 32n === 0n;
    const beforeMultiple = ['gt', 'le', 'hi', 'ls'].includes(mods.cmp ?? '') && b.bits % 32n === 31n;
    return (atMultiple || beforeMultiple) && b.bits < 0x80000000n;
  }
}
