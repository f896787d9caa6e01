// Plans the matrices of a kernel: for each operand of a product, where its elements come from, and
// for each sum, where lanes need its words.

import { at, get, missing } from '../../../base/invariants.ts';
import { getOrInsert } from '../../../base/maps.ts';
import type { MatrixConfig } from '../../../base/matrix-config.ts';
import { fragmentWords, type MatrixForm, matrixForm } from '../../../isa/fragments.ts';
import type { Uniformity } from '../../analysis/uniformity.ts';
import {
  type ArgumentEdge,
  blocksOfInsts,
  type Dominators,
  forEachOwnValue,
  incomingEdges,
  type Loops,
} from '../../graph/index.ts';
import { IdMap } from '../../ir/id-map.ts';
import {
  type Block,
  constantOf,
  type Definition,
  edgesOf,
  type Func,
  type Inst,
  isDefinition,
  operandsOf,
  type Param,
  successorsOf,
  type Terminator,
  type Value,
} from '../../ir/nodes.ts';
import { synchronizesMemory } from '../../ir/operations.ts';
import { type MatrixType, matrixType, shapeOf } from '../../ir/types.ts';
import type { WarpInst } from '../../ir/warp-facts.ts';
import type { Fragments, MatrixPlace } from './fragments.ts';

/** A product of `mma` that becomes one of matrices. */
export interface Product {
  readonly inst: WarpInst;
  readonly block: Block;
  readonly types: readonly [MatrixType, MatrixType, MatrixType];
  /** The words of A, B and C. */
  readonly words: readonly [readonly Value[], readonly Value[], readonly Value[]];
}

/**
 * The origin of a matrix:
 * - `product`: the sum of a product.
 * - `params`: parameters of a block.
 * - `fill`: equal constants.
 * - `memory`: loads.
 * - `words`: any other words, which are packed before their use.
 */
export type Source =
  | { readonly kind: 'product'; readonly product: Product }
  | ParamsSource
  | { readonly kind: 'fill'; readonly type: MatrixType; readonly bits: number }
  | { readonly kind: 'memory'; readonly type: MatrixType; readonly place: MatrixPlace; readonly block: Block }
  | { readonly kind: 'words'; readonly type: MatrixType; readonly words: readonly Value[]; readonly reason: string };

export interface ParamsSource {
  readonly kind: 'params';
  readonly type: MatrixType;
  readonly params: readonly Param[];
  readonly block: Block;
  readonly edges: { readonly edge: ArgumentEdge; readonly source: Source }[];
}

/** A matrix whose words some lanes read: the words, and the place at which they are unpacked. */
export interface Unpacking {
  readonly source: Extract<Source, { readonly kind: 'product' | 'params' }>;
  readonly block: Block;
  /** The instruction before which to unpack; undefined for the end of the block. */
  readonly before: Inst | 'start' | undefined;
}

export interface Plan {
  readonly products: readonly Product[];
  /** The sources of the operands of each product. */
  readonly operands: ReadonlyMap<Product, readonly [Source, Source, Source]>;
  readonly params: readonly ParamsSource[];
  readonly unpackings: readonly Unpacking[];
}

export interface PlanContext {
  readonly func: Func;
  readonly configs: readonly MatrixConfig[];
  readonly uniformity: Uniformity;
  readonly dominators: Dominators;
  readonly loops: Loops;
  readonly fragments: Fragments;
}

/** Thrown to refuse a kernel, with the reason. */
export class NoMatrices extends Error {}

const refuse = (reason: string): never => {
  throw new NoMatrices(reason);
};

type MatrixElements = 'f16' | 'f32' | 'i8' | 'u8' | 'i32' | 'u32';

/** The elements of the factors and sums of a form; undefined if no matrix has them. */
function elementsOf({
  types: { a, b, c, d },
  products,
}: MatrixForm): readonly [MatrixElements, MatrixElements] | undefined {
  if (a !== b || c !== d || products > 1) return undefined;
  if (a === 'f16') return c === 'f16' || c === 'f32' ? [a, c] : undefined;
  return a === 's8' ? ['i8', 'i32'] : a === 'u8' ? ['u8', 'u32'] : undefined;
}

/** Returns the types of a product's operands, or a reason if no configuration multiplies them. */
function typesOf({ attrs: { mods } }: WarpInst, configs: readonly MatrixConfig[]): Product['types'] | string {
  const form = matrixForm(mods);
  const { m, n, k, types } = form;
  const text = `products of ${types.a} and ${types.b}, ${m}x${n}x${k}`;
  const elements = mods.satfinite === undefined ? elementsOf(form) : undefined;
  if (elements === undefined) return `no matrices compute ${text}`;
  const [of, sum] = elements;
  const isKnown = configs.some(
    (one) => one.component === of && one.result === sum && one.m === m && one.n === n && one.k === k,
  );
  if (!isKnown) return `the adapter does not compute ${text}`;
  const matrices = [
    matrixType({ role: 'left', of, rows: m, columns: k }),
    matrixType({ role: 'right', of, rows: k, columns: n }),
    matrixType({ role: 'result', of: sum, rows: m, columns: n }),
  ] as const;
  const [a, b, c] = matrices;
  return a && b && c ? [a, b, c] : `no matrices compute ${text}`;
}

/** A value without the conversions between words and numbers. */
export function bare(value: Value): Value {
  let inner = value;
  while (inner.kind === 'result' && inner.inst.op === 'bitcast' && inner.inst.when === undefined) {
    const [from] = inner.inst.args;
    if (from === undefined || from.type === 'i64' || from.type === 'f64') break;
    inner = from;
  }
  return inner;
}

const idOf = (value: Value): string =>
  isDefinition(value) ? String(value.id) : value.kind === 'constant' ? `c${value.bits}` : 'u';

export class Planner {
  private readonly context: PlanContext;
  private readonly blockOf: IdMap<Inst, Block>;
  private readonly incoming: IdMap<Block, ArgumentEdge[]>;
  private readonly products = new Map<Inst, Product>();
  private known = new Map<string, Source>();
  /** For the key of each list of parameters that cannot become a matrix, the reason. */
  private readonly refused = new Map<string, string>();
  /** For each parameter of a matrix, the key of the matrix. */
  private owners = new IdMap<Param, string>();
  private isStale = false;

  constructor(context: PlanContext) {
    this.context = context;
    this.blockOf = blocksOfInsts(context.func);
    this.incoming = incomingEdges(context.func);
  }

  /** Returns the plan of the products. Throws `NoMatrices` if they stay operations on words. */
  run(insts: readonly WarpInst[]): Plan {
    for (const inst of insts) this.products.set(inst, this.productOf(inst));
    const products = [...this.products.values()];
    const operands = new Map<Product, readonly [Source, Source, Source]>();
    do {
      this.isStale = false;
      this.known = new Map();
      this.owners = new IdMap();
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
    return { products, operands, params, unpackings: this.unpackings(operands, params) };
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
    const isParam = (word: Value): word is Param => word.kind === 'param';
    if (words.every(isParam)) return this.ofParams(type, words, key);
    return this.ofMemory(type, words);
  }

  private filled(type: MatrixType, words: readonly Value[]): Source | undefined {
    const constants = words.map(constantOf);
    const [bits] = constants;
    if (bits === undefined || !constants.every((other) => other === bits)) return undefined;
    const { of } = shapeOf(type);
    // Elements of less than a word have no literals.
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
    // Around a loop, the search may reach these parameters again, so the map must already have the
    // source.
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

  // The words of sums that lanes read.

  private unpackings(operands: Plan['operands'], params: readonly ParamsSource[]): readonly Unpacking[] {
    const matrices = new IdMap<Definition, Unpacking['source']>();
    for (const product of operands.keys())
      for (const result of product.inst.results) matrices.set(result, { kind: 'product', product });
    for (const source of params) for (const param of source.params) matrices.set(param, source);
    const uses = new Map<object, { readonly source: Unpacking['source']; readonly sites: Site[] }>();
    const use = (value: Value, site: Site) => {
      const word = bare(value);
      const source = isDefinition(word) ? matrices.get(word) : undefined;
      if (source === undefined) return;
      const key = source.kind === 'product' ? source.product : source;
      getOrInsert(uses, key, () => ({ source, sites: [] })).sites.push(site);
    };
    const owned = new Set<Param>(params.flatMap((source) => source.params));
    for (const block of this.context.func.blocks) {
      block.insts.forEach((inst, index) => {
        const product = this.products.get(inst);
        const read =
          product === undefined ? operandsOf(inst) : packedWords(get(operands, product, 'the operands of a product'));
        if (inst.op !== 'bitcast') for (const value of read) use(value, { block, index });
      });
      const index = block.insts.length;
      forEachOwnValue(block.end, (value) => use(value, { block, index }));
      for (const { to, args } of edgesOf(block.end))
        args.forEach((arg, place) => {
          if (!owned.has(at(to.params, place, 'a parameter'))) use(arg, { block, index });
        });
    }
    for (const { edges } of params)
      for (const { edge, source } of edges)
        if (source.kind === 'words')
          for (const word of source.words) use(word, { block: edge.from, index: edge.from.insts.length });
    return [...uses.values()].map(({ source, sites }) => this.unpacking(source, sites));
  }

  /**
   * Whether all threads of the block execute `block` together when they reach it from `home`, the
   * block of a product.
   */
  private isTogether(home: Block, block: Block): boolean {
    const { uniformity } = this.context;
    if (uniformity.isTogether(block, 'block')) return true;
    return (
      block !== home &&
      uniformity.isTogether(home, 'block') &&
      this.between(home, block).every(
        ({ end }) => end.kind === 'jump' || decides(end, (value) => uniformity.isUniform(value, 'block')),
      )
    );
  }

  /** The blocks on the paths from one block to another, without the last. */
  private between(from: Block, to: Block): readonly Block[] {
    const reached = new Set<Block>([from]);
    for (const block of reached) if (block !== to) for (const next of successorsOf(block)) reached.add(next);
    const reaching = new Set<Block>([to]);
    for (const block of reaching)
      if (block !== from || block === to)
        for (const edge of get(this.incoming, block, 'the edges into a block')) reaching.add(edge.from);
    return [...reached].filter((block) => block !== to && reaching.has(block));
  }

  private unpacking(source: Unpacking['source'], sites: readonly Site[]): Unpacking {
    const { dominators, loops } = this.context;
    const home = source.kind === 'product' ? source.product.block : source.block;
    const common = sites.reduce(
      (block, site) => commonDominator(dominators, block, site.block),
      at(sites, 0, 'a use').block,
    );
    let best: Block | undefined;
    for (let block: Block | undefined = common; block !== undefined; block = dominators.idomOf(block)) {
      const isCheaper = best === undefined || loops.depthOf(block) < loops.depthOf(best);
      if (isCheaper && this.isTogether(home, block)) best = block;
      if (block === home) break;
    }
    if (best === undefined) return refuse('lanes read the words of a sum where the block may not come together');
    if (best !== home) return { source, block: best, before: 'start' };
    const [first] = sites.filter(({ block }) => block === home).sort((a, b) => a.index - b.index);
    return { source, block: home, before: first && home.insts[first.index] };
  }
}

interface Site {
  readonly block: Block;
  readonly index: number;
}

/** Whether a test holds for the value that decides a terminator's edge. */
const decides = (end: Terminator, test: (value: Value) => boolean): boolean =>
  end.kind === 'branch' ? test(end.condition) : end.kind === 'switch' && test(end.selector);

const packedWords = (sources: readonly Source[]): readonly Value[] =>
  sources.flatMap((source) => (source.kind === 'words' ? source.words : []));

function commonDominator(dominators: Dominators, a: Block, b: Block): Block {
  let block = a;
  while (!dominators.dominatesBlock(block, b))
    block = dominators.idomOf(block) ?? missing('the dominator of a block', block);
  return block;
}

/** Whether other instructions between the first and the last of some loads may change memory. */
function mayChangeBetween(block: Block, loads: ReadonlySet<Inst>): boolean {
  const places = block.insts.flatMap((inst, index) => (loads.has(inst) ? [index] : []));
  const between = block.insts.slice(Math.min(...places), Math.max(...places) + 1);
  return between.some(({ operation: { effect } }) => effect === 'writes' || synchronizesMemory(effect));
}
