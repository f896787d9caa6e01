// The form of a lesson, and helpers that describe the parameters of its kernel.
import type { BufferParam, Dim3, LaunchParam, ScalarParam, Tolerance } from '../../src/base/launch.ts';
import type { Random } from '../../src/harness/suites/random.ts';

export type { Random } from '../../src/harness/suites/random.ts';

export const chapters = [
  'Threads',
  'Shared memory',
  'Atomics',
  'Reductions',
  'Warps',
  'Scans',
  'Cooperative groups',
  'Matrices',
] as const;

/** A launch of a lesson's kernel. Each buffer has the contents that the task defines. */
export interface Trial {
  readonly grid: Dim3;
  readonly block: Dim3;
  /** The parameters, in the order of the kernel's parameters. */
  readonly params: readonly LaunchParam[];
}

export interface Lesson {
  readonly chapter: (typeof chapters)[number];
  readonly title: string;
  /**
   * The idea and the task, in paragraphs. Text between backticks is code.
   */
  readonly text: readonly string[];
  readonly hint: string;
  /** The name of the kernel in the CUDA source. */
  readonly kernel: string;
  /** The sizes of the launches that the judge runs on the reference. */
  readonly sizes: readonly number[];
  /** The size of the launch whose time the page measures on a GPU. */
  readonly timed: number;
  /** Returns a launch with random inputs. The unit of `size` depends on the task. */
  readonly trial: (size: number, random: Random) => Trial;
}

type Numbers = Int32Array | Uint32Array | Float32Array | Uint16Array;

const typeOf = (values: Numbers): BufferParam['type'] => {
  if (values instanceof Float32Array) return 'f32';
  if (values instanceof Int32Array) return 's32';
  return values instanceof Uint32Array ? 'u32' : 'f16';
};

const bytesOf = ({ buffer, byteOffset, byteLength }: Numbers): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength).slice();

/** A buffer that contains `before`, and that the kernel must change to `after`. */
export function updated(name: string, before: Numbers, after: Numbers, tolerance?: Tolerance): BufferParam {
  const [data, expect] = [bytesOf(before), bytesOf(after)];
  const type = typeOf(after);
  return { name, kind: 'buffer', type, bytes: data.length, data, expect, ...(tolerance && { tolerance }) };
}

/** A buffer that the kernel reads and must not change. The elements of a `Uint16Array` are halves. */
export const input = (name: string, values: Numbers): BufferParam => updated(name, values, values);

/** The initial value of each byte of an output. An element with these bytes is no plausible result. */
const unwritten = 0xa5;

/** A buffer that the kernel must fill. `expected` contains the results. */
export function output(name: string, expected: Numbers, tolerance?: Tolerance): BufferParam {
  const param = updated(name, expected, expected, tolerance);
  return { ...param, data: new Uint8Array(param.bytes).fill(unwritten) };
}

export const int = (name: string, value: number): ScalarParam => ({ name, kind: 'scalar', type: 's32', value });
export const float = (name: string, value: number): ScalarParam => ({ name, kind: 'scalar', type: 'f32', value });

/** Returns `count` random integers from `from` to `to`, both included. */
export function randomInts(random: Random, count: number, from: number, to: number): Int32Array {
  return Int32Array.from({ length: count }, () => from + random.below(to - from + 1));
}

/**
 * Returns `count` small integers as floats. Sums and products of such numbers are exact, so their
 * order does not change the result.
 */
export function wholeFloats(random: Random, count: number, from = -8, to = 8): Float32Array {
  return Float32Array.from(randomInts(random, count, from, to));
}

/** Returns the number of blocks for `count` elements. */
export const blocksFor = (count: number, perBlock: number): number => Math.max(1, Math.ceil(count / perBlock));

/** A one-dimensional grid and its blocks. */
export const line = (grid: number, block: number): Pick<Trial, 'grid' | 'block'> => ({
  grid: [grid, 1, 1],
  block: [block, 1, 1],
});

/** Returns element `index`. Throws RangeError if there is none. */
export function at(values: Numbers, index: number): number {
  const value = values[index];
  if (value === undefined) throw new RangeError(`no element ${index} in ${values.length} elements`);
  return value;
}

/** Returns the sum of all elements. */
export function sum(values: Numbers): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** Returns, for each index, the sum of the elements up to and including it. */
export function runningSums(values: Int32Array): Int32Array {
  let total = 0;
  return values.map((value) => {
    total += value;
    return total;
  });
}
