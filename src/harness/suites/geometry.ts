// Which thread is which lane of which warp, in a launch of one-dimensional grids.
import type { BufferParam, Dim3, Launch } from '../../base/launch.ts';
import { allLanes } from './lanes.ts';

/** Fills output buffers before a launch: a word that no thread wrote is seen. */
export const sentinel = 0xa5a5a5a5;

/** `firstWarp` (a multiple of the block's warps) and what follows it of a suite's numbered warps. */
export interface Geometry {
  readonly block: Dim3;
  readonly firstWarp: number;
  readonly warps: number;
}

// Asked for every lane: taking an array apart costs more than that.
export const threadsOf = (block: Dim3): number => block[0] * block[1] * block[2];
export const warpsOf = (block: Dim3): number => Math.ceil(threadsOf(block) / 32);

/** Threads of the whole launch. */
export function launchThreads(geometry: Geometry): number {
  return blocksOf(geometry) * threadsOf(geometry.block);
}

/** The threads of a warp, which are neighbours: the launch's thread that is lane 0, and how many lanes the block has. */
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

/** The launch's thread that is `lane` of `warp`, or undefined for a lane that the block does not have. */
export function threadAt(geometry: Geometry, warp: number, lane: number): number | undefined {
  const { first, lanes } = threadsOfWarp(geometry, warp);
  return lane < lanes ? first + lane : undefined;
}

/** The lanes of `warp` that the block has. */
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

/** A launch of kernel `k`. Params are in kernel order. */
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

/** A buffer that the kernel reads. */
export function inputBuffer(name: string, words: Uint32Array): BufferParam {
  return { name, kind: 'buffer', type: 'u32', bytes: words.byteLength, data: bytesOf(words) };
}

/** A buffer of `words` words that the kernel writes, filled with the sentinel. */
export function outputBuffer(name: string, words: number): BufferParam {
  return inputBuffer(name, new Uint32Array(words).fill(sentinel));
}

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
