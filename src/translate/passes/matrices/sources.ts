// The parts of a plan for the matrices of a kernel: products, the sources of their operands, and
// the sums whose words lanes read.

import type { MatrixConfig } from '../../../base/matrix-config.ts';
import type { Uniformity } from '../../analysis/uniformity.ts';
import type { ArgumentEdge, Dominators, Loops } from '../../graph/index.ts';
import type { Block, Func, Inst, Param, Value } from '../../ir/nodes.ts';
import type { MatrixType } from '../../ir/types.ts';
import type { WarpInst } from '../../ir/warp-facts.ts';
import type { Fragments, MatrixPlace } from './fragments.ts';

/** A product of `mma` that becomes a product of matrices. */
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
 * - `select`: another source if a condition holds, and otherwise equal constants.
 * - `memory`: loads.
 * - `words`: any other words, which are packed before their use.
 */
export type Source =
  | { readonly kind: 'product'; readonly product: Product }
  | ParamsSource
  | FillSource
  | { readonly kind: 'select'; readonly condition: Value; readonly source: Source; readonly otherwise: FillSource }
  | { readonly kind: 'memory'; readonly type: MatrixType; readonly place: MatrixPlace; readonly block: Block }
  | { readonly kind: 'words'; readonly type: MatrixType; readonly words: readonly Value[]; readonly reason: string };

export interface FillSource {
  readonly kind: 'fill';
  readonly type: MatrixType;
  readonly bits: number;
}

export interface ParamsSource {
  readonly kind: 'params';
  readonly type: MatrixType;
  readonly params: readonly Param[];
  readonly block: Block;
  readonly edges: { readonly edge: ArgumentEdge; readonly source: Source }[];
}

/**
 * A place at which a subgroup matrix is unpacked into words, because lanes also read its elements.
 */
export interface Unpacking {
  readonly source: Extract<Source, { readonly kind: 'product' | 'params' }>;
  readonly block: Block;
  /**
   * The instruction before which to unpack. `start` means the start of the block, and undefined
   * means its end.
   */
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

/** An error that refuses subgroup matrices for a kernel, with the reason. */
export class NoMatrices extends Error {}

export const refuse = (reason: string): never => {
  throw new NoMatrices(reason);
};

/** Returns a value without the conversions between words and numbers that produced it. */
export function bare(value: Value): Value {
  let inner = value;
  while (inner.kind === 'result' && inner.inst.op === 'bitcast' && inner.inst.when === undefined) {
    const [from] = inner.inst.args;
    if (from === undefined || from.type === 'i64' || from.type === 'f64') break;
    inner = from;
  }
  return inner;
}
