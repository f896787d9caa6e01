// Replaces the products of a plan by products of matrices.

import { at, get, missing } from '../../../base/invariants.ts';
import { allOf, getOrInsert } from '../../../base/maps.ts';
import type { Builder } from '../../ir/builder.ts';
import { replaceValues } from '../../ir/builder.ts';
import { IdMap } from '../../ir/id-map.ts';
import {
  type Block,
  type Definition,
  edgesOf,
  type Func,
  type Inst,
  isDefinition,
  mapTerminator,
  operandsOf,
  type Param,
  type Value,
} from '../../ir/nodes.ts';
import { matrixWords } from '../../ir/types.ts';
import type { Insertions } from '../memory/insertions.ts';
import { removeParams } from '../remove-dead-code.ts';
import type { LaneValues } from './lane-values.ts';
import { bare, type ParamsSource, type Plan, type Product, type Source, type Unpacking } from './plan.ts';

export interface RewriteContext {
  readonly func: Func;
  readonly builder: Builder;
  readonly insertions: Insertions;
  readonly laneValues: LaneValues;
  /** The largest number of words that a warp exchanges at once. */
  readonly maxWords: number;
}

export class Rewriter {
  private readonly context: RewriteContext;
  private readonly plan: Plan;
  private readonly values = new Map<object, Value>();
  private readonly fills = new Map<string, Value>();
  private readonly packed = new Map<Block, Map<Source, Value>>();

  constructor(context: RewriteContext, plan: Plan) {
    this.context = context;
    this.plan = plan;
  }

  run(): void {
    const { func, insertions, builder } = this.context;
    const { params, products } = this.plan;
    for (const source of params)
      this.values.set(source, builder.param(source.block, source.type, source.params[0]?.hint));
    for (const product of products) this.values.set(product, this.product(product));
    // Blocks with new parameters need new arguments.
    const added = new Map<Block, ParamsSource[]>();
    for (const source of params) getOrInsert(added, source.block, () => []).push(source);
    this.unpack();
    for (const block of func.blocks) this.extendEdges(block, added);
    for (const { inst } of products) this.removed.add(inst);
    insertions.apply(func);
    for (const block of func.blocks) block.insts = block.insts.filter((inst) => !this.removed.has(inst));
    const owned = new Set<Param>(params.flatMap((source) => source.params));
    removeParams(func, (param) => !owned.has(param));
    replaceValues(func, this.replacements);
  }

  private readonly removed = new Set<Inst>();
  private readonly replacements = new IdMap<Definition, Value>();

  /** Inserts a product before the one that it replaces. */
  private product(product: Product): Value {
    const { builder, insertions } = this.context;
    const list = insertions.beforeInst(product.inst);
    const sources = get(this.plan.operands, product, 'the operands of a product');
    const operands = sources.map((source) => this.operand(source, product.block, list));
    const made = builder.make('matrix-multiply', {}, operands, { hint: 'sums' });
    list.push(Object.assign(made, { span: product.inst.span }));
    return at(made.results, 0, 'a product');
  }

  /** An operand of a product. The products of a block share packed operands. */
  private operand(source: Source, block: Block, list: Inst[]): Value {
    if (source.kind !== 'words') return this.value(source, list);
    const packed = getOrInsert(this.packed, block, () => new Map<Source, Value>());
    return getOrInsert(packed, source, () => this.pack(source, list));
  }

  private value(source: Source, list: Inst[]): Value {
    switch (source.kind) {
      case 'product':
        return get(this.values, source.product, 'a product before its use');
      case 'params':
        return get(this.values, source, 'the parameter of a matrix');
      case 'fill':
        return this.fill(source);
      case 'memory':
        return getOrInsert(this.values, source, () => this.load(source));
      case 'words':
        return this.pack(source, list);
    }
  }

  private fill({ type, bits }: Extract<Source, { readonly kind: 'fill' }>): Value {
    const { builder, func } = this.context;
    return getOrInsert(this.fills, `${type} ${bits}`, () => {
      const made = builder.make('matrix-fill', { type, bits }, []);
      at(func.blocks, 0, 'the first block').insts.unshift(made);
      return at(made.results, 0, 'a matrix');
    });
  }

  /** Loads a matrix after all loads of its words. */
  private load({ type, place, block }: Extract<Source, { readonly kind: 'memory' }>): Value {
    const { builder, insertions, laneValues } = this.context;
    const last = block.insts.findLast((inst) => inst.op === 'load' && place.loads.has(inst));
    const list = insertions.afterDefinition(at(last?.results ?? missing('the loads of a matrix'), 0, 'a word'));
    const { first, lane, order, stride } = place;
    const [index] = first.attrs.place.indexed ? first.args : [];
    const start = index && laneValues.of(index, lane, list);
    return builder.within(list, () => {
      builder.span = first.span;
      const bytes = builder.i32(stride.times);
      const step = stride.value === undefined ? bytes : builder.imul(builder.resize(stride.value, 'i32'), bytes);
      const args = start === undefined ? [step] : [start, step];
      const hint = first.results[0]?.hint;
      const made = builder.value('matrix-load', { place: first.attrs.place, type, order }, args, { hint });
      builder.span = undefined;
      return made;
    });
  }

  private pack({ type, words }: Extract<Source, { readonly kind: 'words' }>, list: Inst[]): Value {
    const { builder } = this.context;
    return builder.within(list, () => {
      const own = words.map((word) => builder.bitcast(word, 'i32'));
      return builder.value('matrix-pack', { type }, own);
    });
  }

  private extendEdges(block: Block, added: ReadonlyMap<Block, readonly ParamsSource[]>): void {
    const { insertions } = this.context;
    if (!edgesOf(block.end).some(({ to }) => added.has(to))) return;
    block.end = mapTerminator(
      block.end,
      (value) => value,
      (edge) => {
        const sources = added.get(edge.to);
        if (sources === undefined) return edge;
        const more = sources.map(({ edges }) => {
          const own = edges.find((each) => each.edge.from === block && each.edge.args === edge.args);
          return this.value((own ?? missing('the edge of a matrix')).source, insertions.atEnd(block));
        });
        return { to: edge.to, args: [...edge.args, ...more] };
      },
    );
  }

  // Words of matrices.

  private unpack(): void {
    const { unpackings } = this.plan;
    const groups = new Map<Block, Map<Inst | 'start' | undefined, Unpacking[]>>();
    for (const unpacking of unpackings) {
      const own = getOrInsert(groups, unpacking.block, () => new Map());
      getOrInsert(own, unpacking.before, () => []).push(unpacking);
    }
    const users = this.usersOfWords();
    const pending: { readonly list: Inst[]; readonly group: Unpacking[] }[] = [];
    for (const [block, places] of groups) {
      const inOrder = [...places].sort(([a], [b]) => placeIn(block, a) - placeIn(block, b));
      let last: { readonly place: number; readonly list: Inst[]; readonly group: Unpacking[] } | undefined;
      for (const [before, group] of inOrder) {
        // Sums of this group that already exist at the last place are unpacked there, together with
        // the earlier sums.
        const early = last === undefined ? undefined : earlyOf(block, group, last.place);
        if (last && early) last.group.push(...early);
        const late = group.filter((each) => !early?.includes(each));
        if (late.length === 0) continue;
        last = { place: placeIn(block, before), list: this.listAt(block, before), group: late };
        pending.push(last);
      }
    }
    for (const { list, group } of pending) this.unpackAll(list, group, users);
  }

  private listAt(block: Block, before: Unpacking['before']): Inst[] {
    const { insertions } = this.context;
    if (before === 'start') return insertions.atStart(block);
    return before === undefined ? insertions.atEnd(block) : insertions.beforeInst(before);
  }

  private unpackAll(list: Inst[], group: readonly Unpacking[], users: ReadonlyMap<Value, readonly Definition[]>): void {
    const { builder, maxWords } = this.context;
    let rest = group;
    while (rest.length > 0) {
      const now: Unpacking[] = [];
      let words = 0;
      for (const each of rest) {
        words += 32 * matrixWords(typeOf(each.source));
        if (now.length > 0 && words > maxWords) break;
        now.push(each);
      }
      rest = rest.slice(now.length);
      const matrices = now.map(({ source }) => this.value(source, list));
      builder.within(list, () => {
        const unpacked = builder.emit('matrix-unpack', {}, matrices);
        const old = now.flatMap(({ source }): readonly Definition[] =>
          source.kind === 'product' ? source.product.inst.results : source.params,
        );
        old.forEach((word, index) => {
          const own = at(unpacked, index, 'a word');
          for (const user of allOf(users, word)) this.replacements.set(user, builder.bitcast(own, user.type));
        });
      });
    }
  }

  /** The values that are the words of sums, or conversions of such words. */
  private usersOfWords(): ReadonlyMap<Value, readonly Definition[]> {
    const users = new Map<Value, Definition[]>();
    const add = (value: Value) => {
      if (!isDefinition(value)) return;
      const own = getOrInsert(users, bare(value), () => []);
      if (!own.includes(value)) own.push(value);
    };
    for (const { insts, end } of this.context.func.blocks) {
      for (const inst of insts) {
        operandsOf(inst).forEach(add);
        inst.results.forEach(add);
      }
      for (const { args } of edgesOf(end)) args.forEach(add);
    }
    return users;
  }
}

const typeOf = (source: Unpacking['source']) =>
  source.kind === 'product' ? at(source.product.types, 2, 'the type of sums') : source.type;

function placeIn(block: Block, before: Unpacking['before']): number {
  if (before === 'start') return -1;
  return before === undefined ? block.insts.length : block.insts.indexOf(before);
}

/** The sums that exist before a place in a block. */
const earlyOf = (block: Block, group: readonly Unpacking[], place: number): readonly Unpacking[] =>
  group.filter((each) => definedAt(block, each) < place);

/** The position of a matrix's definition in a block; -1 if it is defined before. */
const definedAt = (block: Block, { source }: Unpacking): number =>
  source.kind === 'product' ? block.insts.indexOf(source.product.inst) : -1;
