// Straight emission: PTX's structure is WGSL's structure. Runs of lane code stand between warp instructions and barriers, which every
// invocation reaches; lanes that take no part are masked by `live`, not by control flow.
import type { Guard, Instruction } from '../../ptx/ast.ts';
import { definedRegisters, isBlockBarrier, isCollective, type Kernel } from '../ir.ts';
import type { Level } from '../levels.ts';
import { operandType } from '../operand-types.ts';
import { writesCarry } from '../remove-dead-code.ts';
import type { Jump, Tree } from '../structure.ts';
import { mentions } from '../tidy-tree.ts';
import type { Uniformity } from '../uniformity.ts';
import { bitsIn, findRanges, type Ranges, threadRanges } from '../value-ranges.ts';
import { emitBarrier } from './barrier.ts';
import { comment, emitInstruction } from './lane.ts';
import { runOf } from './lane-run.ts';
import { TreeEmitter, type TreeHooks } from './lane-tree.ts';
import { LiveMask, type StraightNeeds } from './live-mask.ts';
import { writeResult } from './operands.ts';
import type { Scope } from './scope.ts';
import { anyInBlock, anyInSubgroup } from './shared-conditions.ts';
import { sinkRest } from './sink-rest.ts';
import { emitTrap } from './status.ts';
import { alwaysLeaves, endsLanes, holds, jumpsOut } from './tree-queries.ts';
import { type Executing, wantedResults, warpLoweringOf, warpSources, warpWriter } from './warp.ts';

export class StraightEmitter {
  readonly mask: LiveMask;
  private readonly scope: Scope;
  private readonly kernel: Kernel;
  private readonly uniformity: Uniformity;
  private readonly needs: StraightNeeds;
  private readonly jumps: TreeEmitter;
  private ranges: Ranges | undefined;
  /// Whether lanes that are not live may need every register: inside an arm that other lanes do not take.
  private guarded = false;
  /// Labels of the constructs around this place that hold block barriers.
  private barrierLabels: ReadonlySet<number> = new Set();

  constructor(scope: Scope, kernel: Kernel, uniformity: Uniformity, needs: StraightNeeds) {
    this.scope = scope;
    this.kernel = kernel;
    this.uniformity = uniformity;
    this.needs = needs;
    this.mask = new LiveMask(scope, needs, kernel.blocks);
    this.jumps = new TreeEmitter(scope, this.hooks());
  }

  emit(tree: readonly Tree[], partial: boolean): void {
    this.mask.start(partial);
    const queries = {
      hasCollective: (list: readonly Tree[]) => this.hasCollective(list),
      isReal: (branch: Extract<Tree, { kind: 'if' }>) => this.isReal(branch),
    };
    this.warpList(this.needs.masked ? tree : sinkRest(tree, queries), true);
  }

  private live(slot: string): string {
    return this.mask.at(slot);
  }

  private slots(body: () => void): void {
    this.mask.eachSlot(body);
  }

  // Lists at the warp's level: lane code in runs, the rest one by one.

  private warpList(list: readonly Tree[], last: boolean): void {
    const items = list.flatMap((tree) => this.split(tree));
    // What ends at the end of the kernel needs not be said.
    while (last && items[items.length - 1]?.kind === 'exit') items.pop();
    let run: Tree[] = [];
    const flush = (final: boolean) => {
      if (run.length > 0) this.laneRun(run, final);
      run = [];
    };
    // The rest of the kernel, once nothing is left that lanes do together: there they may end as they like.
    const rest = last ? items.findLastIndex((tree) => !this.isLaneCode(tree)) + 1 : items.length;
    items.forEach((tree, index) => {
      const final = last && index === items.length - 1;
      if (index >= rest) {
        if (index === rest) flush(false);
        run.push(tree);
        if (final) flush(true);
        return;
      }
      if (!this.isLaneCode(tree)) {
        flush(false);
        this.warpTree(tree, final);
        return;
      }
      // What every lane may do stands apart from what only those that are there may do.
      const [first] = run;
      if (first && this.needs.live && this.isHarmless([first]) !== this.isHarmless([tree])) flush(false);
      run.push(tree);
      // What follows lanes that leave is a run of its own, so that it need not stand inside an `else`.
      if (index === items.length - 1) flush(final);
      else if (endsLanes([tree]) || jumpsOut([tree])) flush(false);
    });
  }

  /// Instructions apart from collectives; and `if (c) { leaves } else { B }`, where lanes differ, as `if (c) { leaves } B`.
  private split(tree: Tree): readonly Tree[] {
    if (tree.kind === 'code') {
      const runs: Instruction[][] = [];
      let kind = '';
      for (const instruction of this.kernel.blocks[tree.block]?.code ?? []) {
        const harmless = this.needs.live && this.mayAllDo(instruction);
        const own = isCollective(instruction) ? 'collective' : harmless ? 'harmless' : 'guarded';
        const last = runs[runs.length - 1];
        if (last !== undefined && own === kind && own !== 'collective') last.push(instruction);
        else runs.push([instruction]);
        kind = own;
      }
      return runs.map((code): Tree => ({ kind: 'run', code }));
    }
    if (tree.kind !== 'if' || this.isReal(tree)) return [tree];
    if (alwaysLeaves(tree.then) && !this.hasCollective(tree.then)) {
      return [{ ...tree, else: [] }, ...tree.else.flatMap((inner) => this.split(inner))];
    }
    if (alwaysLeaves(tree.else) && !this.hasCollective(tree.else)) {
      return [{ ...tree, then: [] }, ...tree.then.flatMap((inner) => this.split(inner))];
    }
    return [tree];
  }

  /// Code without collectives whose jumps, if they leave it, are ones that lanes take differently.
  private isLaneCode(tree: Tree): boolean {
    if (this.hasCollective([tree])) return false;
    if (tree.kind === 'break' || tree.kind === 'continue' || tree.kind === 'exit') return false;
    if (this.needs.masked || tree.kind !== 'if') return true;
    return !(this.isReal(tree) && jumpsOut([tree]));
  }

  private hasCollective(list: readonly Tree[], which: (instruction: Instruction) => boolean = isCollective): boolean {
    return holds(this.kernel.blocks, list, which);
  }

  // Lane code.

  private laneRun(trees: readonly Tree[], final: boolean): void {
    const { out } = this.scope;
    const list = runOf(trees, final);
    if (list.length === 0) return;
    const emitter = new TreeEmitter(this.scope, this.hooks());
    const leaving = this.needs.live ? leavesWhere(list) : undefined;
    if (leaving) {
      const { guard, opposite, until } = leaving;
      const stays = guard.negated === opposite ? '!' : '';
      this.slots(() => this.mask.leaveUnless(`${stays}${this.scope.read(guard.register)}`, until));
      return;
    }
    this.slots(() => {
      const masked = this.needs.live && !this.isHarmless(list);
      if (masked) out.open(`if (${this.live('s')})`);
      emitter.list(list);
      if (masked) out.close();
    });
  }

  /// Whether lanes that are not there may do all this too.
  private isHarmless(list: readonly Tree[]): boolean {
    return list.every((tree) => {
      if (tree.kind !== 'code' && tree.kind !== 'run') return false;
      const code = tree.kind === 'run' ? tree.code : (this.kernel.blocks[tree.block]?.code ?? []);
      return code.every((instruction) => this.mayAllDo(instruction));
    });
  }

  /// Arithmetic and loads (which WGSL contains wherever they point) do no harm in lanes that do not need the old value any more.
  private mayAllDo(instruction: Instruction): boolean {
    const { kind, name } = instruction.row;
    return (kind === 'lane' || name.startsWith('ld') || name.startsWith('cvta')) && this.needsNoGuard(instruction);
  }

  /// Whether no lane that has left reads what the instruction writes.
  private needsNoGuard(instruction: Instruction): boolean {
    if (this.guarded || (writesCarry(instruction) && this.needs.masked)) return false;
    return definedRegisters(instruction).every(({ name }) => !this.needs.kept.has(name));
  }

  private hooks(): TreeHooks {
    return {
      blockCode: (block) => this.kernel.blocks[block]?.code ?? [],
      instructions: (code) => {
        for (const instruction of code) emitInstruction(this.scope, instruction);
      },
      exit: () => this.mask.leave(undefined),
      trap: () => emitTrap(this.scope),
      leave: (until) => this.mask.leave(until),
    };
  }

  // The warp's own control flow.

  private warpTree(tree: Tree, last: boolean): void {
    switch (tree.kind) {
      case 'run':
        for (const instruction of tree.code) this.collective(instruction);
        return;
      case 'if':
        return this.isReal(tree) ? this.realIf(tree, last) : this.maskedIf(tree);
      case 'loop':
        return this.loop(tree);
      case 'block':
        return this.block(tree);
      case 'break':
      case 'continue':
        if (!this.needs.masked) return this.jumps.tree(tree);
        return this.mask.leaveAll(tree);
      case 'exit':
        if (!last) this.slots(() => this.mask.leave(undefined));
        return;
      default:
        throw new Error(`${tree.kind} around a warp instruction`);
    }
  }

  /// Whether an `if` can be WGSL's own: all lanes of the subgroup go the same way, and where barriers depend on it, all of the block.
  private isReal(tree: Extract<Tree, { kind: 'if' }>): boolean {
    const level = this.uniformity.level(tree.guard.register.name);
    const arms = [...tree.then, ...tree.else];
    const barriers = this.hasCollective(arms, isBlockBarrier) || this.skipsBarriers(arms);
    const needed: Level = this.scope.options.plan.kind === 'wide' || barriers ? 2 : 1;
    return level >= needed;
  }

  private realIf(tree: Extract<Tree, { kind: 'if' }>, last: boolean): void {
    const { out } = this.scope;
    const [then, otherwise] = [tree.then, tree.else];
    if (then.length === 0 && otherwise.length === 0) return;
    const swap = then.length === 0;
    out.open(`if (${this.common(tree.guard, swap, [...then, ...otherwise])})`);
    this.warpList(swap ? otherwise : then, last);
    if (!swap && otherwise.length > 0) {
      out.middle('else');
      this.warpList(otherwise, last);
    }
    out.close();
  }

  /// A condition that all lanes share, read so that it is uniform even if some have ended.
  private common(guard: Guard, opposite: boolean, arms: readonly Tree[]): string {
    const negated = guard.negated !== opposite;
    const own = (slot: string) => `${negated ? '!' : ''}${this.scope.read(guard.register, slot)}`;
    // What decides whether the block gets to a barrier is the same in the block, and WGSL must see that. A jump out of a construct without
    // barriers decides no such thing, and only some warps may get there.
    const block = this.hasCollective(arms, isBlockBarrier) || (!this.needs.masked && this.skipsBarriers(arms));
    const provable =
      this.uniformity.level(guard.register.name) === 3 && !this.needs.live && this.scope.options.slots === 1;
    if (block && !provable)
      return anyInBlock(this.scope, (slot) => (this.needs.live ? `${this.live(slot)} && ${own(slot)}` : own(slot)));
    if (this.needs.live) return anyInSubgroup(this.scope, (slot) => `${this.live(slot)} && ${own(slot)}`);
    return own('0u');
  }

  private skipsBarriers(arms: readonly Tree[]): boolean {
    return [...this.barrierLabels].some((label) => mentions(arms, label));
  }

  /// Writes what is inside a construct with these labels.
  private inside(tree: Tree, labels: readonly number[], body: () => void): void {
    const outside = this.barrierLabels;
    if (this.hasCollective([tree], isBlockBarrier)) this.barrierLabels = new Set([...outside, ...labels]);
    body();
    this.barrierLabels = outside;
  }

  private maskedIf(tree: Extract<Tree, { kind: 'if' }>): void {
    this.mask.found.live = true;
    // A jump of WGSL's own, out of an arm, would pass by the place where the lanes of the other arm come back.
    if (jumpsOut([...tree.then, ...tree.else])) this.mask.found.masked = true;
    const { out, options } = this.scope;
    const negate = tree.guard.negated;
    const other = options.names.fresh('other_arm');
    const at = (slot: string) => (options.slots > 1 ? `${other}[${slot}]` : other);
    if (options.slots > 1) out.line(`var ${other}: array<bool, ${options.slots}>;`);
    this.slots(() => {
      const condition = this.scope.read(tree.guard.register);
      const [yes, no] = negate ? [`!${condition}`, condition] : [condition, `!${condition}`];
      out.line(`${options.slots > 1 ? '' : 'var '}${at('s')} = ${this.live('s')} && ${no};`);
      out.line(`${this.live('s')} = ${this.live('s')} && ${yes};`);
    });
    this.arm(tree.then);
    // The arms change places: the lanes of the first wait in the flag.
    this.slots(() => {
      out.line(options.slots > 1 ? 'let was_live = live[s];' : `let was_live_${other} = live;`);
      out.line(`${this.live('s')} = ${at('s')};`);
      out.line(`${at('s')} = ${options.slots > 1 ? 'was_live' : `was_live_${other}`};`);
    });
    this.arm(tree.else);
    this.slots(() => out.line(`${this.live('s')} = ${this.live('s')} || ${at('s')};`));
  }

  private arm(list: readonly Tree[]): void {
    if (list.length === 0) return;
    const outside = this.guarded;
    this.guarded = true;
    // Warps without lanes there still come to the block's barriers.
    const barriers = this.hasCollective(list, isBlockBarrier);
    if (!barriers) this.scope.out.open(`if (${anyInSubgroup(this.scope, (slot) => this.live(slot))})`);
    this.warpList(list, false);
    if (!barriers) this.scope.out.close();
    this.guarded = outside;
  }

  private loop(tree: Extract<Tree, { kind: 'loop' }>): void {
    const { out } = this.scope;
    const barriers = this.hasCollective([tree], isBlockBarrier);
    const close = () => {
      if (this.mask.hasParked({ kind: 'continue', label: tree.label })) {
        out.open('continuing');
        this.mask.unpark({ kind: 'continue', label: tree.label });
        out.close();
      }
      out.close();
    };
    out.open('loop');
    if (this.needs.live) {
      const gone = barriers
        ? anyInBlock(this.scope, (slot) => this.live(slot))
        : anyInSubgroup(this.scope, (slot) => this.live(slot));
      out.line(`if (${not(gone)}) { break; }`);
    } else if (!jumpsOut(tree.body, new Set([tree.label]))) {
      this.scope.uses.variables.set('never', 'var never = false;');
      out.line('if (never) { break; }');
    }
    this.jumps.frame(
      { kind: 'loop', breaks: new Set(tree.exits), continues: tree.label, passing: new Map() },
      () => this.inside(tree, [tree.label, ...tree.exits], () => this.warpList(tree.body, false)),
      close,
    );
    for (const label of tree.exits) this.mask.unpark({ kind: 'break', label });
  }

  private block(tree: Extract<Tree, { kind: 'block' }>): void {
    if (this.needs.masked) {
      this.warpList(tree.body, false);
      this.mask.unpark({ kind: 'break', label: tree.label });
      return;
    }
    const { out } = this.scope;
    out.open('switch 0u');
    out.open('default:');
    this.jumps.frame(
      { kind: 'switch', breaks: new Set([tree.label]), continues: undefined, passing: new Map() },
      () => this.inside(tree, [tree.label], () => this.warpList(tree.body, false)),
      () => {
        out.close();
        out.close();
      },
    );
  }

  // Collectives.

  private writer(executing: Executing) {
    return warpWriter(this.scope, executing);
  }

  private collective(instruction: Instruction): void {
    comment(this.scope, instruction);
    const { guard } = instruction;
    const guarded = guard && ((slot: string) => `${guard.negated ? '!' : ''}${this.scope.read(guard.register, slot)}`);
    const live = this.needs.live ? (slot: string) => this.live(slot) : undefined;
    const both = bothOf(live, guarded);
    if (isBlockBarrier(instruction)) return emitBarrier(this.scope, instruction, both);
    const wanted = wantedResults(instruction);
    const sources = warpSources(this.scope, instruction);
    const { a, membermask } = instruction.operands;
    this.ranges ??= findRanges(this.kernel.blocks, threadRanges(this.scope.options.block));
    if (sources.a) sources.a = { ...sources.a, bits: bitsIn(this.ranges(a)) };
    // One mask for the whole warp needs no search for groups.
    const common = membermask?.kind === 'register' && this.uniformity.level(membermask.register.name) >= 1;
    if (common && !this.uniformity.lanesGo && sources.membermask)
      sources.membermask = { ...sources.membermask, shared: true };
    // Where one of the lanes that a mask names executes, all do that have not gone; what others hold, the mask keeps out.
    const present = this.uniformity.mayMiss(instruction) ? live : undefined;
    const active = membermask ? present : bothOf(present, guarded);
    const results = warpLoweringOf(instruction)(this.writer({ active }), instruction.mods, sources, wanted);
    // Lanes that have left may still need their registers; those that have ended do not.
    const keep = this.needsNoGuard(instruction) ? guarded : both;
    const entries = [...wanted].flatMap((name) => {
      const operand = instruction.operands[name];
      const value = results[name];
      return operand?.kind === 'register' && value
        ? [{ register: operand.register, value, type: operandType(instruction, name) }]
        : [];
    });
    if (entries.length === 0) return;
    this.slots(() => {
      if (keep) this.scope.out.open(`if (${keep('s')})`);
      for (const { register, value, type } of entries)
        writeResult(this.scope, register, { code: value.at('s'), type: value.type }, type);
      if (keep) this.scope.out.close();
    });
  }
}

type Condition = (slot: string) => string;

function bothOf(a: Condition | undefined, b: Condition | undefined): Condition | undefined {
  return a && b ? (slot) => `${a(slot)} && ${b(slot)}` : (a ?? b);
}

/// The opposite of a condition.
const not = (condition: string): string => (/^\w+\([^()]*\)$/.test(condition) ? `!${condition}` : `!(${condition})`);

/// `if (c) { leave }` alone, either way round.
function leavesWhere(list: readonly Tree[]): { guard: Guard; opposite: boolean; until: Jump | undefined } | undefined {
  const [tree] = list;
  if (list.length !== 1 || tree?.kind !== 'if' || tree.then.length + tree.else.length !== 1) return undefined;
  const [only] = [...tree.then, ...tree.else];
  return only?.kind === 'leave'
    ? { guard: tree.guard, opposite: tree.then.length === 0, until: only.until }
    : undefined;
}
