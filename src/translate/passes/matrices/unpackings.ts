// Finds where to unpack the sums whose words lanes read.

import { at, get, missing } from '../../../base/invariants.ts';
import { getOrInsert } from '../../../base/maps.ts';
import { type ArgumentEdge, type Dominators, forEachOwnValue, incomingEdges } from '../../graph/index.ts';
import { IdMap } from '../../ir/id-map.ts';
import {
  type Block,
  type Definition,
  edgesOf,
  type Inst,
  isDefinition,
  operandsOf,
  type Param,
  successorsOf,
  type Terminator,
  type Value,
} from '../../ir/nodes.ts';
import {
  bare,
  type ParamsSource,
  type Plan,
  type PlanContext,
  type Product,
  refuse,
  type Source,
  type Unpacking,
} from './sources.ts';

export class Unpackings {
  private readonly context: PlanContext;
  private readonly incoming: IdMap<Block, ArgumentEdge[]>;

  constructor(context: PlanContext) {
    this.context = context;
    this.incoming = incomingEdges(context.func);
  }

  /**
   * Returns the places at which the words of sums are unpacked. `selections`: the instructions that
   * become selections of matrices. Throws `NoMatrices` if a sum has no such place.
   */
  of(operands: Plan['operands'], params: readonly ParamsSource[], selections: ReadonlySet<Inst>): readonly Unpacking[] {
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
    const products = new Map<Inst, Product>([...operands.keys()].map((product) => [product.inst, product]));
    const owned = new Set<Param>(params.flatMap((source) => source.params));
    for (const block of this.context.func.blocks) {
      block.insts.forEach((inst, index) => {
        const product = products.get(inst);
        const read =
          product === undefined ? operandsOf(inst) : packedWords(get(operands, product, 'the operands of a product'));
        if (inst.op !== 'bitcast' && !selections.has(inst)) for (const value of read) use(value, { block, index });
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

  /** Returns the blocks on the paths from one block to another, without the last block. */
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

/** Whether a test holds for the condition or selector that determines a terminator's edge. */
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
