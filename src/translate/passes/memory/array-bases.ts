// Computes the indices of array accesses. Accesses of a block whose addresses differ by constants
// share one base, in words. If Dawn cannot prove that the accesses stay inside the array, the pass
// clamps the base once, so that Dawn does not clamp each access.

import { at, get, InternalError, missing } from '../../../base/invariants.ts';
import { type AccessInst, bytesOf } from '../../analysis/accesses.ts';
import { dawnRanges } from '../../analysis/dawn-ranges.ts';
import type { SpecialRanges } from '../../analysis/ranges.ts';
import {
  blocksOfInsts,
  type Dominators,
  dominatorsOf,
  type FlowGraph,
  flowGraph,
  type Loops,
  loopsOf,
} from '../../graph/index.ts';
import type { Builder } from '../../ir/builder.ts';
import type { Root } from '../../ir/memory.ts';
import { type Block, type Definition, type Func, type Inst, isDefinition, type Value } from '../../ir/nodes.ts';
import type { LaidArray } from '../../layout.ts';
import type { Granule } from '../../memory-plan.ts';
import type { Insertions } from './insertions.ts';
import { setPlace } from './place.ts';

/**
 * An access of whole words at `base * unit + offset` bytes from the array's start. With unit 1, the
 * whole address is a multiple of a word, but its parts may not be.
 */
export interface ArrayAccess {
  readonly inst: AccessInst;
  readonly block: Block;
  readonly laid: LaidArray;
  readonly root: Root;
  readonly granule: Granule;
  readonly unit: number;
  readonly offset: number;
  readonly base: Value;
  readonly words: Granule;
}

/** Accesses of one block under one condition: a thread executes either all of them or none. */
interface Cluster {
  readonly first: ArrayAccess;
  readonly accesses: ArrayAccess[];
}

/**
 * The form of a cluster's common index: `base` is shifted by `shift`, divided by 2^`bits` and
 * clamped.
 */
interface Form {
  readonly base: Value;
  /** The shift in units of the base, before the division by 2^bits. */
  readonly shift: number;
  readonly bits: number;
  readonly limit: number | undefined;
  readonly unit: number;
  /** The origin of the accesses' offsets, in bytes. */
  readonly origin: number;
}

/** Clusters that can share the same value. */
interface Group {
  readonly form: Form;
  readonly clusters: Cluster[];
}

export interface BasesContext {
  readonly builder: Builder;
  /** Receives the instructions that clamp a base. */
  readonly clamps: Set<Inst>;
  /** The ranges of special registers as Dawn computes them. */
  readonly dawn: SpecialRanges;
  /** Whether a base is clamped if Dawn cannot prove that its accesses stay inside the array. */
  readonly clampsArrayBases: boolean;
}

export class ArrayBases {
  private readonly func: Func;
  private readonly builder: Builder;
  private readonly dawn: ReturnType<typeof dawnRanges>;
  private readonly clamps: boolean;
  private readonly clampInsts: Set<Inst>;
  private readonly insertions: Insertions;
  private readonly forms = new Map<Cluster, Form>();
  private graph: { readonly flow: FlowGraph; readonly dominators: Dominators; readonly loops: Loops } | undefined;
  private homes: ReturnType<typeof blocksOfInsts> | undefined;

  constructor(func: Func, context: BasesContext, insertions: Insertions) {
    this.func = func;
    this.builder = context.builder;
    this.dawn = dawnRanges(context.dawn);
    this.clamps = context.clampsArrayBases;
    this.clampInsts = context.clamps;
    this.insertions = insertions;
  }

  place(accesses: readonly ArrayAccess[]): void {
    const clusters = new Map<string, Cluster>();
    for (const access of accesses) {
      const { inst, block, root, unit, base, offset } = access;
      const array = root.kind === 'array' ? root.array : -1;
      // With unit 1, two addresses are whole words apart only if their low bits are equal.
      const rest = unit === 1 ? ((offset % 4) + 4) % 4 : 0;
      const key = `${block.id} ${array} ${unit} ${idOf(base)} ${inst.when ? idOf(inst.when) : ''} ${rest}`;
      const cluster = clusters.get(key);
      if (cluster) cluster.accesses.push(access);
      else clusters.set(key, { first: access, accesses: [access] });
    }
    const groups = new Map<string, Group>();
    for (const cluster of clusters.values()) {
      const form = cluster.first.unit === 1 ? this.fromBytes(cluster) : this.fromWords(cluster);
      const key = `${idOf(form.base)} ${form.shift} ${form.bits} ${form.limit}`;
      const group = groups.get(key);
      if (group) group.clusters.push(cluster);
      else groups.set(key, { form, clusters: [cluster] });
      // Each cluster of a group keeps its own unit and origin.
      this.forms.set(cluster, form);
    }
    for (const group of groups.values()) {
      const index = this.index(group);
      for (const cluster of group.clusters) {
        const { unit, origin } = get(this.forms, cluster, 'the form of a base');
        for (const { inst, root, offset } of cluster.accesses) setPlace(inst, root, unit, offset - origin, index);
      }
    }
  }

  private fromWords(cluster: Cluster): Form {
    const { base, unit } = cluster.first;
    const { first, last, count } = extentOf(cluster, unit, 0);
    const known = this.dawn(base);
    const isProven = known !== undefined && known.min + first >= 0 && known.max + last < count;
    const limit = isProven || !this.clamps || count <= last - first ? undefined : count - 1 - (last - first);
    // If the base is clamped, or if Dawn must not see a wrapped index, the shift makes all
    // constants nonnegative.
    const shift = limit !== undefined || (isProven && first < 0) ? first : 0;
    return { base, shift, bits: 0, limit, unit, origin: shift * unit };
  }

  /** Computes the index as the first word's address, divided by the size of a unit. */
  private fromBytes(cluster: Cluster): Form {
    const { accesses, first } = cluster;
    let low = Number.POSITIVE_INFINITY;
    for (const { offset } of accesses) low = Math.min(low, offset);
    const vector = first.granule * 4;
    const isWhole = accesses.every(({ offset, words }) => words >= first.granule && (offset - low) % vector === 0);
    const unit = isWhole ? vector : 4;
    const { first: from, last, count } = extentOf(cluster, unit, low);
    const limit = this.clamps && count > last - from ? count - 1 - (last - from) : undefined;
    return { base: first.base, shift: low, bits: Math.log2(unit), limit, unit, origin: low };
  }

  private index({ form, clusters }: Group): Value {
    const { base, shift, bits, limit } = form;
    if (shift === 0 && bits === 0 && limit === undefined) return base;
    const { builder } = this;
    builder.into(this.site(base, clusters));
    builder.span = at(clusters, 0, 'an access').first.inst.span;
    builder.hint = isDefinition(base) ? base.hint : undefined;
    const moved = shift === 0 ? base : builder.iadd(base, builder.i32(shift));
    const divided = bits === 0 ? moved : builder.lshrw(moved, builder.i32(bits));
    const index = limit === undefined ? divided : builder.umin(divided, builder.i32(limit));
    if (index !== divided && index.kind === 'result') this.clampInsts.add(index.inst);
    builder.span = undefined;
    builder.hint = undefined;
    return index;
  }

  /**
   * Returns the position at which to compute the value: before the first access, or at the common
   * dominator of all accesses, outside of loops that do not change it.
   */
  private site(base: Value, clusters: readonly Cluster[]): Inst[] {
    const [first] = clusters;
    if (first === undefined || !isDefinition(base)) throw new InternalError('a base without accesses');
    const { flow, dominators, loops } = this.graphs();
    const home = this.homeOf(base);
    let block = first.first.block;
    for (const { first: other } of clusters) {
      if (!dominators.dominatesBlock(block, other.block)) block = meet(block, other.block, flow, dominators);
    }
    for (
      let loop = loops.loopOf(block);
      loop !== undefined && home && !loop.contains(home);
      loop = loops.loopOf(block)
    ) {
      const outside = dominators.idomOf(loop.header);
      if (outside === undefined) break;
      block = outside;
    }
    const here = clusters.flatMap(({ accesses }) => accesses).find((access) => access.block === block);
    // The accesses are in the order of their block, so this is the first.
    return here ? this.insertions.beforeInst(here.inst) : this.insertions.atEnd(block);
  }

  private graphs() {
    if (this.graph === undefined) {
      const flow = flowGraph(this.func);
      const dominators = dominatorsOf(flow);
      this.graph = { flow, dominators, loops: loopsOf(flow, dominators) };
    }
    return this.graph;
  }

  private homeOf(value: Definition): Block | undefined {
    if (value.kind === 'param') return value.block;
    this.homes ??= blocksOfInsts(this.func);
    return this.homes.get(value.inst);
  }
}

/**
 * Returns the range of elements of `unit` bytes that the accesses reach, relative to their base and
 * `origin`, and the length of the array.
 */
function extentOf({ accesses, first: { laid } }: Cluster, unit: number, origin: number) {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { inst, offset } of accesses) {
    first = Math.min(first, Math.floor((offset - origin) / unit));
    last = Math.max(last, Math.floor((offset - origin + bytesOf(inst) - 1) / unit));
  }
  return { first, last, count: Math.max(Math.ceil(laid.bytes / unit), 1) };
}

function meet(one: Block, other: Block, flow: FlowGraph, dominators: Dominators): Block {
  const numberOf = (block: Block): number => flow.numberOf(block) ?? missing('the number of a block', block);
  let [a, b] = [numberOf(one), numberOf(other)];
  while (a !== b) {
    if (a > b) a = at(dominators.parents, a, 'the dominator of a block');
    else b = at(dominators.parents, b, 'the dominator of a block');
  }
  return at(flow.blocks, a, 'a block');
}

const idOf = (value: Value): string =>
  isDefinition(value) ? String(value.id) : value.kind === 'constant' ? `=${value.bits}` : '?';
