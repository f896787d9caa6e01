// Whether the lanes that a membermask names come to a warp instruction together: then nobody waits there for lanes that are elsewhere, whatever
// branches the rest of the warp takes. A lane that executes under a mask without its own bit is PTX's undefined behaviour.
import type { Instruction, Operand } from '../ptx/ast.ts';
import { type Ballot, BallotMasks, type Place } from './ballot-masks.ts';
import type { ControlGraph } from './control-dependence.ts';
import { isIn, type LaunchFacts } from './launch-facts.ts';
import { everyLane, type Levels, least, levelsAmong } from './levels.ts';

export class MemberLanes {
  private readonly graph: ControlGraph;
  private readonly facts: LaunchFacts;
  private readonly known = new Map<number, Levels>();
  private readonly ballots: BallotMasks;

  constructor(graph: ControlGraph, facts: LaunchFacts) {
    this.graph = graph;
    this.facts = facts;
    this.ballots = new BallotMasks(graph.blocks);
  }

  levels(members: number): Levels {
    let levels = this.known.get(members);
    if (levels === undefined) {
      levels = levelsAmong(members, this.graph, this.facts);
      this.known.set(members, levels);
    }
    return levels;
  }

  /// Whether some of the lanes of one of the masks may go on while others have ended, left for where nobody waits, or never existed.
  someGo(masks: readonly number[]): boolean {
    return masks.some((mask) => {
      const lacking = this.facts.warps.some((lanes) => (lanes & mask) !== 0 && (~lanes & mask) !== 0);
      return lacking || this.graph.departures.some((block) => !this.allTake(mask, block));
    });
  }

  /// Whether all lanes of the mask take a branch alike, and come to it together.
  private allTake(mask: number, block: number): boolean {
    return [everyLane, mask].some((members) => {
      const { branch, control } = this.levels(members);
      return least([branch(block), control(block)]) >= 1;
    });
  }

  /// The masks that an instruction's lanes have, where they are known, and all lanes of a mask have that mask.
  namedBy({ operands }: Instruction): readonly number[] | undefined {
    const { membermask } = operands;
    if (membermask?.kind === 'immediate') return [Number(BigInt.asUintN(32, membermask.bits))];
    const values = membermask?.kind === 'register' ? this.facts.values.get(membermask.register.name) : undefined;
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

  /// Whether the lanes of each of the masks come to an instruction together.
  comeTogether(masks: readonly number[], { guard }: Instruction, block: number): boolean {
    return masks.every((mask) => {
      const { control, register } = this.levels(mask);
      return control(block) >= 1 && (guard === undefined || register(guard.register.name) >= 1);
    });
  }

  /// Whether those who come to an instruction without a mask do so in each round of the loops around it: then no lane catches up with others
  /// that wait there.
  passInRounds({ guard }: Instruction, block: number): boolean {
    return guard === undefined && this.ballots.isInEveryRound(block);
  }

  /// Whether the mask is a ballot, and whoever is in it has decided alike on all that leads from there to the instruction.
  shareBallot({ operands, guard }: Instruction, place: Place): boolean {
    const agreements = this.agreementsOf(operands.membermask, place);
    if (agreements === undefined) return false;
    const { graph, ballots } = this;
    // The lanes were together at the last of the ballots.
    const between = ballots.blocksBetween(agreements.last, place);
    const branches = [...graph.allDeciders(place.block)].filter((branch) => between.has(branch));
    const decided = (predicate: string, at: Place) =>
      agreements.ballots.some((vote) => ballots.isVote(predicate, at, vote));
    return (
      branches.every((branch) => {
        if (agreements.levels.some((all) => all.every((levels) => levels.branch(branch) >= 1))) return true;
        const end = graph.blocks[branch]?.end;
        return end?.kind === 'branch' && decided(end.guard.register.name, ballots.end(branch));
      }) &&
      (guard === undefined ||
        agreements.levels.some((all) => all.every((levels) => levels.register(guard.register.name) >= 1)) ||
        decided(guard.register.name, place))
    );
  }

  private agreementsOf(mask: Operand | undefined, place: Place): Agreements | undefined {
    if (mask?.kind !== 'register') return undefined;
    const found = this.ballots.maskAt(mask.register.name, place);
    if (found === undefined || found.ballots.length === 0) return undefined;
    const everyone = this.levels(everyLane);
    const last = found.ballots.reduce((a, b) => (this.ballots.precedes(a.place, b.place) ? b : a)).place;
    let agreements: Agreements = { last, ballots: found.ballots, levels: [[everyone]] };
    for (const { instruction, place: at, complement } of found.ballots) {
      const { membermask } = instruction.operands;
      const named = this.namedBy(instruction);
      if (membermask === undefined) {
        // Lanes that were there together may each have been there again before they came to another ballot.
        if (found.ballots.length > 1 || complement) return undefined;
        continue;
      }
      if (complement) {
        // Those who did not vote must not be in it.
        const voters =
          membermask.kind === 'register' ? this.ballots.definitionBefore(membermask.register.name, at) : undefined;
        const inRegister = voters !== undefined && found.within.has(voters.instruction);
        const inConstant = named?.every((members) => (found.bound & ~members) === 0);
        if (!inRegister && !inConstant) return undefined;
      }
      const outer = named ? this.agreementsAmong(named, instruction, at) : this.agreementsOf(membermask, at);
      if (outer === undefined) return undefined;
      agreements = {
        last,
        ballots: [...agreements.ballots, ...outer.ballots],
        levels: [...agreements.levels, ...outer.levels],
      };
    }
    return agreements;
  }

  /// Of lanes that vote under masks that are known.
  private agreementsAmong(named: readonly number[], ballot: Instruction, last: Place): Agreements | undefined {
    if (this.levels(everyLane).control(last.block) >= 1) return { last, ballots: [], levels: [] };
    if (!this.comeTogether(named, ballot, last.block)) return undefined;
    return { last, ballots: [], levels: [named.map((members) => this.levels(members))] };
  }
}

/// What lanes of a ballot agree on.
interface Agreements {
  /// The last ballot.
  readonly last: Place;
  readonly ballots: readonly Ballot[];
  /// Of each group of lanes that the ballot was among, one entry for each mask that the group may have.
  readonly levels: readonly (readonly Levels[])[];
}
