// The subjects of generated kernels: the instructions that kernels contain more often than others.
import { at } from '../../../base/invariants.ts';
import { type IsaRow, matrixRows } from '../../../isa/index.ts';
import type { Random } from '../../suites/random.ts';
import type { Dialect } from './dialects.ts';
import type { TensorChances } from './draw-tensors.ts';
import { mayEnd } from './draw-waits.ts';
import { handoversOf } from './handovers.ts';
import { written } from './lane-template.ts';
import type { FuzzKernel, HandoverStatement, Statement } from './tree.ts';

/** The chances of the parts of a kernel that separate random streams add. */
export interface Chances extends TensorChances {
  readonly cluster: number;
  readonly matrix: number;
  /** The chance of one to three ways to pass values through mbarriers or copies. */
  readonly handover: number;
  /** The chance that the cells and tiles are far from the start of shared memory. */
  readonly far: number;
  /** The chance of controls of dependent grids, which have no effect in a single launch. */
  readonly grid: number;
}

export const commonChances: Chances = {
  box: 0.1,
  product: 0.3,
  second: 1,
  cluster: 0.06,
  matrix: 0.15,
  handover: 0,
  far: 0,
  grid: 0,
};

const base: Chances = {
  box: 0.1, product: 0, second: 0.3, cluster: 0, matrix: 0.2, handover: 0.2, far: 0.3, grid: 0.15,
}; // biome-ignore format: one record

/** The chances of kernels for sm_90a. Each kernel has one of these lists. */
const hopperChances: readonly [Chances, ...Chances[]] = [
  { ...base, product: 1 },
  { ...base, product: 1, box: 0.5 },
  { ...base, box: 1 },
  { ...base, cluster: 1, box: 0.4 },
  { ...base, cluster: 1, handover: 0.5 },
  { ...base, cluster: 1, product: 1 },
  { ...base, handover: 1 },
  { ...base, matrix: 1 },
];

export const drawHopperChances = (rng: Random): Chances => rng.pick(hopperChances);

/** The rows of sparse products, and of copies of 8x8 matrices to shared memory. */
export const hopperMatrixRows: ReadonlySet<string> = new Set(
  matrixRows.map(({ name }: IsaRow) => name).filter((name) => /^mma\.sp\.|^stmatrix$/.test(name)),
);

function drawHandover(rng: Random, dialect: Dialect): HandoverStatement {
  const possible = handoversOf(dialect);
  const how = at(possible, rng.below(possible.length), 'a handover');
  return { kind: 'handover', how, d: rng.below(64), a: rng.below(64), from: rng.below(64), form: rng.u32() };
}

/** A wait for the grids before at the beginning, and a release of the next grids later. */
const gridControl = (action: string): Statement => ({
  kind: 'lane', template: written('order', `griddepcontrol.${action}`, '', ''), results: [], sources: [],
}); // biome-ignore format: one record
const [gridWait, gridRelease] = [gridControl('wait'), gridControl('launch_dependents')];

/**
 * Adds ways to pass values through mbarriers, controls of dependent grids, and space before the cells
 * in shared memory. They have a separate random stream, so that other kernels do not change.
 */
export function withHandovers(rng: Random, kernel: FuzzKernel, { handover, far, grid }: Chances): FuzzKernel {
  const { dialect } = kernel;
  let body: readonly Statement[] = kernel.body;
  if (rng.chance(handover) && !mayEnd(body)) {
    for (let count = 1 + rng.below(3); count > 0; count--)
      body = body.toSpliced(rng.below(body.length + 1), 0, drawHandover(rng, dialect));
  }
  const farBytes = rng.chance(far) ? { farBytes: 1024 * (40 + rng.below(140)) } : {};
  if (rng.chance(grid)) {
    body = [gridWait, ...body.toSpliced(rng.below(body.length + 1), 0, gridRelease)];
  }
  return { ...kernel, body, ...farBytes };
}
