// Adds a bit for the values that a loop passes on. The bit states that all of them are multiples of
// 2^-126. Results of a group's fast path are always multiples; results of the slow path are tested.

import { at, get } from '../../../base/invariants.ts';
import { allOf } from '../../../base/maps.ts';
import { knownQuantum, leastQuantum } from '../../analysis/quanta.ts';
import { type ArgumentEdge, incomingEdges } from '../../graph/index.ts';
import type { Builder } from '../../ir/builder.ts';
import { IdMap } from '../../ir/id-map.ts';
import {
  type Block,
  type Definition,
  type Edge,
  type Func,
  type Inst,
  mapTerminator,
  type Param,
  type Result,
  type Value,
} from '../../ir/nodes.ts';
import type { Group } from './groups.ts';
import { Guard } from './guard.ts';

export class Witnesses {
  private readonly builder: Builder;
  private readonly entry: Block | undefined;
  private readonly groupOf = new IdMap<Definition, Group>();
  private readonly incoming: IdMap<Block, ArgumentEdge[]>;
  /** For each block, the parameters that its bit covers. */
  private readonly marked = new Map<Block, Set<Param>>();
  private readonly carried = new Map<Group, Result[]>();
  private readonly bits = new Map<Block, Param>();
  private readonly groupBits = new Map<Group, Value>();

  private readonly looks: Set<Inst>;

  constructor(func: Func, builder: Builder, groups: readonly Group[], looks: Set<Inst>) {
    this.builder = builder;
    this.looks = looks;
    [this.entry] = func.blocks;
    this.incoming = incomingEdges(func);
    for (const group of groups) for (const result of group.escaping) this.groupOf.set(result, group);
    for (const { needs } of groups) {
      for (const [value, quantum] of needs) {
        if (value.kind !== 'param' || quantum > leastQuantum) continue;
        const comesFromGroup = this.argumentsOf(value).some(
          (arg) => arg.kind === 'result' && this.groupOf.get(arg) !== undefined,
        );
        if (comesFromGroup) this.mark(value);
      }
    }
    for (const block of this.marked.keys()) this.bits.set(block, builder.param(block, 'i1', 'tame'));
  }

  /** Returns the bit that covers a value, if any. */
  of(value: Value): Value | undefined {
    return value.kind === 'param' && this.marked.get(value.block)?.has(value) ? this.bits.get(value.block) : undefined;
  }

  /** Returns the results of a group that need a bit. */
  carriedBy(group: Group): readonly Result[] {
    return allOf(this.carried, group);
  }

  /** Sets the bit of a group's results. */
  set(group: Group, bit: Value): void {
    this.groupBits.set(group, bit);
  }

  /**
   * Connects the bits of blocks, after every group has set its bit. `tailOf` returns the block that
   * now contains the end of a block.
   */
  connect(func: Func, tailOf: (block: Block) => Block): void {
    const { builder, marked } = this;
    if (marked.size === 0) return;
    // The predecessors of blocks with a bit, without duplicates.
    const from = new Set(
      [...marked.keys()]
        .flatMap((block) => get(this.incoming, block, 'the edges into a block'))
        .map((edge) => edge.from),
    );
    for (const block of func.blocks) {
      if (!from.has(block)) continue;
      const tail = tailOf(block);
      builder.into(tail.insts);
      builder.span = tail.end.span;
      const edge = ({ to, args }: Edge): Edge => {
        const bit = this.bits.get(to);
        return bit === undefined ? { to, args } : { to, args: [...args, this.bitOf(to, args)] };
      };
      tail.end = mapTerminator(tail.end, (value) => value, edge);
    }
  }

  private bitOf(to: Block, args: readonly Value[]): Value {
    const guard = new Guard(this.builder, this.looks);
    to.params.forEach((param, index) => {
      const arg = args[index];
      if (arg === undefined || !this.marked.get(to)?.has(param)) return;
      const group = arg.kind === 'result' ? this.groupOf.get(arg) : undefined;
      const witness = (group && this.groupBits.get(group)) ?? this.of(arg);
      if (witness !== undefined) guard.require(witness);
      else guard.test(arg, leastQuantum);
    });
    return guard.condition();
  }

  private argumentsOf(param: Param): readonly Value[] {
    const index = param.block.params.indexOf(param);
    return get(this.incoming, param.block, 'the edges into a block').map(({ args }) =>
      at(args, index, 'an argument of an edge'),
    );
  }

  private mark(param: Param): void {
    const open = [param];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next.block === this.entry) continue;
      // Absent: this is the first such parameter of the block.
      const known = this.marked.get(next.block) ?? new Set<Param>();
      if (known.has(next)) continue;
      known.add(next);
      this.marked.set(next.block, known);
      for (const arg of this.argumentsOf(next)) {
        if (knownQuantum(arg) !== undefined) continue;
        if (arg.kind === 'param') open.push(arg);
        const group = arg.kind === 'result' ? this.groupOf.get(arg) : undefined;
        if (group === undefined || arg.kind !== 'result') continue;
        const results = allOf(this.carried, group);
        if (!results.includes(arg)) this.carried.set(group, [...results, arg]);
      }
    }
  }
}
