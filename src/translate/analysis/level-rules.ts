// The rules that compute the level of an instruction's results from the levels of its arguments.

import type { Root } from '../ir/memory.ts';
import type { Definition, Inst, InstNamed, Value } from '../ir/nodes.ts';
import { memberMaskOf, type WarpInst, type WarpSharing, warpFacts } from '../ir/warp-facts.ts';
import type { LaunchFacts } from './launch-facts.ts';
import { isIn, rank } from './levels.ts';

export interface MemoryFacts {
  /**
   * Whether an access may reach local memory, which is private to each thread even at the same
   * address.
   */
  readonly mayBeLocal: (root: Root) => boolean;
  /**
   * Whether another warp may store to the location of a weak load while threads of one block
   * execute the load.
   */
  readonly mayChange: (load: InstNamed<'load'>) => boolean;
}

/** Returns the level of each result of a call if all its arguments are uniform. */
export type CalleeLevel = (callee: string, members: number) => (index: number) => number;

export class LevelRules {
  private readonly members: number;
  private readonly facts: LaunchFacts;
  private readonly memory: MemoryFacts;
  private readonly callee: CalleeLevel;
  private readonly level: (value: Value) => number;

  constructor(
    members: number,
    facts: LaunchFacts,
    memory: MemoryFacts,
    callee: CalleeLevel,
    level: (value: Value) => number,
  ) {
    this.members = members;
    this.facts = facts;
    this.memory = memory;
    this.callee = callee;
    this.level = level;
  }

  result(inst: Inst, index: number, result: Definition): number {
    switch (inst.operation.sharing) {
      case 'lane':
        return inst.op === 'call'
          ? Math.min(this.arguments(inst), this.callee(inst.attrs.callee, this.members)(index))
          : rank.divergent;
      case 'own':
        return this.own(inst, index);
      case 'arguments':
        return this.sameAsArguments(inst, result);
    }
  }

  private sameAsArguments(inst: Inst, result: Definition): number {
    const level = this.arguments(inst);
    if (level === rank.provable) return level;
    let place = this.facts.value(result, this.members);
    for (const value of this.facts.restOf(result)) place = Math.min(place, this.level(value));
    return Math.max(level, place);
  }

  private arguments({ args }: Inst): number {
    let least = rank.provable;
    for (let at = 0; at < args.length; at++) {
      const arg = args[at];
      if (arg !== undefined) least = Math.min(least, this.level(arg));
    }
    return least;
  }

  private own(inst: Inst, index: number): number {
    switch (inst.op) {
      case 'special':
        return this.facts.special(inst.attrs.name, this.members);
      case 'load':
        return this.load(inst);
      case 'warp':
        // Absent: a row without an entry is a matrix product, whose results differ by lane.
        return this.warp(inst, warpFacts(inst.attrs.row).results[index] ?? 'lane');
      case 'barrier':
        // Each block of a cluster has a result of its own.
        return inst.attrs.blocks === undefined ? rank.block : rank.warp;
      default:
        return rank.divergent;
    }
  }

  private load(inst: InstNamed<'load'>): number {
    const { place, order } = inst.attrs;
    if (order !== 'weak' || this.memory.mayBeLocal(place.root)) return rank.divergent;
    const common = this.arguments(inst);
    if (place.root.kind === 'param') return common;
    if (common === rank.divergent || this.memory.mayChange(inst)) return rank.divergent;
    // If nothing orders the threads, a store between their loads is a race. So the analysis may
    // assume that all threads of the block load the same value.
    return Math.min(common, rank.block);
  }

  private warp(inst: WarpInst, sharing: WarpSharing): number {
    switch (sharing) {
      case 'lane':
        return rank.divergent;
      case 'group': {
        const mask = memberMaskOf(inst);
        return mask === undefined || this.level(mask) >= rank.warp ? rank.warp : rank.divergent;
      }
      case 'source': {
        const [, b, c] = inst.args;
        const isOne =
          inst.attrs.mods.mode === 'idx' && this.readsOneLane(c) && b !== undefined && this.level(b) >= rank.warp;
        return isOne ? rank.warp : rank.divergent;
      }
    }
  }

  /**
   * Whether `shfl.idx` with this `c` reads the same lane in all members if they have the same `b`:
   * always in range, and in one segment.
   */
  private readsOneLane(c: Value | undefined): boolean {
    if (c?.kind !== 'constant') return false;
    const segmask = Number((c.bits >> 8n) & 31n);
    const inSegment = 31 & ~segmask;
    if ((Number(c.bits) & inSegment) !== inSegment) return false;
    const segments = new Set<number>();
    for (let lane = 0; lane < 32; lane++) if (isIn(this.members, lane)) segments.add(lane & segmask);
    return segments.size <= 1;
  }
}
