// The values of the special registers in each lane. The table does not contain counters such as
// `%clock`, which are read when a move executes.

import { countOf } from '../../../base/dim3.ts';
import { reservedSharedBytes, reservedSharedOffsets } from '../../../isa/index.ts';
import { type FunctionLayout, fillPlace } from '../memory/layout.ts';
import type { Frame } from '../state/frame.ts';
import type { Machine } from '../state/state.ts';

/** The warp whose lanes read a special register. */
export interface WarpPlace {
  readonly machine: Machine;
  readonly block: readonly [number, number, number];
  /** The number of the block in its cluster. */
  readonly rank: number;
  readonly warp: number;
  readonly warps: number;
}

type PlacedSpecial = FunctionLayout['specials'][number];
type SpecialValue = (place: WarpPlace, lane: number) => number;

const axes = ['x', 'y', 'z'] as const;

/** Returns the position of a thread in its block along an axis. x varies fastest. */
function threadIndex({ machine, warp }: WarpPlace, axis: number, lane: number): number {
  const [x, y] = machine.launch.block;
  const thread = warp * 32 + lane;
  if (axis === 0) return thread % x;
  return axis === 1 ? Math.floor(thread / x) % y : Math.floor(thread / (x * y));
}

const clusterSize = ({ program }: Machine, axis: number): number => program.cluster[axis] ?? 1;

const vectors: Readonly<Record<string, (place: WarpPlace, axis: number, lane: number) => number>> = {
  '%tid': threadIndex,
  '%ntid': ({ machine }, axis) => machine.launch.block[axis] ?? 1,
  '%ctaid': ({ block }, axis) => block[axis] ?? 0,
  '%nctaid': ({ machine }, axis) => machine.launch.grid[axis] ?? 1,
  '%clusterid': ({ machine, block }, axis) => Math.floor((block[axis] ?? 0) / clusterSize(machine, axis)),
  '%nclusterid': ({ machine }, axis) => (machine.launch.grid[axis] ?? 1) / clusterSize(machine, axis),
  '%cluster_ctaid': ({ machine, block }, axis) => (block[axis] ?? 0) % clusterSize(machine, axis),
  '%cluster_nctaid': ({ machine }, axis) => clusterSize(machine, axis),
};

const specials: Readonly<Record<string, SpecialValue>> = {
  ...Object.fromEntries(
    Object.entries(vectors).flatMap(([name, value]) =>
      axes.map((axis, i): [string, SpecialValue] => [`${name}.${axis}`, (place, lane) => value(place, i, lane)]),
    ),
  ),
  '%cluster_ctarank': ({ rank }) => rank,
  '%cluster_nctarank': ({ machine }) => countOf(machine.program.cluster),
  '%is_explicit_cluster': ({ machine }) => (machine.space.explicitCluster ? 1 : 0),
  '%laneid': (_, lane) => lane,
  '%warpid': ({ warp }) => warp,
  '%nwarpid': ({ warps }) => warps,
  '%lanemask_eq': (_, lane) => (1 << lane) >>> 0,
  '%lanemask_lt': (_, lane) => 2 ** lane - 1,
  '%lanemask_le': (_, lane) => 2 ** (lane + 1) - 1,
  '%lanemask_gt': (_, lane) => 2 ** 32 - 2 ** (lane + 1),
  '%lanemask_ge': (_, lane) => 2 ** 32 - 2 ** lane,
  '%smid': () => 0,
  '%nsmid': () => 1,
  '%gridid': () => 0,
  '%dynamic_smem_size': ({ machine }) => machine.launch.sharedBytes,
  '%total_smem_size': ({ machine }) => machine.space.sharedBytes,
  ...Object.fromEntries(
    Object.entries(reservedSharedOffsets).map(([name, offset]): [string, SpecialValue] => [
      name,
      ({ machine }) => (machine.space.reservedShared ?? 0) + offset,
    ]),
  ),
  '%reserved_smem_offset_cap': () => reservedSharedBytes,
  '%envreg1': ({ machine }) => Math.floor(machine.space.gridBarrier / 2 ** 32),
  '%envreg2': ({ machine }) => machine.space.gridBarrier % 2 ** 32,
};

const differsByLane = /^%(tid|laneid|lanemask)/;

/** Writes the value of a special register in all lanes; 0 for counters. */
export function fillSpecial(frame: Frame, { place, name }: PlacedSpecial, here: WarpPlace): void {
  const valueIn = (lane: number): number => specials[name]?.(here, lane) ?? 0;
  if (!differsByLane.test(name)) fillPlace(frame, place, BigInt(valueIn(0)));
  else for (let lane = 0; lane < 32; lane++) frame.writeInteger(place, lane, valueIn(lane));
}
