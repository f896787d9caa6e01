// Draws copies of boxes of tensors, and products of warpgroups.
import type { IsaRow } from '../../../isa/index.ts';
import { groupWarps } from '../../../isa/limits.ts';
import { isPixelRow } from '../../../isa/row-names.ts';
import { warpgroupRows } from '../../suites/matrix/warpgroup-suites.ts';
import type { Random } from '../../suites/random.ts';
import { copyRows } from '../../suites/tensor/draw-box.ts';
import { type Dialect, dialectsFor, dialectsOfLines } from './dialects.ts';
import { mayEnd } from './draw-waits.ts';
import { type MapOrigin, mapOrigins } from './map-origins.ts';
import type { BoxStatement, FuzzKernel, Statement, WarpgroupStatement } from './tree.ts';

/** A block of one warpgroup. */
const warpgroup = [32 * groupWarps, 1, 1] as const;

const pick = (rng: Random, rows: readonly IsaRow[], dialect: Dialect): IsaRow | undefined => {
  const possible = rows.filter((row) => dialectsFor(row).includes(dialect));
  return possible[rng.below(possible.length)];
};

const drawBoxStatement = (rng: Random, { name }: IsaRow, dialect: Dialect): BoxStatement => ({
  kind: 'box', row: name, d: rng.below(64), from: rng.below(64), form: rng.u32(), map: drawOrigin(rng, name, dialect),
}); // biome-ignore format: one record

const dialectsOfChanges = dialectsOfLines(['tensormap.replace.tile.rank.global.b1024.b32 [%map], 0']);

/** The instructions that change maps exist only for tile mode. */
const drawOrigin = (rng: Random, row: string, dialect: Dialect): MapOrigin =>
  dialectsOfChanges.includes(dialect) && !isPixelRow(row) && rng.chance(0.6) ? rng.pick(mapOrigins) : 'parameter';

const drawProduct = (rng: Random, { name }: IsaRow): WarpgroupStatement => ({
  kind: 'warpgroup', row: name, d: rng.below(64), from: rng.below(64), form: rng.u32(),
}); // biome-ignore format: one record

/** The chances of copies of boxes and of products of warpgroups in a kernel. */
export interface TensorChances {
  readonly box: number;
  readonly product: number;
  /** The chance of a second product in a kernel with one. */
  readonly second: number;
}

/**
 * Adds copies of boxes to some kernels, and products of warpgroups to some kernels that can have
 * them. Their blocks are warpgroups. They have a separate random stream, so that other kernels do
 * not change.
 */
export function withTensors(rng: Random, kernel: FuzzKernel, chances: TensorChances): FuzzKernel {
  const { dialect } = kernel;
  if (mayEnd(kernel.body)) return kernel;
  const box = rng.chance(chances.box) ? pick(rng, copyRows, dialect) : undefined;
  const product = rng.chance(chances.product) ? pick(rng, warpgroupRows, dialect) : undefined;
  const added: readonly Statement[] = [
    ...(box === undefined ? [] : [drawBoxStatement(rng, box, dialect)]),
    ...(product === undefined
      ? []
      : [drawProduct(rng, product), ...(rng.chance(chances.second) ? [drawProduct(rng, product)] : [])]),
  ];
  const body = added.reduce((longer, each) => longer.toSpliced(rng.below(longer.length + 1), 0, each), kernel.body);
  return { ...kernel, body, ...(product === undefined ? {} : { block: warpgroup }) };
}
