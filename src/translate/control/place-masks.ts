// Places active masks. The structure of the PTX becomes the structure of the WGSL. Every invocation
// reaches the warp instructions and barriers; runs of lane code are between them. The mask `live`,
// and not control flow, excludes inactive lanes.
//
// A plan determines where each run begins and ends, which branches become WGSL branches, and which
// become masks. Each plan reports the masks that the kernel needs, and the next plan uses them.
// This repeats until a plan needs no further masks.
import { exchangesInWorkgroup } from '../../base/lane-plan.ts';
import { type Definition, type Inst, isCollective, isMatrixInst } from '../ir/nodes.ts';
import { Holding } from './holding.ts';
import { leaveInstead, type Run, runLabel } from './lane-runs.ts';
import { leavesWhere, type MaskFacts, type Needs, sameNeeds } from './masks.ts';
import { sinkRest } from './sink-rest.ts';
import { mentions, tidyTree } from './tidy.ts';
import {
  alwaysLeaves,
  endsLanes,
  type Jump,
  jumpsOut,
  type Label,
  labelsOf,
  type Scope,
  sameJump,
  scopes,
  type Tree,
  type TreeOf,
  type Vote,
} from './tree.ts';

const isBarrier = ({ operation }: Inst): boolean => operation.effect === 'block';

/**
 * Returns the kernel with active masks. Requires that each `if` has the scope in which its
 * condition is uniform.
 */
export function placeMasks(
  tree: readonly Tree[],
  facts: MaskFacts,
  before: Needs,
): { readonly tree: readonly Tree[]; readonly needs: Needs } {
  let needs = before;
  for (;;) {
    const placer = new MaskPlacer(facts, needs);
    const placed = placer.place(tree);
    const { found } = placer;
    if (sameNeeds(found, needs)) {
      const start: Tree = { kind: 'mask', change: { op: 'start', rejoins: needs.rejoins } };
      return { tree: needs.live ? [start, ...placed] : placed, needs };
    }
    needs = found;
  }
}

class MaskPlacer {
  private readonly facts: MaskFacts;
  private readonly needs: Needs;
  /** The masks that this plan needs. */
  readonly found: { live: boolean; masked: boolean; readonly kept: Set<Definition>; readonly rejoins: Jump[] };
  /**
   * Whether the code is in an arm that other lanes do not take. These lanes are inactive, and still
   * need values that the code would overwrite.
   */
  private guarded = false;
  /**
   * The labels of the surrounding constructs that contain block barriers. A WGSL compiler must be
   * able to prove that the whole block is still in these constructs.
   */
  private barrierLabels: ReadonlySet<Label> = new Set();
  private readonly collectives = new Holding(isCollective);
  /** Finds instructions that the whole block must reach. */
  private readonly barriers: Holding;

  constructor(facts: MaskFacts, needs: Needs) {
    this.facts = facts;
    this.needs = needs;
    // Warp instructions that exchange through workgroup memory contain barriers of the block.
    this.barriers = exchangesInWorkgroup(facts.plan) ? this.collectives : new Holding(isBarrier);
    this.found = { ...needs, kept: new Set(needs.kept), rejoins: [...needs.rejoins] };
  }

  place(tree: readonly Tree[]): readonly Tree[] {
    const queries = {
      hasCollective: (list: readonly Tree[]) => this.hasCollective(list),
      isUniformBranch: (branch: TreeOf<'if'>) => this.isUniformBranch(branch),
    };
    return this.list(this.needs.masked || !this.facts.sinksRest ? tree : sinkRest(tree, queries), true);
  }

  // Places the masks of a list that the whole warp executes: lane code becomes runs, and other
  // trees are visited one by one.

  private list(trees: readonly Tree[], last: boolean): Tree[] {
    const placed: Tree[] = [];
    const items = trees.flatMap((tree) => this.split(tree));
    // An `exit` at the end of the kernel is redundant.
    while (last && items[items.length - 1]?.kind === 'exit') items.pop();
    let run: Tree[] = [];
    const flush = (final: boolean) => {
      if (run.length > 0) placed.push(...this.laneRun(run, final));
      run = [];
    };
    // After the last collective of the kernel, lanes may end without masks.
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
        placed.push(...this.tree(tree, final));
        return;
      }
      // Code that every lane may execute is separate from code that only active lanes may execute.
      const [first] = run;
      if (first && this.needs.live && this.isSpeculatable(first) !== this.isSpeculatable(tree)) flush(false);
      run.push(tree);
      // The code after a tree in which lanes leave is a separate run, so it need not be inside an
      // `else`.
      if (index === items.length - 1) flush(final);
      else if (endsLanes([tree]) || jumpsOut([tree])) flush(false);
    });
    return placed;
  }

  /**
   * Separates instructions from collectives. If lanes diverge, turns `if (c) { leaves } else { B }`
   * into `if (c) { leaves } B`.
   */
  private split(tree: Tree): readonly Tree[] {
    if (tree.kind === 'code') return this.splitCode(tree.insts);
    if (tree.kind !== 'if' || this.isUniformBranch(tree)) return [tree];
    if (alwaysLeaves(tree.then) && !this.hasCollective(tree.then)) {
      return [{ ...tree, else: [] }, ...tree.else.flatMap((inner) => this.split(inner))];
    }
    if (alwaysLeaves(tree.else) && !this.hasCollective(tree.else)) {
      return [{ ...tree, then: [] }, ...tree.then.flatMap((inner) => this.split(inner))];
    }
    return [tree];
  }

  private splitCode(insts: readonly Inst[]): readonly Tree[] {
    const runs: Inst[][] = [];
    let kind = '';
    for (const inst of insts) {
      const free = this.needs.live && this.mayAllExecute(inst);
      const own = isCollective(inst) ? 'collective' : free ? 'free' : 'guarded';
      const last = runs[runs.length - 1];
      if (last !== undefined && own === kind && own !== 'collective') last.push(inst);
      else runs.push([inst]);
      kind = own;
    }
    return runs.map((run): Tree => ({ kind: 'code', insts: run }));
  }

  /**
   * Whether the tree is lane code: it contains neither a collective nor a jump that all lanes of
   * the warp take together.
   */
  private isLaneCode(tree: Tree): boolean {
    if (this.hasCollective([tree])) return false;
    if (tree.kind === 'break' || tree.kind === 'continue' || tree.kind === 'exit') return false;
    if (this.needs.masked || tree.kind !== 'if') return true;
    return !(this.isUniformBranch(tree) && jumpsOut([tree]));
  }

  private hasCollective(list: readonly Tree[]): boolean {
    return this.collectives.in(list);
  }

  private hasBarrier(list: readonly Tree[]): boolean {
    return this.barriers.in(list);
  }

  // Lane code.

  private laneRun(trees: readonly Tree[], final: boolean): readonly Tree[] {
    // Plain instructions neither jump nor end lanes, so their run needs no label.
    if (trees.length === 1 && trees[0]?.kind === 'code' && !this.needs.live)
      return [{ kind: 'lanes', body: trees, masked: false }];
    const inside = labelsOf(trees);
    const run: Run = { inside, final, leaves: (until) => this.leaves(until) };
    const body = tidyTree([{ kind: 'block', label: runLabel, body: leaveInstead(trees, run) }]);
    if (body.length === 0) return [];
    const leaving = this.needs.live ? leavesWhere(body) : undefined;
    if (leaving) return [leaving];
    const masked = this.needs.live && !body.every((tree) => this.isSpeculatable(tree));
    return [{ kind: 'lanes', body, masked }];
  }

  private leaves(until: Jump | undefined): void {
    this.found.live = true;
    if (until === undefined) return;
    this.found.masked = true;
    for (const value of this.facts.keptUntil(until.label)) this.found.kept.add(value);
    if (!this.found.rejoins.some((other) => sameJump(other, until))) this.found.rejoins.push(until);
  }

  /** Whether inactive lanes may execute the tree, too. */
  private isSpeculatable(tree: Tree): boolean {
    if (tree.kind === 'code') return tree.insts.every((inst) => this.mayAllExecute(inst));
    if (tree.kind === 'move') return !this.guarded && tree.params.every((param) => !this.needs.kept.has(param));
    return false;
  }

  /**
   * Whether inactive lanes may execute an instruction, too. Arithmetic is harmless in lanes that no
   * longer need the old value. Loads are also harmless, because WGSL keeps them in bounds at any
   * address.
   */
  private mayAllExecute(inst: Inst): boolean {
    return inst.operation.speculatable && inst.results.every((result) => !this.needs.kept.has(result));
  }

  // Places the masks of a tree that the whole warp executes.

  private tree(tree: Tree, last: boolean): readonly Tree[] {
    switch (tree.kind) {
      case 'code':
        return tree.insts.map((inst) => this.collective(inst));
      case 'if':
        return this.isUniformBranch(tree) ? this.uniformIf(tree, last) : this.maskedIf(tree);
      case 'loop':
        return this.loop(tree);
      case 'block':
        return this.block(tree);
      case 'break':
      case 'continue':
        if (!this.needs.masked) return [tree];
        this.leaves(tree);
        return [{ kind: 'mask', change: { op: 'leave-all', until: tree } }];
      case 'exit':
        if (last) return [];
        this.leaves(undefined);
        return [{ kind: 'mask', change: { op: 'leave-all', until: undefined } }];
      default:
        throw new Error(`${tree.kind} around a warp instruction`);
    }
  }

  /**
   * Whether an `if` can become a WGSL `if`: all lanes of the subgroup take the same arm. If
   * barriers depend on the `if`, all lanes of the block must take the same arm.
   */
  private isUniformBranch(tree: TreeOf<'if'>): boolean {
    const arms = [tree.then, tree.else];
    const barriers = arms.some((arm) => this.hasBarrier(arm)) || this.skipsBarriers(arms);
    return isUniformIn(tree, this.facts.plan.kind === 'wide' || barriers ? 'block' : 'warp');
  }

  private uniformIf(tree: TreeOf<'if'>, last: boolean): readonly Tree[] {
    if (tree.then.length === 0 && tree.else.length === 0) return [];
    const vote = this.voteOn(tree);
    return [{ ...tree, vote, then: this.list(tree.then, last), else: this.list(tree.else, last) }];
  }

  /** Returns the vote that makes a condition uniform in WGSL, even if some lanes have ended. */
  private voteOn(tree: TreeOf<'if'>): Vote {
    const arms = [tree.then, tree.else];
    // If a condition determines whether the block reaches a barrier, the condition has the same
    // value in the whole block, and WGSL's uniformity analysis must prove this. A jump out of a
    // construct without barriers does not determine whether the block reaches a barrier, and only
    // some warps may reach the jump.
    const block = arms.some((arm) => this.meetsBlock(arm));
    if (block && !(isUniformIn(tree, 'proven') && !this.needs.live)) return 'block';
    return this.needs.live ? 'subgroup' : 'none';
  }

  /**
   * Whether the list contains a place that all threads of the block must reach together: a barrier,
   * or a jump past a barrier.
   */
  private meetsBlock(list: readonly Tree[]): boolean {
    return this.hasBarrier(list) || (!this.needs.masked && this.skipsBarriers([list]));
  }

  private skipsBarriers(arms: readonly (readonly Tree[])[]): boolean {
    for (const label of this.barrierLabels) if (arms.some((arm) => mentions(arm, label))) return true;
    return false;
  }

  /** Runs `plan` inside a construct with these labels. */
  private inside<T>(tree: TreeOf<'loop' | 'block'>, labels: readonly Label[], plan: () => T): T {
    const outside = this.barrierLabels;
    if (this.meetsBlock(tree.body)) this.barrierLabels = new Set([...outside, ...labels]);
    const planned = plan();
    this.barrierLabels = outside;
    return planned;
  }

  private maskedIf(tree: TreeOf<'if'>): readonly Tree[] {
    this.found.live = true;
    // A WGSL jump out of an arm would skip the place where the lanes of the other arm rejoin, so
    // masks must implement the jump.
    if (jumpsOut([...tree.then, ...tree.else])) this.found.masked = true;
    const { condition, span } = tree;
    return [
      mask({ op: 'split', condition, span }),
      ...this.arm(tree.then),
      mask({ op: 'other' }),
      ...this.arm(tree.else),
      mask({ op: 'join' }),
    ];
  }

  private arm(list: readonly Tree[]): readonly Tree[] {
    const outside = this.guarded;
    this.guarded = true;
    const body = this.list(list, false);
    this.guarded = outside;
    // A warp without active lanes must still reach the block's barriers, so it does not skip an arm
    // with barriers.
    return body.length === 0 || this.hasBarrier(list) ? body : [{ kind: 'any', vote: 'subgroup', body }];
  }

  private loop(tree: TreeOf<'loop'>): readonly Tree[] {
    const barriers = this.meetsBlock(tree.body);
    const body = this.inside(tree, [tree.label, ...tree.exits], () => this.list(tree.body, false));
    const vote: Vote = !this.needs.live ? 'none' : barriers ? 'block' : 'subgroup';
    const continuing = this.rejoin({ kind: 'continue', label: tree.label });
    return [
      { ...tree, vote, body, continuing },
      ...tree.exits.flatMap((label) => this.rejoin({ kind: 'break', label })),
    ];
  }

  private block(tree: TreeOf<'block'>): readonly Tree[] {
    const body = this.inside(tree, [tree.label], () => this.list(tree.body, false));
    if (this.needs.masked) return [...body, ...this.rejoin({ kind: 'break', label: tree.label })];
    return [{ ...tree, body }];
  }

  /** Reactivates the lanes that left until a jump, if there are any. */
  private rejoin(jump: Jump): readonly Tree[] {
    const someLeft = this.needs.rejoins.some((other) => sameJump(other, jump));
    return someLeft ? [mask({ op: 'rejoin', jump })] : [];
  }

  private collective(inst: Inst): Tree {
    if (inst.op !== 'warp' && inst.op !== 'barrier' && !isMatrixInst(inst))
      throw new Error(`${inst.op} is nothing that lanes do together`);
    return { kind: 'collective', inst, keeps: inst.results.some((result) => this.needs.kept.has(result)) };
  }
}

const mask = (change: TreeOf<'mask'>['change']): Tree => ({ kind: 'mask', change });

/** Whether all lanes of a scope take the same arm. */
const isUniformIn = ({ scope }: TreeOf<'if'>, among: Scope): boolean => scopes.indexOf(scope) >= scopes.indexOf(among);
