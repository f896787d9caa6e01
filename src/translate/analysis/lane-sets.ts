// Determines whether the lanes that a membermask names arrive at a warp instruction together. Then
// no lane waits there for lanes that are elsewhere, whichever branches the rest of the warp takes.
// In PTX, a lane with a mask that lacks its own bit has undefined behavior.
import { at } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import { constantOf, isDefinition, type Value } from '../ir/nodes.ts';
import { memberMaskOf, type WarpInst } from '../ir/warp-facts.ts';
import { type Ballot, BallotMasks, type Place } from './ballots.ts';
import type { ControlGraph, LoopControl } from './control-dependence.ts';
import type { LaunchFacts } from './launch-facts.ts';
import { everyLane, isIn, rank } from './levels.ts';
import type { Levels, ValueLevels } from './value-levels.ts';

/** The maximum number of analyzed masks. The time for each is linear in the size of the kernel. */
const maxMasks = 64;
/** The maximum depth of nested votes. */
const maxVotes = 16;

/** The values on which the lanes of a ballot agree. */
interface Agreements {
  /** The place of the last ballot. */
  readonly last: Place;
  readonly ballots: readonly Ballot[];
  /** For each ballot with known membermasks: the levels among the lanes of each mask. */
  readonly levels: readonly (readonly Levels[])[];
}

export class LaneSets {
  private readonly control: ControlGraph;
  private readonly facts: LaunchFacts;
  /** The levels of the kernel's values, computed on the first call. */
  private readonly values: () => ValueLevels;
  private readonly known = new Map<number, Levels>();
  private readonly ballots: BallotMasks;
  private readonly named = new Map<Value, readonly number[] | undefined>();
  private readonly decided = new Map<number, ReadonlySet<number>>();

  constructor(control: ControlGraph, facts: LaunchFacts, values: () => ValueLevels) {
    this.control = control;
    this.facts = facts;
    this.values = values;
    this.ballots = new BallotMasks(control);
  }

  /**
   * Returns the levels among the lanes of a mask; among all lanes if the number of masks exceeds
   * its limit.
   */
  levels(members: number): Levels {
    const mask = this.known.size >= maxMasks && !this.known.has(members) ? everyLane : members;
    return getOrInsert(this.known, mask, () => this.values().among(mask));
  }

  /**
   * Whether some lanes of one of the masks may be inactive while others execute: they exited, left
   * for code without collectives, or the warp has fewer than 32 threads.
   */
  mayBeInactive(masks: readonly number[]): boolean {
    return masks.some((mask) => {
      const lacking = this.facts.warps.some((lanes) => (lanes & mask) !== 0 && (~lanes & mask) !== 0);
      return lacking || this.control.departures.some((block) => !this.allTake(mask, block));
    });
  }

  /** Whether all lanes of the mask arrive at a branch together and take the same edge. */
  private allTake(mask: number, block: number): boolean {
    return [everyLane, mask].some((members) => {
      const { branch, control } = this.levels(members);
      return branch(block) >= rank.warp && control(block) >= rank.warp;
    });
  }

  /**
   * Returns the membermasks that an instruction may have, if they are known and all lanes that a
   * mask names have the same mask.
   */
  namedBy(inst: WarpInst): readonly number[] | undefined {
    const mask = memberMaskOf(inst);
    if (mask === undefined) return undefined;
    const constant = constantOf(mask);
    if (constant !== undefined) return [Number(BigInt.asUintN(32, constant))];
    if (!this.named.has(mask)) this.named.set(mask, this.masksIn(mask));
    return this.named.get(mask);
  }

  private masksIn(value: Value): readonly number[] | undefined {
    const values = isDefinition(value) ? this.facts.values.get(value) : undefined;
    if (values === undefined) return undefined;
    const masks = values.map((bits) => Number(BigInt.asUintN(32, bits)));
    const agree = this.facts.warps.every((lanes, warp) => {
      const own = masks.slice(32 * warp, 32 * warp + 32);
      return own.every(
        (mask, lane) => !isIn(mask, lane) || own.every((other, at) => !isIn(mask & lanes, at) || other === mask),
      );
    });
    return agree ? [...new Set(masks)] : undefined;
  }

  /** Whether the lanes of each of the masks arrive at an instruction together. */
  comeTogether(masks: readonly number[], { when }: WarpInst, block: number): boolean {
    return masks.every((mask) => {
      const { control, value } = this.levels(mask);
      return control(block) >= rank.warp && (when === undefined || value(when) >= rank.warp);
    });
  }

  /**
   * Whether lanes that reach an instruction without a mask reach it in every iteration of the loops
   * around it. Then no lane catches up with others that wait there.
   */
  executesInEveryIteration({ when }: WarpInst, block: number): boolean {
    return when === undefined && this.ballots.isInEveryIteration(block);
  }

  /**
   * Whether the mask is a ballot, and all its lanes agree on every decision between the ballot and
   * the instruction.
   */
  shareBallot(inst: WarpInst, place: Place): boolean {
    const { when } = inst;
    const mask = memberMaskOf(inst);
    const agreements = mask && this.agreementsOf(mask, place, 0);
    if (agreements === undefined) return false;
    const { control, ballots } = this;
    // The lanes were together at the last ballot, so only branches after it can separate them.
    const between = ballots.blocksBetween(agreements.last, place);
    const branches = [...this.allDeciders(place.block)].filter((branch) => between.has(branch));
    const areSame = (ask: (levels: Levels) => number) =>
      agreements.levels.some((all) => all.every((levels) => ask(levels) >= rank.warp));
    const isDecided = (predicate: Value, at: Place) =>
      agreements.ballots.some((vote) => ballots.isVote(predicate, at, vote));
    return (
      branches.every((branch) => {
        if (areSame((levels) => levels.branch(branch))) return true;
        const end = control.graph.blocks[branch]?.end;
        return end?.kind === 'branch' && isDecided(end.condition, ballots.end(branch));
      }) &&
      (when === undefined || areSame((levels) => levels.value(when)) || isDecided(when, place))
    );
  }

  /**
   * Returns the blocks whose branches determine, directly or through other blocks, whether a block
   * executes.
   */
  private allDeciders(block: number): ReadonlySet<number> {
    const known = this.decided.get(block);
    if (known !== undefined) return known;
    const { deciders, loops, core, targets, tangled } = this.control;
    const found = new Set<number>();
    if (tangled) {
      core.forEach((isCore, branch) => {
        if (isCore && at(targets, branch, 'the targets of a block').length > 1) found.add(branch);
      });
    }
    const seen = new Set<number | LoopControl>([block]);
    const queue: (number | LoopControl)[] = [block];
    const reach = (next: number | LoopControl) => {
      if (seen.has(next)) return;
      seen.add(next);
      queue.push(next);
    };
    const decide = (branch: number) => {
      found.add(branch);
      reach(branch);
    };
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const own = typeof next === 'number' ? at(deciders, next, 'the deciders of a block') : next.deciders;
      for (const decider of own) {
        if ('block' in decider) decide(decider.block);
        else for (const exit of decider.loop.exits) decide(exit);
      }
      if (typeof next !== 'number') for (const exit of next.exits) decide(exit);
      const around = typeof next === 'number' ? loops[next] : next.parent;
      if (around !== undefined) reach(around);
    }
    this.decided.set(block, found);
    return found;
  }

  private agreementsOf(mask: Value, place: Place, depth: number): Agreements | undefined {
    if (depth > maxVotes || !isDefinition(mask)) return undefined;
    const found = this.ballots.maskOf(mask);
    if (found === undefined || found.ballots.length === 0) return undefined;
    if (!found.ballots.every((ballot) => this.ballots.precedes(ballot.place, place))) return undefined;
    const everyone = this.levels(everyLane);
    const last = found.ballots.reduce((a, b) => (this.ballots.precedes(a.place, b.place) ? b : a)).place;
    let agreements: Agreements = { last, ballots: found.ballots, levels: [[everyone]] };
    for (const { inst, place: at, complement } of found.ballots) {
      const membermask = memberMaskOf(inst);
      const named = this.namedBy(inst);
      if (membermask === undefined) {
        // Lanes that were together at this ballot may have executed it again, separately, before
        // they reach another ballot.
        if (found.ballots.length > 1 || complement) return undefined;
        continue;
      }
      if (complement) {
        // The mask must exclude lanes that did not vote.
        const inValue = membermask.kind === 'result' && found.within.has(membermask.inst);
        const inConstant = named?.every((members) => (found.bound & ~members) === 0);
        if (!inValue && !inConstant) return undefined;
      }
      const outer = named ? this.agreementsAmong(named, inst, at) : this.agreementsOf(membermask, at, depth + 1);
      if (outer === undefined) return undefined;
      agreements = {
        last,
        ballots: [...agreements.ballots, ...outer.ballots],
        levels: [...agreements.levels, ...outer.levels],
      };
    }
    return agreements;
  }

  /** Returns the agreements among lanes that vote with known masks. */
  private agreementsAmong(named: readonly number[], ballot: WarpInst, last: Place): Agreements | undefined {
    if (this.levels(everyLane).control(last.block) >= rank.warp) return { last, ballots: [], levels: [] };
    if (!this.comeTogether(named, ballot, last.block)) return undefined;
    return { last, ballots: [], levels: [named.map((members) => this.levels(members))] };
  }
}
