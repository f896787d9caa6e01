// Replaces the products of a plan by products of matrices.

import { at, get, missing } from '../../../base/invariants.ts';
import { allOf, getOrInsert } from '../../../base/maps.ts';
import type { Builder } from '../../ir/builder.ts';
import { replaceValues } from '../../ir/builder.ts';
import { IdMap } from '../../ir/id-map.ts';
import type { Place } from '../../ir/memory.ts';
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
import type { Insertions } from '../memory/insertions.ts';
import { removeParams } from '../remove-dead-code.ts';
import type { MatrixStart } from './fragments.ts';
import type { LaneValues } from './lane-values.ts';
import {
  bare,
  type FillSource,
  type ParamsSource,
  type Plan,
  type Product,
  type Source,
  type Unpacking,
} from './sources.ts';

const wordBytes = 4;

export interface RewriteContext {
  readonly func: Func;
  readonly builder: Builder;
  readonly insertions: Insertions;
  readonly laneValues: LaneValues;
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

  /** Inserts a matrix product before the product that it replaces. */
  private product(product: Product): Value {
    const { builder, insertions } = this.context;
    const list = insertions.beforeInst(product.inst);
    const sources = get(this.plan.operands, product, 'the operands of a product');
    const operands = sources.map((source) => this.operand(source, product.block, list));
    const made = builder.make('matrix-multiply', {}, operands, { hint: 'sums' });
    list.push(Object.assign(made, { span: product.inst.span }));
    return at(made.results, 0, 'a product');
  }

  /** Returns an operand of a product. The products of a block share packed operands. */
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
      case 'select':
        return this.select(source, list);
      case 'memory':
        return getOrInsert(this.values, source, () => this.load(source));
      case 'words':
        return this.pack(source, list);
    }
  }

  private fill({ type, bits }: FillSource): Value {
    const { builder, func } = this.context;
    return getOrInsert(this.fills, `${type} ${bits}`, () => {
      const made = builder.make('matrix-fill', { type, bits }, []);
      at(func.blocks, 0, 'the first block').insts.unshift(made);
      return at(made.results, 0, 'a matrix');
    });
  }

  private select(source: Extract<Source, { readonly kind: 'select' }>, list: Inst[]): Value {
    const operands = [source.condition, this.value(source.source, list), this.fill(source.otherwise)];
    const made = this.context.builder.make('matrix-select', {}, operands);
    list.push(made);
    return at(made.results, 0, 'a selection');
  }

  /** Inserts the load of a matrix after all loads of its words. */
  private load({ type, place, block }: Extract<Source, { readonly kind: 'memory' }>): Value {
    const { builder, insertions } = this.context;
    const latest = block.insts.findLast((inst) => inst.op === 'load' && place.loads.has(inst));
    const list = insertions.afterDefinition(at(latest?.results ?? missing('the loads of a matrix'), 0, 'a word'));
    const { first, last, order, stride } = place;
    const index = place.start && this.startOf(place.start, list);
    return builder.within(list, () => {
      builder.span = first.span;
      const start = index && last !== undefined ? builder.umin(index, builder.i32(last)) : index;
      const words = start === undefined ? { place: place.place, args: [] } : this.inWords(place.place, start);
      const attrs = { place: words.place, type, order, stride };
      const hint = first.results[0]?.hint;
      const made = builder.value('matrix-load', attrs, words.args, { hint });
      builder.span = undefined;
      return made;
    });
  }

  /** Counts the index of a place in words, because a matrix starts at a whole word. */
  private inWords(place: Place, index: Value): { readonly place: Place; readonly args: readonly Value[] } {
    const { unit, offset } = place;
    if (unit % wordBytes === 0) return { place, args: [index] };
    const { builder } = this.context;
    const bytes = builder.iadd(builder.imul(index, builder.i32(unit)), builder.i32(offset));
    const word = builder.lshrw(bytes, builder.i32(Math.log2(wordBytes)));
    return { place: { ...place, unit: wordBytes, offset: 0 }, args: [word] };
  }

  private startOf(start: MatrixStart, list: Inst[]): Value {
    const { builder, laneValues } = this.context;
    if (start.kind === 'lane') return laneValues.of(start.index, start.lane, list);
    const own = this.warpNumber(start.warps);
    return builder.within(list, () =>
      [...start.terms].reduce(
        (sum, [value, factor]) => builder.iadd(sum, builder.imul(value, builder.i32(factor))),
        own,
      ),
    );
  }

  /**
   * Returns the executing warp's number from a list with a number for each warp. The value is
   * computed once.
   */
  private warpNumber(numbers: readonly number[]): Value {
    const { builder, insertions, func } = this.context;
    const first = at(numbers, 0, 'a number');
    const bits = bitSums(numbers);
    return builder.within(insertions.atStart(at(func.blocks, 0, 'the first block')), () => {
      if (bits === undefined) {
        const warp = builder.value('special', { name: '%warpid', type: 'i32' }, [], { hint: 'warp' });
        return numbers.reduce<Value>(
          (value, number, index) =>
            index === 0
              ? value
              : builder.select(builder.icmp('eq', warp, builder.i32(index)), builder.i32(number), value),
          builder.i32(first),
        );
      }
      if (bits.every((step) => step === 0)) return builder.i32(first);
      const warp = builder.value('special', { name: '%warpid', type: 'i32' }, [], { hint: 'warp' });
      return bits.reduce<Value>((sum, step, bit) => {
        const isSet = builder.and(builder.lshrw(warp, builder.i32(bit)), builder.i32(1));
        return step === 0 ? sum : builder.iadd(sum, builder.imul(isSet, builder.i32(step)));
      }, builder.i32(first));
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

  /** Unpacks the sums one after the other, so that they share memory of the size of one sum. */
  private unpack(): void {
    const { builder } = this.context;
    const users = this.usersOfWords();
    for (const { source, block, before } of this.plan.unpackings) {
      const list = this.listAt(block, before);
      const matrix = this.value(source, list);
      builder.within(list, () => {
        const unpacked = builder.emit('matrix-unpack', {}, [matrix]);
        const old: readonly Definition[] = source.kind === 'product' ? source.product.inst.results : source.params;
        old.forEach((word, index) => {
          const own = at(unpacked, index, 'a word');
          for (const user of allOf(users, word)) this.replacements.set(user, builder.bitcast(own, user.type));
        });
      });
    }
  }

  private listAt(block: Block, before: Unpacking['before']): Inst[] {
    const { insertions } = this.context;
    if (before === 'start') return insertions.atStart(block);
    return before === undefined ? insertions.atEnd(block) : insertions.beforeInst(before);
  }

  /** Returns the values that are the words of sums, or conversions of such words. */
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

/**
 * Returns the amount that each bit of the index adds to the first number; undefined if the numbers
 * are not such sums.
 */
function bitSums(numbers: readonly number[]): readonly number[] | undefined {
  const first = at(numbers, 0, 'a number');
  const count = Math.ceil(Math.log2(numbers.length));
  const steps = Array.from({ length: count }, (_, bit) => at(numbers, 2 ** bit, 'a number') - first);
  const sum = (index: number): number => steps.reduce((total, step, bit) => total + ((index >> bit) & 1) * step, first);
  return numbers.every((number, index) => number === sum(index)) ? steps : undefined;
}
