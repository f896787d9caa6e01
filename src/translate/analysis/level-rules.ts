// What an instruction's results have in common among lanes, given what its arguments have.

import type { Root } from '../ir/memory.ts';
import type { Definition, Inst, InstNamed, Value } from '../ir/nodes.ts';
import { memberMaskOf, type WarpInst, type WarpSharing, warpFacts } from '../ir/warp-facts.ts';
import type { LaunchFacts } from './launch-facts.ts';
import { isIn, rank } from './levels.ts';

export interface MemoryFacts {
  /** Whether an access may reach local memory, of which every thread has its own at the same address. */
  readonly mayBeLocal: (root: Root) => boolean;
  /** Whether another warp may store to the place of a weak load while threads of one block do the load. */
  readonly mayChange: (load: InstNamed<'load'>) => boolean;
}

/** What a call's results have in common where its arguments are all the same. */
export type CalleeLevel = (callee: string, members: number) => number;

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
          ? Math.min(this.arguments(inst), this.callee(inst.attrs.callee, this.members))
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
        // Absent: a result of a product of matrices, of which the table lists none.
        return this.warp(inst, warpFacts[inst.attrs.row].results[index] ?? 'lane');
      case 'barrier':
        return rank.block;
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
    // Without an order between the threads, a store between their loads is a race.
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

  /** Whether shfl.idx with this `c` takes all members to the same lane if they have the same `b`: always in range, and in one segment. */
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
