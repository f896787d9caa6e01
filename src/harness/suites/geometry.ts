// The mapping between threads, lanes and warps in a launch with a one-dimensional grid.
import type { BufferParam, Dim3, Launch } from '../../base/launch.ts';
import { allLanes } from './lanes.ts';

/** The word that fills output buffers before a launch. It reveals words that no thread wrote. */
export const sentinel = 0xa5a5a5a5;

/**
 * A range of a suite's numbered warps. `firstWarp` is a multiple of the number of warps in a block.
 */
export interface Geometry {
  readonly block: Dim3;
  readonly firstWarp: number;
  readonly warps: number;
}

// This is called for every lane, and destructuring the array would cost more than the product.
export const threadsOf = (block: Dim3): number => block[0] * block[1] * block[2];
export const warpsOf = (block: Dim3): number => Math.ceil(threadsOf(block) / 32);

export function launchThreads(geometry: Geometry): number {
  return blocksOf(geometry) * threadsOf(geometry.block);
}

/**
 * The consecutive threads of a warp. `first` is the number in the launch of the thread that is lane
 * 0, and `lanes` is the number of lanes that exist in the block.
 */
export interface WarpThreads {
  readonly first: number;
  readonly lanes: number;
}

export function threadsOfWarp({ block, firstWarp }: Geometry, warp: number): WarpThreads {
  const [perBlock, threads] = [warpsOf(block), threadsOf(block)];
  const index = warp - firstWarp;
  const inBlock = (index % perBlock) * 32;
  return { first: Math.floor(index / perBlock) * threads + inBlock, lanes: Math.min(threads - inBlock, 32) };
}

/**
 * Returns the number in the launch of the thread that is `lane` of `warp`; undefined if the block
 * lacks this lane.
 */
export function threadAt(geometry: Geometry, warp: number, lane: number): number | undefined {
  const { first, lanes } = threadsOfWarp(geometry, warp);
  return lane < lanes ? first + lane : undefined;
}

/** Returns the mask of the lanes of `warp` that exist in the block. */
export function existingLanes(geometry: Geometry, warp: number): number {
  const { lanes } = threadsOfWarp(geometry, warp);
  return lanes === 32 ? allLanes : (1 << lanes) - 1;
}

export function warpNumbers({ firstWarp, warps }: Geometry): number[] {
  return Array.from({ length: warps }, (_, index) => firstWarp + index);
}

function blocksOf({ block, warps }: Geometry): number {
  return Math.ceil(warps / warpsOf(block));
}

/** Returns a launch of kernel `k`. `params` are in kernel order. */
export function launchOf(
  id: string,
  ptx: string,
  geometry: Geometry,
  params: Launch['params'],
  sharedBytes = 0,
): Launch {
  return {
    id,
    group: 'validate',
    ptx,
    ptxFile: `${id}.ptx`,
    entry: 'k',
    grid: [blocksOf(geometry), 1, 1],
    block: geometry.block,
    sharedBytes,
    params,
  };
}

/** Returns a buffer that the kernel reads. */
export function inputBuffer(name: string, words: Uint32Array): BufferParam {
  return { name, kind: 'buffer', type: 'u32', bytes: words.byteLength, data: bytesOf(words) };
}

/** Returns a buffer of `words` words that the kernel writes, filled with the sentinel. */
export function outputBuffer(name: string, words: number): BufferParam {
  return inputBuffer(name, new Uint32Array(words).fill(sentinel));
}

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
