// Masks that are ballots, and which predicates their lanes agree on: the idiom of CUDA code, in which lanes vote on the condition of a branch and
// then name each other in its arm, or ask in the arm who is there.
import type { Instruction, Operand } from '../ptx/ast.ts';
import { dominates, findLoops, immediateDominators } from './dominators.ts';
import { type Block, definedRegisters, predecessors, successors } from './ir.ts';
import { bitsOf } from './operand-types.ts';

/// An instruction of a block; the branch at its end has the number of its instructions.
export interface Place {
  readonly block: number;
  readonly index: number;
}

/// A vote.sync.ballot, or an activemask: a ballot in which all say yes.
export interface Ballot {
  readonly place: Place;
  readonly instruction: Instruction;
  /// The mask has the lanes that voted no.
  readonly complement: boolean;
}

/// A mask as the intersection of ballots.
export interface BallotMask {
  readonly ballots: readonly Ballot[];
  /// Instructions that wrote the mask or one that includes it.
  readonly within: ReadonlySet<Instruction>;
  /// Constant bits that include the mask.
  readonly bound: number;
}

interface Definition {
  readonly place: Place;
  readonly instruction: Instruction;
}

/// A register's value is known by the instruction that wrote it last in the same block, or by its only one, where that dominates. Of A, B and C
/// that dominate each other in this order, whoever comes from A to C has executed B in between: so a mask never tells of an older predicate
/// than the branch reads.
export class BallotMasks {
  private readonly blocks: readonly Block[];
  private readonly idom: readonly number[];
  private readonly incoming: readonly (readonly number[])[];
  private readonly definitions = new Map<string, Definition | undefined>();

  constructor(blocks: readonly Block[]) {
    this.blocks = blocks;
    this.idom = immediateDominators(blocks);
    this.incoming = predecessors(blocks);
    blocks.forEach(({ code }, block) => {
      code.forEach((instruction, index) => {
        for (const { name } of definedRegisters(instruction)) {
          const once = !this.definitions.has(name) && instruction.guard === undefined;
          this.definitions.set(name, once ? { place: { block, index }, instruction } : undefined);
        }
      });
    });
  }

  /// What is known of a mask where it is read; undefined where it is no ballot.
  maskAt(register: string, place: Place): BallotMask | undefined {
    const definition = this.definitionBefore(register, place);
    if (definition === undefined) return undefined;
    const { instruction } = definition;
    const { row, operands } = instruction;
    const of = (operand: Operand | undefined): BallotMask | undefined => {
      if (operand?.kind === 'register') return this.maskAt(operand.register.name, definition.place);
      if (operand?.kind !== 'immediate') return undefined;
      return { ballots: [], within: new Set(), bound: Number(BigInt.asUintN(32, operand.bits)) };
    };
    if (row.name === 'vote.sync.ballot' || row.name === 'activemask') {
      return { ballots: [{ ...definition, complement: false }], within: new Set([instruction]), bound: 0xffffffff };
    }
    if (row.name === 'mov') return also(of(operands.a), instruction);
    if (row.name === 'not') return complementOf(of(operands.a), instruction);
    if (row.name !== 'and') return undefined;
    const [a, b] = [of(operands.a), of(operands.b)];
    if (a === undefined || b === undefined) return undefined;
    return {
      ballots: [...a.ballots, ...b.ballots],
      within: new Set([...a.within, ...b.within, instruction]),
      bound: (a.bound & b.bound) >>> 0,
    };
  }

  /// Whether all lanes that go once more round a loop of this block come by the place on the way.
  isInEveryRound(block: number): boolean {
    return [...findLoops(this.blocks, this.idom).bodies].every(
      ([header, body]) =>
        !body.has(block) ||
        [...body].every(
          (from) =>
            !successors(this.blocks[from]?.end ?? { kind: 'exit' }).includes(header) ||
            dominates(this.idom, block, from),
        ),
    );
  }

  /// Whether a predicate read at `place` says how the lane voted: it is the one that was voted on, or made of it alone.
  isVote(predicate: string, place: Place, ballot: Ballot): boolean {
    const { a } = ballot.instruction.operands;
    if (a?.kind !== 'register' || !this.precedes(ballot.place, place)) return false;
    if (a.register.name === predicate && ballot.place.block === place.block) {
      const since = this.lastWrite(predicate, place);
      if (since === undefined || since.place.index < ballot.place.index) return true;
    }
    const voted = this.rootOf(a.register.name, ballot.place);
    return voted !== undefined && voted === this.rootOf(predicate, place);
  }

  /// What this predicate is, or is the opposite of: another one, or a comparison.
  private rootOf(predicate: string, place: Place): string | undefined {
    const definition = this.definitionBefore(predicate, place);
    if (definition === undefined) return undefined;
    const { row, operands } = definition.instruction;
    const { a } = operands;
    if ((row.name !== 'not' && row.name !== 'mov') || a?.kind !== 'register') {
      return this.comparisonOf(definition) ?? (this.definitions.get(predicate) && predicate);
    }
    return this.rootOf(a.register.name, definition.place);
  }

  /// An integer comparison as `x < y` or `x = y`, of which others are the opposite; compilers write both for the arms of one branch.
  private comparisonOf({ instruction: { row, mods, operands }, place }: Definition): string | undefined {
    const { cmp = '', type = '' } = mods;
    const signed = type.startsWith('s') && !['lo', 'ls', 'hi', 'hs'].includes(cmp);
    const [x, y] = [this.valueOf(operands.a, signed, place), this.valueOf(operands.b, signed, place)];
    if (row.name !== 'setp' || x === undefined || y === undefined) return undefined;
    if (cmp === 'eq' || cmp === 'ne') return `${type} ${x} = ${y}`;
    const order = `${signed ? 'signed' : 'unsigned'} ${type}`;
    const [less, more] = ['lt', 'ge', 'lo', 'hs'].includes(cmp) ? [x, y] : [y, x];
    // c < x is the opposite of x < c + 1.
    return typeof less === 'bigint' ? `${order} ${more} < ${less + 1n}` : `${order} ${less} < ${more}`;
  }

  /// A constant, or a register that holds one value.
  private valueOf(operand: Operand | undefined, signed: boolean, place: Place): bigint | string | undefined {
    if (operand?.kind === 'immediate') return signed ? BigInt.asIntN(bitsOf(operand.type), operand.bits) : operand.bits;
    if (operand?.kind !== 'register' || !this.definitions.get(operand.register.name)) return undefined;
    return this.definitionBefore(operand.register.name, place) && operand.register.name;
  }

  /// The instruction whose result a register holds, where that is known.
  definitionBefore(register: string, place: Place): Definition | undefined {
    const local = this.lastWrite(register, place);
    if (local) return local.instruction.guard ? undefined : local;
    const definition = this.definitions.get(register);
    return definition && this.precedes(definition.place, place) ? definition : undefined;
  }

  /// The last instruction before `place`, in its block, that writes the register.
  private lastWrite(register: string, { block, index }: Place): Definition | undefined {
    const code = this.blocks[block]?.code ?? [];
    for (let at = index - 1; at >= 0; at--) {
      const instruction = code[at];
      if (instruction && definedRegisters(instruction).some(({ name }) => name === register))
        return { place: { block, index: at }, instruction };
    }
    return undefined;
  }

  /// Blocks at whose end lanes are on the way from `first` to `last`, which `first` dominates, without having been at `first` again.
  blocksBetween(first: Place, last: Place): ReadonlySet<number> {
    const found = new Set<number>();
    if (first.block === last.block) return found;
    const queue = [last.block];
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      for (const from of this.incoming[at] ?? []) {
        if (found.has(from)) continue;
        found.add(from);
        if (from !== first.block) queue.push(from);
      }
    }
    return found;
  }

  precedes(first: Place, second: Place): boolean {
    if (first.block === second.block) return first.index < second.index;
    return dominates(this.idom, first.block, second.block);
  }

  /// The place of the branch at a block's end.
  end(block: number): Place {
    return { block, index: this.blocks[block]?.code.length ?? 0 };
  }
}

function also(mask: BallotMask | undefined, instruction: Instruction): BallotMask | undefined {
  return mask && { ...mask, within: new Set([...mask.within, instruction]) };
}

/// Of one ballot: the complement of an intersection has lanes that agree on nothing.
function complementOf(mask: BallotMask | undefined, instruction: Instruction): BallotMask | undefined {
  const [ballot, ...others] = mask?.ballots ?? [];
  if (ballot === undefined || others.length > 0 || mask?.bound !== 0xffffffff) return undefined;
  return {
    ballots: [{ ...ballot, complement: !ballot.complement }],
    within: new Set([instruction]),
    bound: 0xffffffff,
  };
}
