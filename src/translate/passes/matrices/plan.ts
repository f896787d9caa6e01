// Plans which matrix products of a kernel use WGSL's subgroup matrices. The plan records where the
// elements of each operand come from.

import { at, get } from '../../../base/invariants.ts';
import { allOf } from '../../../base/maps.ts';
import { fragmentWords, matrixForm } from '../../../isa/fragments.ts';
import { type ArgumentEdge, blocksOfInsts, incomingEdges, usersOf } from '../../graph/index.ts';
import { IdMap } from '../../ir/id-map.ts';
import { type Block, constantOf, type Inst, isDefinition, type Param, type Value } from '../../ir/nodes.ts';
import { synchronizesMemory } from '../../ir/operations.ts';
import { type MatrixType, shapeOf } from '../../ir/types.ts';
import type { WarpInst } from '../../ir/warp-facts.ts';
import { typesOf } from './product-types.ts';
import {
  bare,
  type FillSource,
  type ParamsSource,
  type Plan,
  type PlanContext,
  type Product,
  refuse,
  type Source,
} from './sources.ts';
import { Unpackings } from './unpackings.ts';

const idOf = (value: Value): string =>
  isDefinition(value) ? String(value.id) : value.kind === 'constant' ? `c${value.bits}` : 'u';

export class Planner {
  private readonly context: PlanContext;
  private readonly blockOf: IdMap<Inst, Block>;
  private readonly incoming: IdMap<Block, ArgumentEdge[]>;
  private readonly products = new Map<Inst, Product>();
  private known = new Map<string, Source>();
  /**
   * For each list of parameters that cannot become a matrix, the reason. The key of the map names
   * the list.
   */
  private readonly refused = new Map<string, string>();
  /** For each parameter of a matrix, the key of the matrix. */
  private owners = new IdMap<Param, string>();
  private isStale = false;
  /** The selections that become selections of matrices. */
  private readonly selections = new Set<Inst>();
  private readonly users: ReturnType<typeof usersOf>;

  constructor(context: PlanContext) {
    this.context = context;
    this.blockOf = blocksOfInsts(context.func);
    this.incoming = incomingEdges(context.func);
    this.users = usersOf(context.func);
  }

  /**
   * Returns the plan of the products. Throws `NoMatrices` if the products must remain operations on
   * words.
   */
  run(insts: readonly WarpInst[]): Plan {
    for (const inst of insts) this.products.set(inst, this.productOf(inst));
    const products = [...this.products.values()];
    this.context.fragments.findLayouts(
      products.flatMap(({ types: [a, b], words: [x, y] }) => [
        [a, x],
        [b, y],
      ]),
    );
    const operands = new Map<Product, readonly [Source, Source, Source]>();
    do {
      this.isStale = false;
      this.known = new Map();
      this.owners = new IdMap();
      this.selections.clear();
      for (const product of products) {
        const [a, b, c] = product.words.map((words, index) => this.sourceOf(at(product.types, index, 'a type'), words));
        if (a && b && c) operands.set(product, [a, b, c]);
      }
    } while (this.isStale);
    for (const [{ block }, sources] of operands) {
      const packed = sources.find(({ kind }) => kind === 'words');
      if (packed?.kind === 'words' && !this.context.uniformity.isTogether(block, 'block'))
        refuse(`${packed.reason}, and the block may not reach the product together`);
    }
    const params = [...this.known.values()].filter((source) => source.kind === 'params');
    return {
      products,
      operands,
      params,
      unpackings: new Unpackings(this.context).of(operands, params, this.selections),
    };
  }

  private productOf(inst: WarpInst): Product {
    const { configs, uniformity } = this.context;
    const block = get(this.blockOf, inst, 'the block of a product');
    if (inst.when !== undefined || !uniformity.isTogether(block, 'warp'))
      refuse('a product is under a divergent branch');
    const types = typesOf(inst, configs);
    if (typeof types === 'string') return refuse(types);
    const form = matrixForm(inst.attrs.mods);
    const [a, b] = [fragmentWords(form, 'a'), fragmentWords(form, 'b')];
    const words = inst.args.slice(0, -1).map(bare);
    return { inst, block, types, words: [words.slice(0, a), words.slice(a, a + b), words.slice(a + b)] };
  }

  private sourceOf(type: MatrixType, words: readonly Value[]): Source {
    const key = `${type} ${words.map(idOf).join(' ')}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const source = this.find(type, words, key);
    this.known.set(key, source);
    return source;
  }

  private find(type: MatrixType, words: readonly Value[], key: string): Source {
    const [first] = words;
    const product = first?.kind === 'result' ? this.products.get(first.inst) : undefined;
    if (
      product !== undefined &&
      product.types[2] === type &&
      words.every((word, index) => word === product.inst.results[index])
    )
      return { kind: 'product', product };
    const filled = this.filled(type, words);
    if (filled !== undefined) return filled;
    const selected = this.selected(type, words);
    if (selected !== undefined) return selected;
    const isParam = (word: Value): word is Param => word.kind === 'param';
    if (words.every(isParam)) return this.ofParams(type, words, key);
    return this.ofMemory(type, words);
  }

  /**
   * Returns the source of words that are selected by a condition, and otherwise constants. No
   * instruction other than products may read the selections.
   */
  private selected(type: MatrixType, words: readonly Value[]): Source | undefined {
    const selections = words.flatMap((word) =>
      word.kind === 'result' && word.inst.op === 'select' ? [word.inst] : [],
    );
    const condition = selections[0]?.args[0];
    if (condition === undefined || !this.context.uniformity.isUniform(condition, 'warp')) return undefined;
    const isSelection = (inst: Inst): boolean =>
      inst.when === undefined && inst.args[0] === condition && this.isOnlyMultiplied(inst);
    if (selections.length < words.length || !selections.every(isSelection)) return undefined;
    const otherwise = this.filled(
      type,
      selections.map((inst) => bare(at(inst.args, 2, 'a word'))),
    );
    const source = this.sourceOf(
      type,
      selections.map((inst) => bare(at(inst.args, 1, 'a word'))),
    );
    if (otherwise === undefined || source.kind === 'words') return undefined;
    for (const inst of selections) this.selections.add(inst);
    return { kind: 'select', condition, source, otherwise };
  }

  /** Whether only products read the results of an instruction, perhaps as numbers. */
  private isOnlyMultiplied(inst: Inst): boolean {
    return inst.results.every((result) =>
      allOf(this.users, result).every(
        (user) =>
          user.kind === 'inst' &&
          (this.products.has(user.inst) || (user.inst.op === 'bitcast' && this.isOnlyMultiplied(user.inst))),
      ),
    );
  }

  private filled(type: MatrixType, words: readonly Value[]): FillSource | undefined {
    const constants = words.map(constantOf);
    const [bits] = constants;
    if (bits === undefined || !constants.every((other) => other === bits)) return undefined;
    const { of } = shapeOf(type);
    // WGSL has no literals for elements of less than a word.
    return bits === 0n || of === 'f32' || of === 'i32' || of === 'u32'
      ? { kind: 'fill', type, bits: Number(bits) }
      : undefined;
  }

  private ofParams(type: MatrixType, params: readonly Param[], key: string): Source {
    const words = (reason: string): Source => ({ kind: 'words', type, words: params, reason });
    const refusal = this.refused.get(key);
    if (refusal !== undefined) return words(refusal);
    const { block } = at(params, 0, 'a parameter');
    const isWhole = params.every((param) => param.block === block) && new Set(params).size === params.length;
    if (!isWhole || block === this.context.func.blocks[0])
      return words('the words of a matrix come from several blocks');
    if (params.some((param) => (this.owners.get(param) ?? key) !== key)) return words('a word belongs to two matrices');
    for (const param of params) this.owners.set(param, key);
    const source: ParamsSource = { kind: 'params', type, params, block, edges: [] };
    // If the parameters are passed around a loop, the search may reach them again. So the map must
    // already contain the source.
    this.known.set(key, source);
    const indexes = params.map((param) => block.params.indexOf(param));
    for (const edge of get(this.incoming, block, 'the edges into a block')) {
      const args = indexes.map((index) => bare(at(edge.args, index, 'an argument')));
      const own = this.sourceOf(type, args);
      if (own.kind === 'words' && !this.mayPack(edge.from, block)) {
        this.refused.set(key, own.reason);
        this.isStale = true;
        return words(own.reason);
      }
      source.edges.push({ edge, source: own });
    }
    return source;
  }

  /**
   * Whether words may be packed before an edge: all threads of the block execute `from` together,
   * and the edge enters a loop.
   */
  private mayPack(from: Block, to: Block): boolean {
    const { uniformity, loops } = this.context;
    return uniformity.isTogether(from, 'block') && loops.depthOf(from) < loops.depthOf(to);
  }

  private ofMemory(type: MatrixType, words: readonly Value[]): Source {
    const { fragments, uniformity } = this.context;
    const packed = (reason: string): Source => ({
      kind: 'words',
      type,
      words,
      reason: `a ${shapeOf(type).role} matrix is packed: ${reason}`,
    });
    const place = fragments.placeOf(type, words);
    if (typeof place === 'string') return packed(place);
    const blocks = new Set([...place.loads].map((load) => get(this.blockOf, load, 'the block of a load')));
    const [block] = blocks;
    if (block === undefined || blocks.size > 1) return packed('its words are loaded in several blocks');
    if (!uniformity.isTogether(block, 'warp')) return packed('its loads are under a divergent branch');
    if (mayChangeBetween(block, place.loads)) return packed('its memory may change between its loads');
    return { kind: 'memory', type, place, block };
  }
}

/** Whether instructions between the first and the last of some loads may change memory. */
function mayChangeBetween(block: Block, loads: ReadonlySet<Inst>): boolean {
  const places = block.insts.flatMap((inst, index) => (loads.has(inst) ? [index] : []));
  const between = block.insts.slice(Math.min(...places), Math.max(...places) + 1);
  return between.some(({ operation: { effect } }) => effect === 'writes' || synchronizesMemory(effect));
}
